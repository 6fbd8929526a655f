"""Every way a deposit can go, what it is worth, and what a channel takes (contract §2.4, §3.5, §4.3, §4.4)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from sender.domain.channel import ChannelStatus, RailStatus, blocked, opened, unblocked
from sender.domain.deposit import Deposit, DepositStatus, confirmed, reorged, sighted
from sender.errors import Conflict, RequestRefused
from tests.channels import CHANNEL, OPEN, SEEN_AT, SIGHTING, START, deposit_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.domain.resource import Transition
    from sender.durations import Instant

S = DepositStatus
LATER = SEEN_AT + 1
TABLE: dict[tuple[DepositStatus, object], DepositStatus] = {
    (S.CONFIRMING, confirmed): S.CONFIRMED,
    (S.CONFIRMING, reorged): S.REORGED,
    (S.REORGED, confirmed): S.CONFIRMED,
}


@pytest.mark.parametrize("status", list(S))
@pytest.mark.parametrize("move", [confirmed, reorged])
def test_the_table_is_complete(status: DepositStatus, move: Callable[[Deposit, Instant], Transition[Deposit]]) -> None:
    """From each status each move leads where the table says, with its webhook, or is refused as a conflict."""
    deposit = deposit_in(status)
    if (status, move) not in TABLE:
        with pytest.raises(Conflict, match=f"is {status}"):
            move(deposit, LATER)
        return
    made = move(deposit, LATER)
    assert made.resource.status is TABLE[status, move]
    assert made.event_type == f"payment_channel.deposit.{made.resource.status}"
    assert made.resource.updated_at == LATER
    assert made.resource.is_final == (made.resource.status is S.CONFIRMED)
    assert made.resource.confirmed_at == (LATER if made.resource.is_final else None)


def test_a_sighting_is_told_as_confirming() -> None:
    """The first thing that is told of a deposit is that it is confirming; it knows its channel and its money."""
    made = sighted(CHANNEL, SIGHTING, SEEN_AT)
    assert made.event_type == "payment_channel.deposit.confirming"
    deposit = made.resource
    assert (deposit.channel_id, deposit.project_id, deposit.channel_external_id) == ("pc_1", "prj_1", "customer-42")
    assert (deposit.gross, deposit.fee, deposit.net) == (Decimal(100), Decimal("1.500000"), Decimal("98.500000"))
    assert deposit.destination_address == CHANNEL.rail("TRC20").address


def test_the_fee_has_the_scale_of_the_token() -> None:
    """A fee that would be finer than the token is rounded, and fee and net are the gross again."""
    deposit = sighted(CHANNEL, replace(SIGHTING, gross=Decimal("1.000001")), SEEN_AT).resource
    assert deposit.fee == Decimal("0.015000")
    assert deposit.fee + deposit.net == deposit.gross


@pytest.mark.parametrize("status", [ChannelStatus.BLOCKED, ChannelStatus.PROVISIONING])
def test_only_an_active_channel_takes_money(status: ChannelStatus) -> None:
    """Neither a blocked channel nor one that is not there yet takes a deposit."""
    with pytest.raises(Conflict) as refused:
        sighted(replace(CHANNEL, status=status), SIGHTING, SEEN_AT)
    assert refused.value.reason_code == "payment_channel_not_accepting"


def test_a_rail_without_an_address_takes_no_money() -> None:
    """A channel can be active while one of its rails is not."""
    assert CHANNEL.is_accepting_payments
    assert not CHANNEL.is_fully_provisioned
    assert CHANNEL.rail("ERC20").status is RailStatus.PROVISIONING
    with pytest.raises(Conflict):
        sighted(CHANNEL, replace(SIGHTING, network="ERC20"), SEEN_AT)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"network": "SUI"}, "network"),
        ({"currency": "USDC"}, "currency"),
        ({"gross": Decimal("0.99")}, "amount"),
        ({"gross": Decimal(-5)}, "amount"),
    ],
)
def test_what_the_channel_does_not_take_is_refused(changes: dict, field: str) -> None:
    """Another network, another token and too little are refused by their name."""
    with pytest.raises(RequestRefused) as refused:
        sighted(CHANNEL, replace(SIGHTING, **changes), SEEN_AT)
    assert refused.value.field == field


def test_a_rail_that_quotes_no_minimum_takes_any_amount() -> None:
    """An absent minimum is not one that nothing reaches."""
    rail = replace(CHANNEL.rail("TRC20"), tokens=(replace(CHANNEL.rail("TRC20").tokens[0], minimum_deposit=None),))
    tiny = replace(SIGHTING, gross=Decimal("0.000001"))
    assert sighted(replace(CHANNEL, rails=(rail,)), tiny, SEEN_AT).resource.gross == tiny.gross


def test_blocking_is_silent_and_can_be_repeated() -> None:
    """Nothing is sent for a channel, and what is blocked already is left alone."""
    made = blocked(CHANNEL, SEEN_AT)
    assert made is not None
    assert (made.resource.status, made.event_type, made.resource.updated_at) == ("blocked", None, SEEN_AT)
    assert not made.resource.is_accepting_payments
    assert blocked(made.resource, LATER) is None
    again = unblocked(made.resource, LATER)
    assert again is not None
    assert again.resource.status is ChannelStatus.ACTIVE
    assert unblocked(again.resource, LATER) is None


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"external_id": ""}, "external_id"), ({"customer_fee_percent": 101}, "customer_fee_percent")],
)
def test_a_channel_needs_a_name_and_a_fee_that_can_be(changes: dict, field: str) -> None:
    """The members of a create are checked, and the one at fault is named."""
    with pytest.raises(RequestRefused) as refused:
        opened(replace(OPEN, **changes), START)
    assert refused.value.field == field
