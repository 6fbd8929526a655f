"""A deposit: one transfer into a payment channel, and what the chain makes of it (contract §3.5, §4.4).

    function    from                 to           webhook
    sighted     nothing              confirming   payment_channel.deposit.confirming
    confirmed   confirming, reorged  confirmed    payment_channel.deposit.confirmed
    reorged     confirming           reorged      payment_channel.deposit.reorged

Only ``confirmed`` is final, and the only one that is worth money.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import ClassVar

from sender.domain.channel import Channel, Rail
from sender.domain.money import minus, require_amount, scale_of, share
from sender.domain.money import refusal as amount_refusal
from sender.domain.resource import Transition
from sender.domain.text import refusal
from sender.durations import SECOND, Duration, Instant
from sender.errors import Conflict

BLOCK_TIME: Duration = 3 * SECOND
"""How long a block takes; heights are counted from 1970, so that they grow with time and repeat with the clock."""


class DepositStatus(StrEnum):
    """The three statuses; they are also the stages to which the sandbox drives a simulated deposit."""

    CONFIRMING = "confirming"
    REORGED = "reorged"
    CONFIRMED = "confirmed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A transfer to a channel's address as it is seen on chain; ``gross`` is in token units.

    ``contract_address`` is ``None`` for a native coin, ``source_address`` where nobody can tell who paid; ``explorer``
    is what stands before a transaction hash in a link, if there is one.
    """

    id: str
    transfer_id: str
    currency: str
    network: str
    chain_id: int
    contract_address: str | None
    gross: Decimal
    tx_hash: str
    source_address: str | None
    explorer: str | None


@dataclass(frozen=True, slots=True)
class Deposit:
    """One deposit; ``gross`` arrived, ``fee`` is the provider's, ``net`` the merchant's, all in token units."""

    kind: ClassVar[str] = "deposit"

    id: str
    channel_id: str
    project_id: str
    channel_external_id: str
    status: DepositStatus
    is_test: bool
    currency: str
    network: str
    chain_id: int
    contract_address: str | None
    gross: Decimal
    fee: Decimal
    applied_fee_percent: Decimal
    customer_fee_percent: int
    tx_hash: str
    transfer_id: str
    source_address: str | None
    destination_address: str
    block_height: int
    first_included_at: Instant | None
    explorer: str | None
    created_at: Instant
    updated_at: Instant
    confirmed_at: Instant | None = None

    @property
    def external_id(self) -> str:
        """The transfer's id: nobody but the chain makes a deposit, so the merchant has no id of its own for it."""
        return self.transfer_id

    @property
    def net(self) -> Decimal:
        """What the merchant gets."""
        return minus(self.gross, self.fee)

    @property
    def is_final(self) -> bool:
        """Whether the status can never change again."""
        return self.status is DepositStatus.CONFIRMED

    @property
    def deadline_at(self) -> Instant | None:
        """``None``: time alone never changes a deposit."""
        return None


def sighted(channel: Channel, sighting: Sighting, now: Instant) -> Transition[Deposit]:
    """Return a new deposit, which waits for its confirmations.

    Raises ``Conflict`` for a channel that takes no money, and ``RequestRefused`` for a network it is not on, a token
    that is not taken there, and an amount that is none or too small.
    """
    rail = channel.rail(sighting.network)
    if not channel.is_accepting_payments or rail.address is None:
        message = f"payment channel {channel.id} is {channel.status}: it takes no payments"
        raise Conflict(message, code="payment_channel_not_accepting")
    _check_amount(rail, sighting)
    return _told(_seen(channel, rail.address, sighting, now), "transfer seen")


def confirmed(deposit: Deposit, now: Instant) -> Transition[Deposit]:
    """Return the deposit with its confirmations, also after a reorg. Raises ``Conflict`` for a final one."""
    _require_open(deposit)
    return _told(replace(deposit, status=DepositStatus.CONFIRMED, confirmed_at=now, updated_at=now), "confirmed")


def reorged(deposit: Deposit, now: Instant) -> Transition[Deposit]:
    """Return the deposit whose transfer is no longer on chain. Raises ``Conflict`` where it was not, or is final."""
    _require_open(deposit)
    if deposit.status is DepositStatus.REORGED:
        raise _conflict(deposit, "its transfer is off the chain already", "deposit_already_reorged")
    return _told(replace(deposit, status=DepositStatus.REORGED, updated_at=now), "a reorg removed the transfer")


def _seen(channel: Channel, address: str, sighting: Sighting, now: Instant) -> Deposit:
    scale = scale_of(sighting.currency)
    return Deposit(
        id=sighting.id,
        channel_id=channel.id,
        project_id=channel.project_id,
        channel_external_id=channel.external_id,
        status=DepositStatus.CONFIRMING,
        is_test=channel.is_test,
        currency=sighting.currency,
        network=sighting.network,
        chain_id=sighting.chain_id,
        contract_address=sighting.contract_address,
        gross=sighting.gross,
        fee=share(sighting.gross, channel.applied_fee_percent.scaleb(-2), scale),
        applied_fee_percent=channel.applied_fee_percent,
        customer_fee_percent=channel.customer_fee_percent,
        tx_hash=sighting.tx_hash,
        transfer_id=sighting.transfer_id,
        source_address=sighting.source_address,
        destination_address=address,
        block_height=now // BLOCK_TIME,
        first_included_at=now,
        explorer=sighting.explorer,
        created_at=now,
        updated_at=now,
    )


def _check_amount(rail: Rail, sighting: Sighting) -> None:
    token = next((token for token in rail.tokens if token.symbol == sighting.currency), None)
    if token is None:
        taken = ", ".join(token.symbol for token in rail.tokens)
        raise refusal(f"{rail.network} of this channel takes {taken}, not {sighting.currency}", "currency")
    require_amount(sighting.gross, sighting.currency)
    if token.minimum_deposit is not None and sighting.gross < token.minimum_deposit:
        raise amount_refusal(f"the minimum deposit of {token.symbol} is {token.minimum_deposit:f}", "amount")


def _told(deposit: Deposit, note: str) -> Transition[Deposit]:
    return Transition(deposit, f"payment_channel.deposit.{deposit.status}", note)


def _require_open(deposit: Deposit) -> None:
    if deposit.is_final:
        raise _conflict(deposit, "a final status is never left", "deposit_is_final")


def _conflict(deposit: Deposit, why: str, code: str) -> Conflict:
    return Conflict(f"deposit {deposit.id} is {deposit.status}: {why}", code=code)
