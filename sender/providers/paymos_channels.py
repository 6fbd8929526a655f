"""Payment channels and their deposits in the JSON of Paymos, key by key as in its fixtures (contract §3.4, §3.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.domain.channel import Rail, RailStatus, Token
from sender.domain.money import format_token
from sender.durations import SECOND
from sender.providers.paymos_addresses import address_for
from sender.providers.paymos_json import Json, number, put, put_instant

if TYPE_CHECKING:
    from decimal import Decimal

    from sender.domain.channel import Channel
    from sender.domain.deposit import Deposit
    from sender.providers.paymos_networks import Catalogue


def rails_of(catalogue: Catalogue, channel_id: str, minimum: Decimal) -> tuple[Rail, ...]:
    """Return a rail for every network of the catalogue, each with the channel's own address and all its tokens."""
    return tuple(
        Rail(
            network=code,
            status=RailStatus.ACTIVE,
            address=address_for(network.family, f"{channel_id}/{code}"),
            tokens=tuple(Token(token, minimum) for token, rail in catalogue.contracts if rail == code),
        )
        for code, network in catalogue.networks.items()
    )


def channel_resource(channel: Channel) -> Json:
    """Return a channel, as the API answers and lists it."""
    return {
        "id": channel.id,
        "project_id": channel.project_id,
        "external_id": channel.external_id,
        "status": channel.status.value,
        "is_accepting_payments": channel.is_accepting_payments,
        "is_fully_provisioned": channel.is_fully_provisioned,
        "is_test": channel.is_test,
        "applied_fee_percent": number(channel.applied_fee_percent),
        "customer_fee_percent": channel.customer_fee_percent,
        "networks": [_rail(rail) for rail in channel.rails],
        "created_at": channel.created_at // SECOND,
        "updated_at": channel.updated_at // SECOND,
    }


def _rail(rail: Rail) -> Json:
    document: Json = {"network": rail.network, "status": rail.status.value}
    put(document, "address", rail.address)
    document["tokens"] = [_token(token) for token in rail.tokens]
    return document


def _token(token: Token) -> Json:
    document: Json = {"symbol": token.symbol}
    put(document, "minimum_deposit", None if token.minimum_deposit is None else format_token(token.minimum_deposit))
    return document


def deposit_resource(deposit: Deposit) -> Json:
    """Return a deposit; webhook and API show the same."""
    return {**_deposit_head(deposit), **_deposit_money(deposit), **_deposit_transfer(deposit)}


def _deposit_head(deposit: Deposit) -> Json:
    return {
        "id": deposit.id,
        "payment_channel_id": deposit.channel_id,
        "project_id": deposit.project_id,
        "payment_channel_external_id": deposit.channel_external_id,
        "status": deposit.status.value,
        "is_final": deposit.is_final,
        "is_test": deposit.is_test,
    }


def _deposit_money(deposit: Deposit) -> Json:
    document: Json = {"currency": deposit.currency, "network": deposit.network, "chain_id": deposit.chain_id}
    put(document, "contract_address", deposit.contract_address)
    document["gross"] = format_token(deposit.gross)
    document["fee"] = format_token(deposit.fee)
    document["net"] = format_token(deposit.net)
    document["applied_fee_percent"] = number(deposit.applied_fee_percent)
    document["customer_fee_percent"] = deposit.customer_fee_percent
    return document


def _deposit_transfer(deposit: Deposit) -> Json:
    document: Json = {"tx_hash": deposit.tx_hash, "transfer_id": deposit.transfer_id}
    put(document, "source_address", deposit.source_address)
    document["destination_address"] = deposit.destination_address
    document["block_height"] = deposit.block_height
    put_instant(document, "first_included_block_timestamp", deposit.first_included_at)
    put(document, "explorer_url", None if deposit.explorer is None else deposit.explorer + deposit.tx_hash)
    document["created_at"] = deposit.created_at // SECOND
    document["updated_at"] = deposit.updated_at // SECOND
    put_instant(document, "confirmed_at", deposit.confirmed_at)
    return document
