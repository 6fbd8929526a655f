"""Invoices for tests: one order, one quote, and an invoice in each of the nine statuses."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from sender.domain.invoice import Invoice, InvoiceStatus
from sender.domain.invoice_commands import (
    CancelInvoice,
    ChooseNetwork,
    ConfirmTransfers,
    CreateInvoice,
    ExpireInvoice,
    InvoiceCommand,
    SeeTransfer,
)
from sender.domain.invoice_transitions import Transition, transition
from sender.domain.payment import Quote
from sender.durations import MINUTE, SECOND, Instant

START: Instant = 1_700_000_000 * SECOND
DEADLINE: Instant = START + 30 * MINUTE

QUOTE = Quote(
    currency="USDT",
    network="TRC20",
    chain_id=728126428,
    contract_address="TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
    expected=Decimal("50.00"),
    address="TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m9",
    exchange_rate=Decimal("2.00"),
    fee_rate=Decimal("0.01"),
    required_confirmations=19,
    confirmation_time=60 * SECOND,
    explorer="https://tronscan.org/#/transaction/",
)
CREATE = CreateInvoice(
    id="inv_5CcyDYmMUGtzYL10q0Iimr",
    project_id="prj_xFukZuAJZR06pLVBh3uwzv",
    external_id="order-123",
    amount=Decimal("100.00"),
    currency="USD",
    client_id="customer-456",
)
CHOOSE = ChooseNetwork(QUOTE)
CONFIRM = ConfirmTransfers()


def see(amount: str, tx_hash: str = "aa") -> SeeTransfer:
    """Return the sight of a transfer of ``amount`` USDT."""
    return SeeTransfer(tx_hash, Decimal(amount))


def run(invoice: Invoice | None, *commands: InvoiceCommand, now: Instant = START) -> Transition:
    """Return the last of several transitions, all made at ``now``."""
    last: Transition | None = None
    for command in commands:
        last = transition(invoice, command, now)
        invoice = last.resource
    assert last is not None
    return last


JOURNEYS: dict[InvoiceStatus, tuple[InvoiceCommand, ...]] = {
    InvoiceStatus.AWAITING_CLIENT: (CREATE,),
    InvoiceStatus.AWAITING_PAYMENT: (CREATE, CHOOSE),
    InvoiceStatus.CONFIRMING: (CREATE, CHOOSE, see("50")),
    InvoiceStatus.UNDERPAID_WAITING: (CREATE, CHOOSE, see("20"), CONFIRM),
    InvoiceStatus.PAID: (CREATE, CHOOSE, see("50"), CONFIRM),
    InvoiceStatus.PAID_OVER: (CREATE, CHOOSE, see("75"), CONFIRM),
    InvoiceStatus.UNDERPAID: (CREATE, CHOOSE, see("20"), CONFIRM, ExpireInvoice(early=True)),
    InvoiceStatus.EXPIRED: (CREATE, ExpireInvoice(early=True)),
    InvoiceStatus.CANCELLED: (CREATE, CancelInvoice("changed my mind")),
}


def invoice_in(status: InvoiceStatus, *, single_payment: bool = False) -> Invoice:
    """Return an invoice in ``status``, created and driven there at ``START``."""
    first, *others = JOURNEYS[status]
    assert isinstance(first, CreateInvoice)
    return run(None, replace(first, allow_multiple_payments=not single_payment), *others).resource
