"""Every way an invoice can go, and the webhook that tells of it (contract §4.1)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from sender.domain.invoice import FINAL, InvoiceStatus
from sender.domain.invoice_commands import (
    CancelInvoice,
    ConfirmTransfers,
    CreateInvoice,
    ExpireInvoice,
    InvoiceCommand,
    PayLate,
    ReorgTransfers,
)
from sender.domain.invoice_transitions import transition
from sender.durations import MINUTE, SECOND
from sender.errors import Conflict
from tests.invoices import CHOOSE, CONFIRM, CREATE, DEADLINE, QUOTE, START, invoice_in, run, see

S = InvoiceStatus
LATER = START + 20 * MINUTE
CANCEL = CancelInvoice("out of stock")
EXPIRE = ExpireInvoice()
REORG = ReorgTransfers()

ROWS: list[tuple[InvoiceStatus, tuple[InvoiceCommand, ...], int, InvoiceStatus, str | None]] = [
    # from, commands, at, to, the webhook of the last command
    (S.AWAITING_CLIENT, (CHOOSE,), LATER, S.AWAITING_PAYMENT, None),
    (S.AWAITING_CLIENT, (CANCEL,), LATER, S.CANCELLED, "invoice.cancelled"),
    (S.AWAITING_CLIENT, (CANCEL,), DEADLINE + 1, S.CANCELLED, "invoice.cancelled"),
    (S.AWAITING_CLIENT, (EXPIRE,), DEADLINE, S.EXPIRED, "invoice.expired"),
    (S.AWAITING_PAYMENT, (EXPIRE,), DEADLINE, S.EXPIRED, "invoice.expired"),
    (S.AWAITING_PAYMENT, (see("50"),), LATER, S.CONFIRMING, "invoice.confirming"),
    (S.AWAITING_PAYMENT, (see("0.000001"),), LATER, S.CONFIRMING, "invoice.confirming"),
    (S.CONFIRMING, (CONFIRM,), LATER, S.PAID, "invoice.paid"),
    (S.CONFIRMING, (CONFIRM,), DEADLINE + MINUTE, S.PAID, "invoice.paid"),
    (S.CONFIRMING, (see("1", "bb"),), LATER, S.CONFIRMING, None),
    (S.CONFIRMING, (see("1", "bb"), ConfirmTransfers(("bb",))), LATER, S.CONFIRMING, None),
    (S.CONFIRMING, (see("1", "bb"), CONFIRM), LATER, S.PAID_OVER, "invoice.paid_over"),
    (S.CONFIRMING, (REORG,), LATER, S.AWAITING_PAYMENT, "invoice.awaiting_payment"),
    (S.CONFIRMING, (see("1", "bb"), ReorgTransfers(("bb",))), LATER, S.CONFIRMING, None),
    (S.CONFIRMING, (see("1", "bb"), REORG), LATER, S.AWAITING_PAYMENT, "invoice.awaiting_payment"),
    (S.UNDERPAID_WAITING, (see("30", "bb"),), LATER, S.CONFIRMING, "invoice.confirming"),
    (S.UNDERPAID_WAITING, (see("30", "bb"), CONFIRM), LATER, S.PAID, "invoice.paid"),
    (S.UNDERPAID_WAITING, (see("31", "bb"), CONFIRM), LATER, S.PAID_OVER, "invoice.paid_over"),
    (S.UNDERPAID_WAITING, (see("29", "bb"), CONFIRM), LATER, S.UNDERPAID_WAITING, "invoice.underpaid_waiting"),
    (
        S.UNDERPAID_WAITING,
        (see("30", "bb"), ReorgTransfers(("bb",))),
        LATER,
        S.UNDERPAID_WAITING,
        "invoice.underpaid_waiting",
    ),
    (S.UNDERPAID_WAITING, (see("30", "bb"), ReorgTransfers(("aa",))), LATER, S.CONFIRMING, None),
    (S.UNDERPAID_WAITING, (EXPIRE,), DEADLINE, S.UNDERPAID, "invoice.underpaid"),
    (S.UNDERPAID_WAITING, (REORG,), LATER, S.AWAITING_PAYMENT, "invoice.awaiting_payment"),
    (S.EXPIRED, (PayLate(),), DEADLINE + MINUTE, S.EXPIRED, None),
    (S.UNDERPAID, (PayLate(),), DEADLINE + MINUTE, S.UNDERPAID, None),
    (S.CANCELLED, (PayLate(),), DEADLINE + MINUTE, S.CANCELLED, None),
]


@pytest.mark.parametrize(("start", "commands", "at", "end", "event_type"), ROWS)
def test_the_table_of_the_contract(
    start: InvoiceStatus, commands: tuple[InvoiceCommand, ...], at: int, end: InvoiceStatus, event_type: str | None
) -> None:
    """Each row of contract §4.1 leads where it says and sends the webhook it says, or none."""
    made = run(invoice_in(start), *commands, now=at)
    assert (made.resource.status, made.event_type) == (end, event_type)
    assert made.resource.updated_at == at
    assert made.resource.created_at == START
    assert made.note


@pytest.mark.parametrize(
    ("command", "status"),
    [(CREATE, S.AWAITING_CLIENT), (replace(CREATE, network="TRC20", quote=QUOTE), S.AWAITING_PAYMENT)],
)
def test_creating_sends_nothing(command: CreateInvoice, status: InvoiceStatus) -> None:
    """A new invoice waits for the client, or for the payment when it is locked to a network; both in silence."""
    made = transition(None, command, START)
    assert (made.resource.status, made.event_type) == (status, None)
    assert (made.resource.created_at, made.resource.expires_at) == (START, DEADLINE)
    assert (made.resource.payment is not None) == (status is S.AWAITING_PAYMENT)


def test_an_outcome_too_short_is_underpaid_waiting() -> None:
    """A confirmed transfer below the expected amount waits for a top-up."""
    made = run(invoice_in(S.AWAITING_PAYMENT), see("49.999999"), CONFIRM)
    assert (made.resource.status, made.event_type) == (S.UNDERPAID_WAITING, "invoice.underpaid_waiting")


def test_choosing_a_network_restarts_the_clock() -> None:
    """The choice at minute 20 gives 30 more minutes."""
    chosen = transition(invoice_in(S.AWAITING_CLIENT), CHOOSE, LATER).resource
    assert chosen.expires_at == LATER + 30 * MINUTE == chosen.deadline_at


def test_an_invoice_does_not_expire_before_its_deadline() -> None:
    """One microsecond early is too early, unless the simulator asks for it; then the deadline moves to now."""
    invoice = invoice_in(S.AWAITING_PAYMENT)
    with pytest.raises(Conflict) as refused:
        transition(invoice, EXPIRE, DEADLINE - 1)
    assert refused.value.reason_code == "invoice_not_due"
    early = transition(invoice, ExpireInvoice(early=True), LATER).resource
    assert (early.status, early.expires_at, early.completed_at) == (S.EXPIRED, LATER, LATER)


def test_deadlines_are_those_of_statuses_that_expire() -> None:
    """Only the three statuses that a deadline ends have one; confirming stays open past it."""
    with_deadline = {status for status in S if invoice_in(status).deadline_at is not None}
    assert with_deadline == {S.AWAITING_CLIENT, S.AWAITING_PAYMENT, S.UNDERPAID_WAITING}


def test_a_short_payment_confirmed_after_the_deadline_is_underpaid_at_once() -> None:
    """Confirmations that end late leave ``underpaid_waiting`` with a deadline in the past, which then expires."""
    short = run(invoice_in(S.AWAITING_PAYMENT), see("20"), now=DEADLINE - 1).resource
    waiting = transition(short, CONFIRM, DEADLINE + MINUTE)
    assert waiting.event_type == "invoice.underpaid_waiting"
    assert waiting.resource.deadline_at == DEADLINE
    ended = transition(waiting.resource, EXPIRE, DEADLINE + MINUTE)
    assert (ended.event_type, ended.resource.completed_at) == ("invoice.underpaid", DEADLINE + MINUTE)
    assert ended.resource.expires_at == DEADLINE


def test_a_reorg_after_the_deadline_ends_as_expired() -> None:
    """Once the only transfer is gone, a deadline in the past finds nothing received."""
    back = transition(invoice_in(S.CONFIRMING), REORG, DEADLINE + MINUTE).resource
    assert back.deadline_at == DEADLINE
    assert transition(back, EXPIRE, DEADLINE + MINUTE).event_type == "invoice.expired"


def test_a_reorg_of_the_last_confirming_transfer_decides_the_outcome() -> None:
    """With the full amount confirmed and a second transfer gone, the invoice is paid, not overpaid."""
    both = run(invoice_in(S.CONFIRMING), ConfirmTransfers(("aa",)), now=LATER)
    assert both.event_type == "invoice.paid"
    waiting = run(invoice_in(S.CONFIRMING), see("5", "bb"), ConfirmTransfers(("aa",))).resource
    assert waiting.status is S.CONFIRMING
    assert transition(waiting, ReorgTransfers(("bb",)), LATER).event_type == "invoice.paid"


def test_a_transfer_that_a_reorg_removed_can_be_seen_again() -> None:
    """The same hash may come back in another block, and pays as any other."""
    back = transition(invoice_in(S.CONFIRMING), REORG, LATER).resource
    assert run(back, see("50"), CONFIRM, now=LATER).event_type == "invoice.paid"


def test_a_late_payment_keeps_its_first_moment() -> None:
    """``paid_late_at`` is set once; the status and the moment of completion stay."""
    ended = invoice_in(S.EXPIRED)
    late = transition(ended, PayLate(), LATER).resource
    again = transition(late, PayLate(), LATER + MINUTE)
    assert (again.resource.paid_late_at, again.event_type) == (LATER, None)
    assert (again.resource.status, again.resource.completed_at) == (S.EXPIRED, START)


def test_the_sums_of_a_payment() -> None:
    """Paid, remaining, fee and net follow from the confirmed transfers alone."""
    payment = run(invoice_in(S.UNDERPAID_WAITING), see("12.345678", "bb")).resource.payment
    assert payment is not None
    assert (payment.paid, payment.on_chain) == (Decimal(20), Decimal("32.345678"))
    assert payment.sums == (Decimal(20), Decimal(30), Decimal("0.2"), Decimal("19.8"))
    over = invoice_in(S.PAID_OVER).payment
    assert over is not None
    assert over.sums.remaining == 0


def test_a_confirmed_transfer_keeps_its_instants() -> None:
    """A transfer says when it was seen, when it was expected to be confirmed and when it was."""
    seen = run(invoice_in(S.AWAITING_PAYMENT), see("50"), now=LATER).resource
    payment = transition(seen, CONFIRM, LATER + MINUTE).resource.payment
    assert payment is not None
    (transfer,) = payment.transfers
    assert (transfer.created_at, transfer.confirmed_at) == (LATER, LATER + MINUTE)
    assert transfer.estimated_confirmation_at == LATER + 60 * SECOND


def test_five_statuses_are_final() -> None:
    """The final statuses are those of the contract, and an invoice knows its own."""
    assert {status for status in S if invoice_in(status).is_final} == FINAL
    assert {status.value for status in FINAL} == {"paid", "paid_over", "underpaid", "expired", "cancelled"}
