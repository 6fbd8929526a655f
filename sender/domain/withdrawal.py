"""A withdrawal as a value: money on its way to an address, and its seven statuses (contract §3.3, §4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import ClassVar

from sender.domain.money import ZERO, plus
from sender.durations import Instant


class WithdrawalStatus(StrEnum):
    """The seven statuses of the provider; nothing leaves the last three."""

    CREATED = "created"
    PENDING_REVIEW = "pending_review"
    SIGNED = "signed"
    CANCELLING = "cancelling"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


RETURNED = frozenset({WithdrawalStatus.FAILED, WithdrawalStatus.CANCELLED})
"""Statuses in which the merchant has its money back (contract §4.2)."""
FINAL = RETURNED | {WithdrawalStatus.COMPLETED}


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """One withdrawal, ``amount`` in token units. ``explorer`` is what stands before a transaction hash in a link.

    ``tx_hash`` is there from the broadcast on. ``cancel_reason`` is kept as it was given and appears in no body.
    """

    kind: ClassVar[str] = "withdrawal"

    id: str
    external_id: str
    amount: Decimal
    currency: str
    network: str
    destination_address: str
    explorer: str
    status: WithdrawalStatus
    is_test: bool
    created_at: Instant
    updated_at: Instant
    fee: Decimal | None = None
    tx_hash: str | None = None
    completed_at: Instant | None = None
    failed_at: Instant | None = None
    cancelled_at: Instant | None = None
    cancel_reason: str | None = None

    @property
    def project_id(self) -> str:
        """Nothing: a withdrawal belongs to the merchant, not to a project (contract §1.10)."""
        return ""

    @property
    def is_final(self) -> bool:
        """Whether the status can never change again."""
        return self.status in FINAL

    @property
    def deadline_at(self) -> Instant | None:
        """``None``: time alone never changes a withdrawal."""
        return None

    @property
    def cost(self) -> Decimal:
        """What it takes from the balance: the amount, and the fee on top of it if there is one."""
        return plus(self.amount, self.fee or ZERO)
