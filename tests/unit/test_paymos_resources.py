"""Bodies of withdrawals, channels and deposits against the provider's fixtures, to the byte (contract §3.3-§3.5)."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import pytest
from paymos.webhooks import WebhookVerifier

from sender.domain.channel import blocked
from sender.domain.deposit import DepositStatus, confirmed
from sender.domain.withdrawal import Withdrawal, WithdrawalStatus
from sender.durations import SECOND
from sender.errors import RequestRefused
from sender.providers.paymos import EVENT_TYPES, Paymos
from sender.providers.paymos_wire import to_bytes
from sender.providers.profile import Event, Resource
from tests.channels import CHANNEL, CONFIRMED_AT, SIGHTING, START, deposit_in

PAYMOS = Paymos()

CHANNEL_SAMPLE = (
    '{"id":"pc_1","project_id":"prj_1","external_id":"customer-42","status":"active","is_accepting_payments":true,'
    '"is_fully_provisioned":false,"is_test":true,"applied_fee_percent":1.5,"customer_fee_percent":0,"networks":['
    '{"network":"TRC20","status":"active","address":"TW7pMBrHnhSbrtgpBsFbLXwPfCiKtxaHhq",'
    '"tokens":[{"symbol":"USDT","minimum_deposit":"1.00"}]},'
    '{"network":"ERC20","status":"provisioning","tokens":[{"symbol":"USDT"}]}],'
    '"created_at":1700000000,"updated_at":1700000100}'
)
DEPOSIT_SAMPLE = (
    '{"id":"pcd_9","payment_channel_id":"pc_1","project_id":"prj_1","payment_channel_external_id":"customer-42",'
    '"status":"confirmed","is_final":true,"is_test":true,"currency":"USDT","network":"TRC20","chain_id":728126428,'
    '"contract_address":"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t","gross":"100.00","fee":"1.00","net":"99.00",'
    '"applied_fee_percent":1,"customer_fee_percent":0,"tx_hash":"9a2f1c","transfer_id":"trf_1",'
    '"source_address":"TPayerAddress","destination_address":"TChannelAddress","block_height":60000000,'
    '"first_included_block_timestamp":1700000050,"explorer_url":"https://tronscan.org/#/transaction/9a2f1c",'
    '"created_at":1700000000,"updated_at":1700000100,"confirmed_at":1700000100}'
)
NATIVE_SAMPLE = (
    '{"event_id":"evt_2","event_type":"payment_channel.deposit.confirmed","version":1,"occurred_at":1700000100,"data":{'
    '"id":"pcd_9","payment_channel_id":"pc_1","project_id":"prj_1","payment_channel_external_id":"customer-42",'
    '"status":"confirmed","is_final":true,"is_test":false,"currency":"TRX","network":"TRC20","chain_id":728126428,'
    '"gross":"100.00","fee":"1.00","net":"99.00","applied_fee_percent":1,"customer_fee_percent":0,"tx_hash":"9a2f1c",'
    '"transfer_id":"trf_1","destination_address":"TChannelAddress","block_height":60000000,"created_at":1700000000,'
    '"updated_at":1700000100,"confirmed_at":1700000100}}'
)
CREATED = Withdrawal(
    id="wdr_1",
    external_id="payout_1",
    amount=Decimal("5.00"),
    currency="USDT",
    network="TRC20",
    destination_address="TAddress",
    explorer="https://tronscan.org/#/transaction/",
    status=WithdrawalStatus.CREATED,
    is_test=True,
    created_at=START,
    updated_at=START,
)
CREATED_SAMPLE = (
    '{"withdrawal_id":"wdr_1","external_order_id":"payout_1","status":"created","is_final":false,"is_test":true,'
    '"amount":"5.00","currency":"USDT","network":"TRC20","destination_address":"TAddress","created_at":1700000000}'
)
DEPOSIT = replace(
    confirmed(deposit_in(DepositStatus.CONFIRMING), CONFIRMED_AT).resource,
    applied_fee_percent=Decimal("1.00"),
    fee=Decimal("1.000000"),
    destination_address="TChannelAddress",
    block_height=60_000_000,
    created_at=START,
)


def test_the_channel_of_the_fixture_to_the_byte() -> None:
    """A channel is the fixture's, with a rail that has no address yet and quotes no minimum."""
    assert to_bytes(PAYMOS.resource(CHANNEL)) == CHANNEL_SAMPLE.encode()
    assert PAYMOS.item(CHANNEL) == PAYMOS.resource(CHANNEL)


def test_a_blocked_channel_accepts_nothing() -> None:
    """``blocked`` and ``is_accepting_payments`` false come together."""
    made = blocked(CHANNEL, CONFIRMED_AT)
    assert made is not None
    body = PAYMOS.resource(made.resource)
    assert (body["status"], body["is_accepting_payments"]) == ("blocked", False)


def test_the_deposit_of_the_fixture_to_the_byte() -> None:
    """A deposit is the fixture's, whichever way it is read."""
    assert to_bytes(PAYMOS.resource(DEPOSIT)) == DEPOSIT_SAMPLE.encode()
    assert PAYMOS.item(DEPOSIT) == PAYMOS.resource(DEPOSIT)


def test_the_webhook_of_a_native_coin_to_the_byte() -> None:
    """Without contract, payer and explorer those members are absent, as in the fixture of a TRX deposit."""
    native = replace(
        DEPOSIT,
        is_test=False,
        currency="TRX",
        contract_address=None,
        source_address=None,
        first_included_at=None,
        explorer=None,
    )
    event = Event("evt_2", "payment_channel.deposit.confirmed", CONFIRMED_AT, native)
    assert PAYMOS.encode(event) == NATIVE_SAMPLE.encode()


def test_a_created_withdrawal_to_the_byte() -> None:
    """What is not known yet is absent: fee, hash, link, and every instant but the first."""
    assert to_bytes(PAYMOS.resource(CREATED)) == CREATED_SAMPLE.encode()
    assert to_bytes(PAYMOS.item(CREATED)) == CREATED_SAMPLE.encode()


def test_a_withdrawal_with_everything_has_the_order_of_the_types() -> None:
    """Each member stands where the provider's types have it; an item of a list lacks the hash and the link."""
    full = replace(
        CREATED,
        fee=Decimal("0.5"),
        tx_hash="9a2f1c",
        completed_at=CONFIRMED_AT,
        failed_at=CONFIRMED_AT,
        cancelled_at=CONFIRMED_AT,
    )
    body = PAYMOS.resource(full)
    assert list(body) == [
        *("withdrawal_id", "external_order_id", "status", "is_final", "is_test", "amount", "fee", "currency"),
        *("network", "destination_address", "tx_hash", "explorer_url", "created_at"),
        *("completed_at", "failed_at", "cancelled_at"),
    ]
    assert (body["fee"], body["explorer_url"]) == ("0.50", "https://tronscan.org/#/transaction/9a2f1c")
    assert body["completed_at"] == CONFIRMED_AT // SECOND
    assert set(body) - set(PAYMOS.item(full)) == {"tx_hash", "explorer_url"}


@pytest.mark.parametrize(
    ("resource", "event_type"), [(CREATED, "withdrawal.created"), (DEPOSIT, "payment_channel.deposit.confirmed")]
)
def test_the_official_verifier_takes_the_webhook(resource: Resource, event_type: str) -> None:
    """The provider's own SDK verifies and parses the body; nothing in it is null."""
    body = PAYMOS.encode(Event("evt_1", event_type, START, resource))
    headers = dict(PAYMOS.sign(body, ["whsec_test_secret"], 1_700_000_000, "evt_1"))
    event = WebhookVerifier("whsec_test_secret").construct_event(
        headers["X-Webhook-Signature"], body, now=1_700_000_000
    )
    assert event["data"] == json.loads(body)["data"] == PAYMOS.resource(resource)
    assert b"null" not in body
    assert event_type in EVENT_TYPES


def test_a_new_channel_has_every_network_with_its_tokens() -> None:
    """Rails follow the catalogue: each network once, each token with a minimum, each address the channel's own."""
    rails = {rail.network: rail for rail in PAYMOS.rails("pc_1")}
    assert list(rails) == list(PAYMOS.catalogue.networks)
    assert [token.symbol for token in rails["TRC20"].tokens] == ["USDT", "TRX"]
    assert all(token.minimum_deposit == 1 for rail in rails.values() for token in rail.tokens)
    assert PAYMOS.rails("pc_1") == PAYMOS.rails("pc_1") != PAYMOS.rails("pc_2")


def test_what_is_no_token_is_named() -> None:
    """The chain of a token that nobody takes is refused with the tokens there are."""
    with pytest.raises(RequestRefused, match="DAI is not a token that is taken; tokens are USDT, USDC, TRX") as refused:
        PAYMOS.catalogue.rail("DAI", "ERC20")
    assert refused.value.field == "currency"


def test_percentages_are_numbers_and_money_is_text() -> None:
    """A whole percentage has no decimals, a broken one its own; money is never a number."""
    deposit = replace(DEPOSIT, applied_fee_percent=Decimal("0.75"))
    body = json.loads(to_bytes(PAYMOS.resource(deposit)))
    assert body["applied_fee_percent"] == 0.75
    assert {type(body[name]) for name in ("gross", "fee", "net")} == {str}
    assert SIGHTING.gross == deposit.gross
