"""The stages of simulate-payment: which commands they are, and where they lead."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from sender.domain.invoice import Invoice, InvoiceStatus
from sender.domain.invoice_commands import ChooseNetwork, ConfirmTransfers, InvoiceCommand, ReorgTransfers
from sender.domain.invoice_transitions import transition
from sender.domain.sandbox import Stage, pay_commands, stage_commands, transaction_hash
from sender.errors import Conflict, RequestRefused
from tests.invoices import CHOOSE, QUOTE, START, invoice_in, run

S = InvoiceStatus


def drive(invoice: Invoice, commands: list[InvoiceCommand]) -> tuple[Invoice, list[str | None]]:
    """Return where the commands lead and the webhooks on the way."""
    events: list[str | None] = []
    for command in commands:
        made = transition(invoice, command, START)
        invoice = made.resource
        events.append(made.event_type)
    return invoice, events


@pytest.mark.parametrize(
    ("stage", "status", "paid", "events"),
    [
        (Stage.PAID, S.PAID, "50", [None, "invoice.confirming", "invoice.paid"]),
        (Stage.OVERPAID, S.PAID_OVER, "75", [None, "invoice.confirming", "invoice.paid_over"]),
        (Stage.UNDERPAY, S.UNDERPAID_WAITING, "25", [None, "invoice.confirming", "invoice.underpaid_waiting"]),
    ],
)
def test_a_paying_stage_chooses_sees_and_confirms(
    stage: Stage, status: InvoiceStatus, paid: str, events: list[str | None]
) -> None:
    """From a fresh invoice: a silent choice, then ``confirming``, then the outcome, at 100, 150 and 50 per cent."""
    invoice, told = drive(invoice_in(S.AWAITING_CLIENT), stage_commands(invoice_in(S.AWAITING_CLIENT), stage, CHOOSE))
    assert (invoice.status, told) == (status, events)
    assert invoice.payment is not None
    assert invoice.payment.paid == Decimal(paid)
    assert all(transfer.simulated for transfer in invoice.payment.transfers)


def test_paid_after_underpay_tops_up_the_rest() -> None:
    """A stage names what shall be there afterwards, so the second payment is the missing half."""
    half, _ = drive(
        invoice_in(S.AWAITING_PAYMENT), stage_commands(invoice_in(S.AWAITING_PAYMENT), Stage.UNDERPAY, CHOOSE)
    )
    paid, events = drive(half, stage_commands(half, Stage.PAID, CHOOSE))
    assert (paid.status, events) == (S.PAID, ["invoice.confirming", "invoice.paid"])
    assert paid.payment is not None
    assert [transfer.amount for transfer in paid.payment.transfers] == [Decimal(25), Decimal(25)]


def test_a_stage_that_is_reached_already_is_a_conflict() -> None:
    """A second ``underpay`` would pay nothing."""
    half, _ = drive(
        invoice_in(S.AWAITING_PAYMENT), stage_commands(invoice_in(S.AWAITING_PAYMENT), Stage.UNDERPAY, CHOOSE)
    )
    with pytest.raises(Conflict) as refused:
        stage_commands(half, Stage.UNDERPAY, CHOOSE)
    assert refused.value.reason_code == "stage_already_reached"


def test_a_transfer_in_sight_is_confirmed_instead_of_doubled() -> None:
    """``paid`` on a confirming invoice that holds the whole amount only confirms."""
    assert stage_commands(invoice_in(S.CONFIRMING), Stage.PAID, CHOOSE) == [ConfirmTransfers()]


@pytest.mark.parametrize("stage", [Stage.PAID, Stage.OVERPAID, Stage.UNDERPAY])
@pytest.mark.parametrize("status", [S.PAID, S.PAID_OVER, S.UNDERPAID, S.EXPIRED, S.CANCELLED])
def test_a_final_invoice_takes_no_payment(stage: Stage, status: InvoiceStatus) -> None:
    """Final is final, for the sandbox too."""
    with pytest.raises(Conflict) as refused:
        stage_commands(invoice_in(status), stage, CHOOSE)
    assert refused.value.reason_code == "invoice_is_final"


def test_cancel_is_a_cancel() -> None:
    """The stage ``cancel`` follows the rules of cancelling."""
    invoice = invoice_in(S.AWAITING_CLIENT)
    assert drive(invoice, stage_commands(invoice, Stage.CANCEL, CHOOSE))[1] == ["invoice.cancelled"]


@pytest.mark.parametrize(
    ("status", "end", "events"),
    [
        (S.AWAITING_CLIENT, S.EXPIRED, ["invoice.expired", None]),
        (S.AWAITING_PAYMENT, S.EXPIRED, ["invoice.expired", None]),
        (S.UNDERPAID_WAITING, S.UNDERPAID, ["invoice.underpaid", None]),
        (S.EXPIRED, S.EXPIRED, [None]),
        (S.CANCELLED, S.CANCELLED, [None]),
    ],
)
def test_paid_late_ends_the_invoice_first(status: InvoiceStatus, end: InvoiceStatus, events: list[str | None]) -> None:
    """An open invoice expires, then the late payment is noted without a webhook."""
    invoice = invoice_in(status)
    late, told = drive(invoice, stage_commands(invoice, Stage.PAID_LATE, CHOOSE))
    assert (late.status, told, late.paid_late_at) == (end, events, START)


def test_an_explicit_amount_can_be_left_confirming() -> None:
    """A payment by amount stops at ``confirming`` when it is asked to."""
    invoice = invoice_in(S.AWAITING_PAYMENT)
    left, events = drive(invoice, pay_commands(invoice, Decimal("12.5"), CHOOSE, confirm=False))
    assert (left.status, events) == (S.CONFIRMING, ["invoice.confirming"])
    assert left.payment is not None
    assert left.payment.on_chain == Decimal("12.5")


def test_a_bad_amount_is_refused_before_anything_changes() -> None:
    """No network is chosen for a payment that cannot be made."""
    with pytest.raises(RequestRefused):
        pay_commands(invoice_in(S.AWAITING_CLIENT), Decimal(0), CHOOSE)


def test_half_of_the_smallest_amount_is_refused() -> None:
    """One millionth of a token cannot be underpaid; it is not rounded up to a full payment."""
    tiny = ChooseNetwork(replace(QUOTE, expected=Decimal("0.000001")))
    with pytest.raises(Conflict):
        stage_commands(invoice_in(S.AWAITING_CLIENT), Stage.UNDERPAY, tiny)


def test_hashes_are_reproducible_and_never_used_twice() -> None:
    """After a reorg the next simulated transfer still has a hash of its own."""
    invoice = invoice_in(S.AWAITING_PAYMENT)
    for _ in range(2):
        invoice = run(invoice, *pay_commands(invoice, Decimal(1), CHOOSE)).resource
    first, second = (transaction_hash(invoice.id, number) for number in (0, 1))
    assert _hashes(invoice) == [first, second]
    assert len(first) == len(second) == 64
    left = run(invoice, ReorgTransfers((first,))).resource
    assert _hashes(run(left, *pay_commands(left, Decimal(1), CHOOSE)).resource) == [
        second,
        transaction_hash(invoice.id, 2),
    ]


def _hashes(invoice: Invoice) -> list[str]:
    assert invoice.payment is not None
    return [transfer.tx_hash for transfer in invoice.payment.transfers]
