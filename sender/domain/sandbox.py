"""What the sandbox does for a stage of ``simulate-payment``: the commands a real payment would have caused.

A stage names how much of the expected amount shall be there afterwards (contract §4.1), so that ``paid`` after
``underpay`` tops up the rest. Transfers made here count, and no body shows them.
"""

from __future__ import annotations

import hashlib
from decimal import Decimal
from enum import StrEnum

from sender.domain.invoice import Invoice, InvoiceStatus
from sender.domain.invoice_commands import (
    CancelInvoice,
    ChooseNetwork,
    ConfirmTransfers,
    ExpireInvoice,
    InvoiceCommand,
    PayLate,
    SeeTransfer,
)
from sender.domain.money import ZERO, minus, require_amount, rounded_down, scale_of, share
from sender.domain.payment import Payment
from sender.errors import Conflict


class Stage(StrEnum):
    """The stages of ``simulate-payment``."""

    PAID = "paid"
    OVERPAID = "overpaid"
    UNDERPAY = "underpay"
    CANCEL = "cancel"
    PAID_LATE = "paid_late"


SHARES = {Stage.PAID: Decimal(1), Stage.OVERPAID: Decimal("1.5"), Stage.UNDERPAY: Decimal("0.5")}
"""How much of the expected amount each paying stage leaves on chain (the dashboard's buttons, contract §4.1)."""


def stage_commands(invoice: Invoice, stage: Stage, choice: ChooseNetwork) -> list[InvoiceCommand]:
    """Return what drives ``invoice`` to ``stage``, in order; ``choice`` is used while no network is chosen.

    ``underpay`` ends at ``underpaid_waiting``; ``underpaid`` follows when the deadline passes. Raises ``Conflict`` when
    the invoice is final or holds as much already; what else cannot be is refused by the transitions.
    """
    if stage is Stage.CANCEL:
        return [CancelInvoice("cancelled in the sandbox")]
    if stage is Stage.PAID_LATE:
        return [PayLate()] if invoice.is_final else [ExpireInvoice(early=True), PayLate()]
    return _pay_up_to(invoice, SHARES[stage], choice)


def pay_commands(
    invoice: Invoice, amount: Decimal, choice: ChooseNetwork, *, confirm: bool = True, simulated: bool = True
) -> list[InvoiceCommand]:
    """Return what pays ``amount`` token units; without ``confirm`` the transfer is left confirming.

    One that is not ``simulated`` is listed by bodies, as a real one is.

    Raises ``RequestRefused`` for an amount that cannot be paid, before a network is chosen for it.
    """
    payment = _payment_after(invoice, choice)
    require_amount(amount, payment.quote.currency)
    seen = SeeTransfer(transaction_hash(invoice.id, payment.seen), amount, simulated=simulated)
    return [*_choosing(invoice, choice), seen, *([ConfirmTransfers()] if confirm else [])]


def transaction_hash(invoice_id: str, number: int) -> str:
    """Return the hash of an invoice's ``number``-th simulated transfer: 64 hexadecimal characters, always the same."""
    return hashlib.sha256(f"tx/{invoice_id}/{number}".encode()).hexdigest()


def _pay_up_to(invoice: Invoice, factor: Decimal, choice: ChooseNetwork) -> list[InvoiceCommand]:
    payment = _payment_after(invoice, choice)
    missing = minus(_target(payment, factor), payment.on_chain)
    if missing > ZERO:
        return pay_commands(invoice, missing, choice)
    if payment.is_confirming:
        return [ConfirmTransfers()]
    message = f"invoice {invoice.id} is {invoice.status}: as much as this stage pays has arrived already"
    raise Conflict(message, code="stage_already_reached")


def _target(payment: Payment, factor: Decimal) -> Decimal:
    scale = scale_of(payment.quote.currency)
    if factor < 1:
        return rounded_down(share(payment.expected, factor, scale + 1), scale)
    return share(payment.expected, factor, scale)


def _payment_after(invoice: Invoice, choice: ChooseNetwork) -> Payment:
    if invoice.is_final:
        message = f"invoice {invoice.id} is {invoice.status}: a final status is never left"
        raise Conflict(message, code="invoice_is_final")
    return invoice.payment or Payment(choice.quote)


def _choosing(invoice: Invoice, choice: ChooseNetwork) -> list[InvoiceCommand]:
    return [choice] if invoice.status is InvoiceStatus.AWAITING_CLIENT else []
