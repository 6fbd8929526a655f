"""A step that the provider refuses whatever the time is refused before the run: what is rehearsed is what is played."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from sender.domain.deposit import DepositStatus, confirmed, reorged
from sender.domain.withdrawal import Withdrawal, WithdrawalStatus
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
from sender.scenario.language.rehearsal import MOVES
from tests.channels import deposit_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.domain.resource import Transition


WITHDRAWAL = CreateWithdrawal(
    id="wdr_1", external_id="payout", amount=Decimal(25), currency="USDT", network="TRC20",
    destination_address="T", explorer="https://x/",
)  # fmt: skip
COMMANDS: dict[str, Callable[[Withdrawal], Transition[Withdrawal]]] = {
    "review": lambda one: transition(one, ReviewWithdrawal(), 1),
    "process": lambda one: transition(one, SignWithdrawal("hash"), 1),
    "complete": lambda one: transition(one, CompleteWithdrawal("hash"), 1),
    "fail": lambda one: transition(one, FailWithdrawal(), 1),
    "cancel": lambda one: transition(transition(one, StartCancel("no"), 1).resource, FinishCancel(), 1),
}


@pytest.mark.parametrize("verb", COMMANDS)
@pytest.mark.parametrize("status", [status for status in WithdrawalStatus if status != "cancelling"])
def test_withdrawals_are_rehearsed_as_they_are_played(status: WithdrawalStatus, verb: str) -> None:
    """What is refused before a run is what the domain refuses, and what is let through leads to the same status."""
    withdrawal = replace(transition(None, WITHDRAWAL, 0).resource, status=status)
    move = MOVES["withdrawal"][verb]
    if status in move.sources:
        assert COMMANDS[verb](withdrawal).resource.status == move.target
    else:
        with pytest.raises(Conflict):
            COMMANDS[verb](withdrawal)


@pytest.mark.parametrize("verb", MOVES["deposit"])
@pytest.mark.parametrize("status", DepositStatus)
def test_deposits_are_rehearsed_as_they_are_played(status: DepositStatus, verb: str) -> None:
    """The same of deposits."""
    made = deposit_in(status)
    move, command = MOVES["deposit"][verb], {"confirm": confirmed, "reorg": reorged}[verb]
    if status in move.sources:
        assert command(made, 1).resource.status == move.target
    else:
        with pytest.raises(Conflict):
            command(made, 1)
