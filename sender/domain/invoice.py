"""An invoice as a value: the order, its payment, its nine statuses and its instants (contract §3.2, §4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import ClassVar

from sender.domain.payment import Payment
from sender.durations import Instant


class InvoiceStatus(StrEnum):
    """The nine statuses of the provider; nothing leaves the last five."""

    AWAITING_CLIENT = "awaiting_client"
    AWAITING_PAYMENT = "awaiting_payment"
    CONFIRMING = "confirming"
    UNDERPAID_WAITING = "underpaid_waiting"
    PAID = "paid"
    PAID_OVER = "paid_over"
    UNDERPAID = "underpaid"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


FINAL = frozenset(
    {
        InvoiceStatus.PAID,
        InvoiceStatus.PAID_OVER,
        InvoiceStatus.UNDERPAID,
        InvoiceStatus.EXPIRED,
        InvoiceStatus.CANCELLED,
    }
)
EXPIRING = frozenset({InvoiceStatus.AWAITING_CLIENT, InvoiceStatus.AWAITING_PAYMENT, InvoiceStatus.UNDERPAID_WAITING})
"""Statuses that a deadline ends. ``confirming`` stays open past it: money is on its way (contract §4.1)."""


@dataclass(frozen=True, slots=True)
class Invoice:
    """One invoice. ``network`` is the rail it was locked to at creation, not the one that the buyer chose.

    ``customer_fee_percent`` and ``cancel_reason`` are kept as they were given and appear in no body: no source shows
    them there, and none says how the former enters the quote.
    """

    kind: ClassVar[str] = "invoice"

    id: str
    project_id: str
    external_id: str
    amount: Decimal
    currency: str
    status: InvoiceStatus
    is_test: bool
    created_at: Instant
    updated_at: Instant
    expires_at: Instant
    client_id: str | None = None
    network: str | None = None
    allow_multiple_payments: bool = True
    customer_fee_percent: int | None = None
    payment: Payment | None = None
    completed_at: Instant | None = None
    paid_late_at: Instant | None = None
    cancel_reason: str | None = None

    @property
    def is_final(self) -> bool:
        """Whether the status can never change again."""
        return self.status in FINAL

    @property
    def deadline_at(self) -> Instant | None:
        """When ``ExpireInvoice`` is due; ``None`` while the invoice cannot expire. May lie in the past."""
        return self.expires_at if self.status in EXPIRING else None
