"""The life of a withdrawal: what each command makes of it, and which webhook tells (contract §2.3, §4.2).

    command                from                               to              webhook
    CreateWithdrawal       nothing                            created         withdrawal.created
    ReviewWithdrawal       created                            pending_review  none
    SignWithdrawal         created, pending_review            signed          withdrawal.processing
    CompleteWithdrawal     created, pending_review, signed    completed       withdrawal.completed
    FailWithdrawal         created, pending_review, signed    failed          withdrawal.failed
    StartCancel            created, pending_review            cancelling      none
    FinishCancel           cancelling                         cancelled       withdrawal.cancelled

No source draws the arrows. The sandbox completes what is ``created`` and names one webhook for it, so completion may
skip the broadcast, and then sends no ``withdrawal.processing``. Nothing here goes on by itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from sender.domain.invoice_rules import check_external_id, check_reason
from sender.domain.money import require_amount
from sender.domain.resource import Transition
from sender.domain.text import check_text
from sender.domain.withdrawal import Withdrawal, WithdrawalStatus
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
from sender.errors import Conflict, NotFound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sender.durations import Instant

ADDRESS_MAX = 128

_S = WithdrawalStatus
_WAITING = frozenset({_S.CREATED, _S.PENDING_REVIEW})
_MOVING = _WAITING | {_S.SIGNED}


class _Move(NamedTuple):
    """One row of the table above; ``code`` names the refusal of a status that it does not start from."""

    sources: frozenset[WithdrawalStatus]
    target: WithdrawalStatus
    event_type: str | None
    note: str
    code: str = "conflict"


_MOVES: Mapping[type[Any], _Move] = {
    ReviewWithdrawal: _Move(frozenset({_S.CREATED}), _S.PENDING_REVIEW, None, "held for review"),
    SignWithdrawal: _Move(_WAITING, _S.SIGNED, "withdrawal.processing", "signed and broadcast"),
    CompleteWithdrawal: _Move(_MOVING, _S.COMPLETED, "withdrawal.completed", "completed"),
    FailWithdrawal: _Move(_MOVING, _S.FAILED, "withdrawal.failed", "failed; the money is back in the balance"),
    StartCancel: _Move(_WAITING, _S.CANCELLING, None, "called back", "withdrawal_cannot_be_cancelled"),
    FinishCancel: _Move(
        frozenset({_S.CANCELLING}),
        _S.CANCELLED,
        "withdrawal.cancelled",
        "cancelled before broadcast; the money is back in the balance",
        "withdrawal_cannot_be_cancelled",
    ),
}


def transition(withdrawal: Withdrawal | None, command: WithdrawalCommand, now: Instant) -> Transition[Withdrawal]:
    """Return what ``command`` makes of ``withdrawal`` at ``now``.

    Raises ``Conflict`` where the status does not allow it, ``RequestRefused`` for values that cannot be taken, and
    ``NotFound`` for any command but ``CreateWithdrawal`` on ``None``.
    """
    if isinstance(command, CreateWithdrawal):
        return _create(withdrawal, command, now)
    if withdrawal is None:
        message = "there is no such withdrawal"
        raise NotFound(message, code="withdrawal_not_found")
    if isinstance(command, StartCancel):
        check_reason(command.reason)
    move = _MOVES[type(command)]
    _require(withdrawal, move)
    moved = replace(withdrawal, status=move.target, updated_at=now, **_changes(withdrawal, command, now))
    return Transition(moved, move.event_type, move.note)


def _create(withdrawal: Withdrawal | None, command: CreateWithdrawal, now: Instant) -> Transition[Withdrawal]:
    if withdrawal is not None:
        raise _conflict(withdrawal, "a withdrawal is created once", "withdrawal_exists")
    require_amount(command.amount, command.currency)
    check_external_id(command.external_id)
    check_text(command.destination_address, "destination_address", ADDRESS_MAX)
    created = Withdrawal(
        id=command.id,
        external_id=command.external_id,
        amount=command.amount,
        currency=command.currency,
        network=command.network,
        destination_address=command.destination_address,
        explorer=command.explorer,
        status=WithdrawalStatus.CREATED,
        is_test=command.is_test,
        created_at=now,
        updated_at=now,
        fee=command.fee,
    )
    return Transition(created, "withdrawal.created", "created; the money has left the balance")


def _changes(withdrawal: Withdrawal, command: WithdrawalCommand, now: Instant) -> dict[str, Any]:
    match command:
        case SignWithdrawal(tx_hash):
            return {"tx_hash": tx_hash}
        case CompleteWithdrawal(tx_hash):
            return {"tx_hash": withdrawal.tx_hash or tx_hash, "completed_at": now}
        case FailWithdrawal():
            return {"failed_at": now}
        case StartCancel(reason):
            return {"cancel_reason": reason}
        case FinishCancel():
            return {"cancelled_at": now}
        case _:
            return {}


def _require(withdrawal: Withdrawal, move: _Move) -> None:
    if withdrawal.status in move.sources:
        return
    if withdrawal.is_final and move.code == "conflict":
        raise _conflict(withdrawal, "a final status is never left", "withdrawal_is_final")
    allowed = " or ".join(status for status in WithdrawalStatus if status in move.sources)
    raise _conflict(withdrawal, f"it can become {move.target} only from {allowed}", move.code)


def _conflict(withdrawal: Withdrawal, why: str, code: str) -> Conflict:
    return Conflict(f"withdrawal {withdrawal.id} is {withdrawal.status}: {why}", code=code)
