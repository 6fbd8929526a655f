"""Whatever happens to resources, in whatever order, a balance is what they are worth together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from sender.domain.balance import movement, worth_of
from sender.domain.deposit import DepositStatus, confirmed, reorged, sighted
from sender.domain.money import ZERO, plus
from sender.domain.withdrawal_commands import (
    CompleteWithdrawal,
    CreateWithdrawal,
    FailWithdrawal,
    FinishCancel,
    ReviewWithdrawal,
    SignWithdrawal,
    StartCancel,
)
from sender.domain.withdrawal_transitions import transition
from sender.errors import Conflict
from tests.channels import CHANNEL, SEEN_AT, SIGHTING, deposit_in
from tests.invoices import JOURNEYS, invoice_in

if TYPE_CHECKING:
    from decimal import Decimal

    from sender.domain.resource import Resource

AMOUNTS = st.decimals(min_value="0.000001", max_value="1e20", places=6, allow_nan=False)
COMMANDS = st.lists(
    st.sampled_from(
        [
            ReviewWithdrawal(),
            SignWithdrawal("aa"),
            CompleteWithdrawal("bb"),
            FailWithdrawal(),
            StartCancel("no"),
            FinishCancel(),
        ]
    ),
    max_size=6,
)
MOVES = st.lists(st.sampled_from([confirmed, reorged]), max_size=4)


def entered(states: list[Resource]) -> Decimal:
    """Return the sum of what each transition along ``states`` moves."""
    before: list[Resource | None] = [None, *states]
    moved = (movement(one, other) for one, other in zip(before, states, strict=False))
    return plus(*(one.amount for one in moved if one is not None))


@given(amount=AMOUNTS, fee=st.none() | AMOUNTS, commands=COMMANDS)
def test_a_withdrawal_takes_its_cost_and_gives_back_all_or_nothing(
    amount: Decimal, fee: Decimal | None, commands: list
) -> None:
    """On any way the balance is down by the cost, or, once it failed or was cancelled, by nothing."""
    create = CreateWithdrawal(
        id="wdr_1", external_id="p", amount=amount, currency="USDT", network="TRC20",
        destination_address="T", explorer="", fee=fee,
    )  # fmt: skip
    states: list = [transition(None, create, 0).resource]
    for command in commands:
        try:
            states.append(transition(states[-1], command, 1).resource)
        except Conflict:
            continue
        returned = states[-1].status in {"failed", "cancelled"}
        assert entered(states) == (ZERO if returned else -plus(amount, fee or ZERO))


@given(gross=AMOUNTS.filter(lambda amount: amount >= 1), moves=MOVES)
def test_a_deposit_is_worth_its_net_once_it_is_confirmed(gross: Decimal, moves: list) -> None:
    """Neither sight nor reorg move the balance; the confirmation does, by what is left of the gross without the fee."""
    states: list = [sighted(CHANNEL, replace(SIGHTING, gross=gross), SEEN_AT).resource]
    for move in moves:
        try:
            states.append(move(states[-1], SEEN_AT).resource)
        except Conflict:
            continue
    last = states[-1]
    assert entered(states) == (last.net if last.status is DepositStatus.CONFIRMED else ZERO)
    assert plus(last.net, last.fee) == gross


def test_an_invoice_is_worth_something_in_three_ends_only() -> None:
    """Of the nine statuses only paid, paid over and underpaid are worth money, and that is the payment's net."""
    worth = {status: worth_of(invoice_in(status))[1] for status in JOURNEYS}
    assert {status.value: str(amount) for status, amount in worth.items() if amount} == {
        "paid": "49.500000",
        "paid_over": "74.250000",
        "underpaid": "19.800000",
    }


def test_a_channel_is_worth_nothing() -> None:
    """Addresses are not money."""
    assert movement(None, CHANNEL) is None
    assert movement(deposit_in(DepositStatus.CONFIRMING), deposit_in(DepositStatus.REORGED)) is None
