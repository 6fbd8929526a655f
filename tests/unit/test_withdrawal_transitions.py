"""Every way a withdrawal can go, and the webhook that tells of it (contract §2.3, §4.2)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import product

import pytest

from sender.domain.withdrawal import FINAL, Withdrawal, WithdrawalStatus
from sender.domain.withdrawal_commands import (
    CompleteWithdrawal,
    CreateWithdrawal,
    FailWithdrawal,
    FinishCancel,
    ReviewWithdrawal,
    SignWithdrawal,
    StartCancel,
    WithdrawalCommand,
)
from sender.domain.withdrawal_transitions import transition
from sender.durations import MINUTE, SECOND
from sender.errors import Conflict, NotFound, RequestRefused

S = WithdrawalStatus
START = 1_700_000_000 * SECOND
LATER = START + MINUTE
CREATE = CreateWithdrawal(
    id="wdr_1",
    external_id="payout_1",
    amount=Decimal("5.00"),
    currency="USDT",
    network="TRC20",
    destination_address="TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m9",
    explorer="https://tronscan.org/#/transaction/",
)
REVIEW = ReviewWithdrawal()
SIGN = SignWithdrawal("aa")
COMPLETE = CompleteWithdrawal("bb")
FAIL = FailWithdrawal()
CANCEL = StartCancel("not needed")
FINISH = FinishCancel()

JOURNEYS: dict[WithdrawalStatus, tuple[WithdrawalCommand, ...]] = {
    S.CREATED: (),
    S.PENDING_REVIEW: (REVIEW,),
    S.SIGNED: (SIGN,),
    S.CANCELLING: (CANCEL,),
    S.COMPLETED: (SIGN, COMPLETE),
    S.FAILED: (FAIL,),
    S.CANCELLED: (CANCEL, FINISH),
}
TABLE: dict[tuple[WithdrawalStatus, WithdrawalCommand], tuple[WithdrawalStatus, str | None]] = {
    (S.CREATED, REVIEW): (S.PENDING_REVIEW, None),
    (S.CREATED, SIGN): (S.SIGNED, "withdrawal.processing"),
    (S.CREATED, COMPLETE): (S.COMPLETED, "withdrawal.completed"),
    (S.CREATED, FAIL): (S.FAILED, "withdrawal.failed"),
    (S.CREATED, CANCEL): (S.CANCELLING, None),
    (S.PENDING_REVIEW, SIGN): (S.SIGNED, "withdrawal.processing"),
    (S.PENDING_REVIEW, COMPLETE): (S.COMPLETED, "withdrawal.completed"),
    (S.PENDING_REVIEW, FAIL): (S.FAILED, "withdrawal.failed"),
    (S.PENDING_REVIEW, CANCEL): (S.CANCELLING, None),
    (S.SIGNED, COMPLETE): (S.COMPLETED, "withdrawal.completed"),
    (S.SIGNED, FAIL): (S.FAILED, "withdrawal.failed"),
    (S.CANCELLING, FINISH): (S.CANCELLED, "withdrawal.cancelled"),
}
COMMANDS = (REVIEW, SIGN, COMPLETE, FAIL, CANCEL, FINISH)


def withdrawal_in(status: WithdrawalStatus) -> Withdrawal:
    """Return a withdrawal in ``status``, created and driven there at ``START``."""
    withdrawal = transition(None, CREATE, START).resource
    for command in JOURNEYS[status]:
        withdrawal = transition(withdrawal, command, START).resource
    assert withdrawal.status is status
    return withdrawal


def test_a_creation_is_told() -> None:
    """Unlike an invoice, a withdrawal is announced as soon as it is there."""
    made = transition(None, CREATE, START)
    assert (made.resource.status, made.event_type) == (S.CREATED, "withdrawal.created")
    assert (made.resource.project_id, made.resource.created_at, made.resource.tx_hash) == ("", START, None)


@pytest.mark.parametrize(("status", "command"), list(product(S, COMMANDS)))
def test_the_table_is_complete(status: WithdrawalStatus, command: WithdrawalCommand) -> None:
    """From each status each command leads where the table says, with its webhook, or is refused as a conflict."""
    withdrawal = withdrawal_in(status)
    if (status, command) not in TABLE:
        with pytest.raises(Conflict, match=f"wdr_1 is {status}"):
            transition(withdrawal, command, LATER)
        return
    made = transition(withdrawal, command, LATER)
    assert (made.resource.status, made.event_type) == TABLE[status, command]
    assert (made.resource.created_at, made.resource.updated_at) == (START, LATER)
    assert made.note


@pytest.mark.parametrize("status", sorted(FINAL))
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (REVIEW, "withdrawal_is_final"),
        (SIGN, "withdrawal_is_final"),
        (COMPLETE, "withdrawal_is_final"),
        (FAIL, "withdrawal_is_final"),
        (CANCEL, "withdrawal_cannot_be_cancelled"),
    ],
)
def test_a_refusal_has_its_code(status: WithdrawalStatus, command: WithdrawalCommand, code: str) -> None:
    """What is final says so, and a cancel that comes too late says what it is."""
    with pytest.raises(Conflict) as refused:
        transition(withdrawal_in(status), command, LATER)
    assert refused.value.reason_code == code


def test_a_signed_withdrawal_cannot_be_called_back() -> None:
    """Cancelling is possible before the broadcast only, and the refusal says from where."""
    with pytest.raises(Conflict, match="only from created or pending_review") as refused:
        transition(withdrawal_in(S.SIGNED), CANCEL, LATER)
    assert refused.value.reason_code == "withdrawal_cannot_be_cancelled"


def test_each_end_has_its_instant_and_its_hash() -> None:
    """The hash is that of the broadcast; one that was never broadcast gets one when it is completed."""
    signed = withdrawal_in(S.SIGNED)
    completed = transition(signed, COMPLETE, LATER).resource
    assert (signed.tx_hash, completed.tx_hash, completed.completed_at) == ("aa", "aa", LATER)
    assert transition(withdrawal_in(S.CREATED), COMPLETE, LATER).resource.tx_hash == "bb"
    failed = transition(signed, FAIL, LATER).resource
    assert (failed.tx_hash, failed.failed_at, failed.completed_at) == ("aa", LATER, None)
    cancelled = transition(withdrawal_in(S.CANCELLING), FINISH, LATER).resource
    assert (cancelled.cancelled_at, cancelled.cancel_reason, cancelled.tx_hash) == (LATER, "not needed", None)


@pytest.mark.parametrize(
    ("command", "field", "code"),
    [
        (replace(CREATE, amount=Decimal(0)), "amount", "field_invalid_amount"),
        (replace(CREATE, amount=Decimal("0.0000001")), "amount", "field_invalid_amount"),
        (replace(CREATE, external_id=""), "external_order_id", "field_required"),
        (replace(CREATE, external_id="x" * 129), "external_order_id", "validation_failed"),
        (replace(CREATE, destination_address=" "), "destination_address", "field_required"),
        (replace(CREATE, destination_address="x" * 129), "destination_address", "validation_failed"),
        (replace(CREATE, currency="usdt"), "currency", "validation_failed"),
    ],
)
def test_what_cannot_be_taken_is_refused(command: CreateWithdrawal, field: str, code: str) -> None:
    """A create names the member at fault and why."""
    with pytest.raises(RequestRefused) as refused:
        transition(None, command, START)
    assert (refused.value.field, refused.value.reason_code) == (field, code)


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501, "\0"])
def test_a_cancel_needs_a_reason(reason: str) -> None:
    """The reason has 1 to 500 characters and is text."""
    with pytest.raises(RequestRefused) as refused:
        transition(withdrawal_in(S.CREATED), StartCancel(reason), LATER)
    assert refused.value.field == "reason"


def test_nothing_is_made_of_nothing_or_twice() -> None:
    """A command needs a withdrawal, and a create needs that there is none."""
    with pytest.raises(NotFound):
        transition(None, SIGN, START)
    with pytest.raises(Conflict):
        transition(withdrawal_in(S.CREATED), CREATE, LATER)
