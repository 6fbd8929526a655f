"""The life of an invoice: what each command makes of it, and which webhook tells (contract §4.1).

Once money is in sight the status follows from the transfers on chain, and from nothing else:

    none                            awaiting_payment
    one of them confirming          confirming
    all confirmed, sum < expected   underpaid_waiting
    all confirmed, sum = expected   paid
    all confirmed, sum > expected   paid_over

So an outcome is decided when no transfer is confirming any more, and a change of status is what a webhook tells. Silent
are: creation, the choice of a network, whatever leaves the status as it was, and a late payment. What cannot be is
refused as ``Conflict`` with a code of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sender.domain.invoice import EXPIRING, Invoice, InvoiceStatus
from sender.domain.invoice_commands import (
    CancelInvoice,
    ChooseNetwork,
    ConfirmTransfers,
    CreateInvoice,
    ExpireInvoice,
    InvoiceCommand,
    PayLate,
    ReorgTransfers,
    SeeTransfer,
)
from sender.domain.invoice_rules import check_order, check_reason
from sender.domain.money import require_amount
from sender.domain.payment import Payment, Transfer, TransferStatus
from sender.domain.text import check_text
from sender.errors import Conflict, NotFound, RequestRefused

if TYPE_CHECKING:
    from sender.durations import Instant

UNPAID_ENDS = frozenset({InvoiceStatus.EXPIRED, InvoiceStatus.UNDERPAID, InvoiceStatus.CANCELLED})
HASH_MAX = 128


@dataclass(frozen=True, slots=True)
class Transition:
    """What a command made of an invoice; without an ``event_type`` it is silent. ``note`` says what happened."""

    resource: Invoice
    event_type: str | None
    note: str


def transition(  # noqa: C901, PLR0911, PLR0912 - one line per command
    invoice: Invoice | None, command: InvoiceCommand, now: Instant
) -> Transition:
    """Return what ``command`` makes of ``invoice`` at ``now``.

    Raises ``Conflict`` where the status does not allow it, ``RequestRefused`` for values that cannot be taken, and
    ``NotFound`` for any command but ``CreateInvoice`` on ``None``.
    """
    if isinstance(command, CreateInvoice):
        return _create(invoice, command, now)
    if invoice is None:
        message = "there is no such invoice"
        raise NotFound(message, code="invoice_not_found")
    match command:
        case ChooseNetwork():
            return _choose_network(invoice, command, now)
        case SeeTransfer():
            return _see_transfer(invoice, command, now)
        case ConfirmTransfers():
            return _confirm_transfers(invoice, command, now)
        case ReorgTransfers():
            return _reorg_transfers(invoice, command, now)
        case CancelInvoice():
            return _cancel(invoice, command, now)
        case ExpireInvoice():
            return _expire(invoice, command, now)
        case PayLate():
            return _pay_late(invoice, now)


def _create(invoice: Invoice | None, command: CreateInvoice, now: Instant) -> Transition:
    if invoice is not None:
        raise _conflict(invoice, "an invoice is created once", "invoice_exists")
    check_order(command)
    created = Invoice(
        id=command.id,
        project_id=command.project_id,
        external_id=command.external_id,
        amount=command.amount,
        currency=command.currency,
        status=InvoiceStatus.AWAITING_PAYMENT if command.quote else InvoiceStatus.AWAITING_CLIENT,
        is_test=command.is_test,
        created_at=now,
        updated_at=now,
        expires_at=now + command.lifetime,
        client_id=command.client_id,
        network=command.network,
        allow_multiple_payments=command.allow_multiple_payments,
        customer_fee_percent=command.customer_fee_percent,
        payment=Payment(command.quote) if command.quote else None,
    )
    return Transition(created, None, "created; the provider sends nothing for that")


def _choose_network(invoice: Invoice, command: ChooseNetwork, now: Instant) -> Transition:
    if invoice.status is not InvoiceStatus.AWAITING_CLIENT:
        raise _conflict(invoice, "a network is chosen while the invoice is awaiting_client", "conflict")
    if invoice.network not in {None, command.quote.network}:
        message = f"the invoice was locked to {invoice.network} when it was created"
        raise RequestRefused(message, code="validation_failed", field="network")
    chosen = replace(
        invoice,
        status=InvoiceStatus.AWAITING_PAYMENT,
        payment=Payment(command.quote),
        expires_at=now + command.lifetime,
        updated_at=now,
    )
    return Transition(chosen, None, "network chosen, deadline moved; the provider sends nothing for that")


def _see_transfer(invoice: Invoice, command: SeeTransfer, now: Instant) -> Transition:
    payment = _open_payment(invoice)
    if payment.transfers and not invoice.allow_multiple_payments:
        raise _conflict(invoice, "it takes one payment only", "multiple_payments_not_allowed")
    if command.tx_hash in _hashes(payment):
        raise _conflict(invoice, "this transfer was seen before", "transfer_already_seen")
    check_text(command.tx_hash, "tx_hash", HASH_MAX)
    seen = Transfer(
        tx_hash=command.tx_hash,
        amount=require_amount(command.amount, payment.quote.currency),
        created_at=now,
        estimated_confirmation_at=now + payment.quote.confirmation_time,
        simulated=command.simulated,
    )
    grown = replace(payment, transfers=(*payment.transfers, seen), seen=payment.seen + 1)
    return _weighed(invoice, grown, now, "transfer seen")


def _confirm_transfers(invoice: Invoice, command: ConfirmTransfers, now: Instant) -> Transition:
    payment = _open_payment(invoice)
    waiting = {item.tx_hash for item in payment.transfers if item.status is TransferStatus.CONFIRMING}
    chosen = _chosen(invoice, command.tx_hashes, waiting, "waits for confirmations")
    confirmed = tuple(_confirmed(item, now) if item.tx_hash in chosen else item for item in payment.transfers)
    return _weighed(invoice, replace(payment, transfers=confirmed), now, "transfer confirmed")


def _reorg_transfers(invoice: Invoice, command: ReorgTransfers, now: Instant) -> Transition:
    payment = _open_payment(invoice)
    chosen = _chosen(invoice, command.tx_hashes, _hashes(payment), "is on chain")
    left = tuple(item for item in payment.transfers if item.tx_hash not in chosen)
    return _weighed(invoice, replace(payment, transfers=left), now, "reorg removed a transfer")


def _cancel(invoice: Invoice, command: CancelInvoice, now: Instant) -> Transition:
    check_reason(command.reason)
    if invoice.status is not InvoiceStatus.AWAITING_CLIENT:
        raise _conflict(invoice, "only awaiting_client can be cancelled", "invoice_cannot_be_cancelled")
    reasoned = replace(invoice, cancel_reason=command.reason)
    return _ended(reasoned, InvoiceStatus.CANCELLED, now, "cancelled")


def _expire(invoice: Invoice, command: ExpireInvoice, now: Instant) -> Transition:
    _require_open(invoice)
    if invoice.status not in EXPIRING:
        raise _conflict(invoice, "it stays open past its deadline", "invoice_cannot_expire")
    if now < invoice.expires_at and not command.early:
        raise _conflict(invoice, "its deadline has not passed", "invoice_not_due")
    due = replace(invoice, expires_at=min(invoice.expires_at, now))
    if invoice.status is InvoiceStatus.UNDERPAID_WAITING:
        return _ended(due, InvoiceStatus.UNDERPAID, now, "deadline passed with a partial payment")
    return _ended(due, InvoiceStatus.EXPIRED, now, "deadline passed with no payment")


def _pay_late(invoice: Invoice, now: Instant) -> Transition:
    if invoice.status not in UNPAID_ENDS:
        raise _conflict(invoice, "only an invoice that ended unpaid is paid late", "invoice_not_payable_late")
    if invoice.paid_late_at is not None:
        return Transition(replace(invoice, updated_at=now), None, "paid late again; the first moment stands")
    late = replace(invoice, paid_late_at=now, updated_at=now)
    return Transition(late, None, "paid late; the status stays and the provider sends nothing")


def _weighed(invoice: Invoice, payment: Payment, now: Instant, what: str) -> Transition:
    """Return the invoice with what is on chain now, told if that changes its status."""
    status = _status_by(payment)
    paid = replace(invoice, payment=payment, updated_at=now)
    if status is invoice.status:
        return Transition(paid, None, f"{what}; still {status}")
    if status in {InvoiceStatus.PAID, InvoiceStatus.PAID_OVER}:
        return _ended(paid, status, now, what)
    return Transition(replace(paid, status=status), f"invoice.{status}", what)


def _status_by(payment: Payment) -> InvoiceStatus:
    if not payment.transfers:
        return InvoiceStatus.AWAITING_PAYMENT
    if payment.is_confirming:
        return InvoiceStatus.CONFIRMING
    if payment.paid < payment.expected:
        return InvoiceStatus.UNDERPAID_WAITING
    return InvoiceStatus.PAID if payment.paid == payment.expected else InvoiceStatus.PAID_OVER


def _ended(invoice: Invoice, status: InvoiceStatus, now: Instant, note: str) -> Transition:
    ended = replace(invoice, status=status, completed_at=now, updated_at=now)
    return Transition(ended, f"invoice.{status}", note)


def _open_payment(invoice: Invoice) -> Payment:
    _require_open(invoice)
    if invoice.payment is None:
        raise _conflict(invoice, "no network is chosen yet, so there is no address to pay to", "network_not_chosen")
    return invoice.payment


def _require_open(invoice: Invoice) -> None:
    if invoice.is_final:
        raise _conflict(invoice, "a final status is never left", "invoice_is_final")


def _chosen(invoice: Invoice, named: tuple[str, ...] | None, there: set[str], what: str) -> set[str]:
    chosen = there if named is None else set(named)
    if not chosen or not chosen <= there:
        raise _conflict(invoice, f"no such transfer {what}", "transfer_not_found")
    return chosen


def _confirmed(transfer: Transfer, now: Instant) -> Transfer:
    return replace(transfer, status=TransferStatus.CONFIRMED, confirmed_at=now)


def _hashes(payment: Payment) -> set[str]:
    return {transfer.tx_hash for transfer in payment.transfers}


def _conflict(invoice: Invoice, why: str, code: str) -> Conflict:
    return Conflict(f"invoice {invoice.id} is {invoice.status}: {why}", code=code)
