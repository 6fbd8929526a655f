"""What may be asked of an invoice, as values. What becomes of it is decided in ``invoice_transitions``."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from sender.domain.payment import Quote
from sender.durations import MINUTE, Duration

INVOICE_LIFETIME: Duration = 30 * MINUTE
"""From creation to expiry (contract §4.1; sources disagree, design §4 decides)."""
PAYMENT_LIFETIME: Duration = 30 * MINUTE
"""From the choice of a network to expiry (the provider's value is unknown, design §4 decides)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateInvoice:
    """Open an invoice. With a ``quote`` it is locked to that network and awaits payment at once (contract §4.1)."""

    id: str
    project_id: str
    external_id: str
    amount: Decimal
    currency: str
    is_test: bool = True
    client_id: str | None = None
    network: str | None = None
    allow_multiple_payments: bool = True
    customer_fee_percent: int | None = None
    quote: Quote | None = None
    lifetime: Duration = INVOICE_LIFETIME


@dataclass(frozen=True, slots=True)
class ChooseNetwork:
    """Lock token, network and rate: the buyer's choice, or ``confirm-payment``. Restarts the lifetime."""

    quote: Quote
    lifetime: Duration = PAYMENT_LIFETIME


@dataclass(frozen=True, slots=True)
class SeeTransfer:
    """A transfer to the invoice's address is on chain; ``amount`` is in token units."""

    tx_hash: str
    amount: Decimal
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class ConfirmTransfers:
    """Transfers have their confirmations: the named ones, or all that are confirming."""

    tx_hashes: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ReorgTransfers:
    """The chain was reorganised and transfers are no longer on it: the named ones, or all."""

    tx_hashes: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class CancelInvoice:
    """The merchant gives the invoice up."""

    reason: str


@dataclass(frozen=True, slots=True)
class ExpireInvoice:
    """The deadline has passed. ``early`` brings the deadline forward to now, which only a simulator can ask for."""

    early: bool = False


@dataclass(frozen=True, slots=True)
class PayLate:
    """Money arrived after the invoice had ended without full payment."""


InvoiceCommand = (
    CreateInvoice
    | ChooseNetwork
    | SeeTransfer
    | ConfirmTransfers
    | ReorgTransfers
    | CancelInvoice
    | ExpireInvoice
    | PayLate
)
