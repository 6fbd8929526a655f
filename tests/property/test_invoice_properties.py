"""Laws of an invoice under any sequence of commands."""

from __future__ import annotations

import json
from decimal import Decimal
from functools import partial
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sender.domain.invoice import Invoice, InvoiceStatus
from sender.domain.invoice_commands import (
    CancelInvoice,
    ConfirmTransfers,
    ExpireInvoice,
    InvoiceCommand,
    PayLate,
    ReorgTransfers,
    SeeTransfer,
)
from sender.domain.invoice_transitions import Transition, transition
from sender.domain.payment import TransferStatus
from sender.domain.sandbox import Stage, pay_commands, stage_commands
from sender.durations import HOUR, MINUTE
from sender.errors import RequestRefused
from sender.providers.paymos import Paymos
from sender.providers.profile import Event
from tests.invoices import CHOOSE, CREATE, START

PAYMOS = Paymos()

hashes = st.sampled_from(["aa", "bb", "cc", "dd"])
some_hashes = st.none() | st.lists(hashes, max_size=3).map(tuple)
amounts = st.decimals(min_value="0.000001", max_value="80", places=6)
commands: st.SearchStrategy[InvoiceCommand] = st.one_of(
    st.just(CHOOSE),
    st.builds(SeeTransfer, hashes, st.sampled_from([Decimal(10), Decimal(25), Decimal(50)]) | amounts, st.booleans()),
    st.builds(SeeTransfer, hashes, st.just(Decimal(25))),
    st.builds(ConfirmTransfers, some_hashes),
    st.builds(ConfirmTransfers),
    st.builds(ReorgTransfers, some_hashes),
    st.builds(CancelInvoice, st.just("why not")),
    st.builds(ExpireInvoice, st.booleans()),
    st.just(PayLate()),
)
waits = st.integers(0, 20 * MINUTE)
usually_chosen = st.sampled_from([[(CHOOSE, 0)], [(CHOOSE, MINUTE)], []])
steps = st.builds(list.__add__, usually_chosen, st.lists(st.tuples(commands, waits), max_size=30))


def story(steps: list[tuple[InvoiceCommand, int]]) -> list[Transition]:
    """Return the transitions that were taken, the creation first; refused commands change nothing."""
    now = START
    taken = [transition(None, CREATE, now)]
    for command, wait in steps:
        now += wait
        try:
            taken.append(transition(taken[-1].resource, command, now))
        except RequestRefused:
            continue
    return taken


@given(steps)
def test_a_final_status_is_never_left(steps: list[tuple[InvoiceCommand, int]]) -> None:
    """After a final status the status, the payment and the moment of completion stay for good."""
    for before, after in pairwise(story(steps)):
        if before.resource.is_final:
            assert after.resource.status is before.resource.status
            assert after.resource.payment == before.resource.payment
            assert after.resource.completed_at == before.resource.completed_at
            assert after.event_type is None


@given(steps)
def test_money_adds_up(steps: list[tuple[InvoiceCommand, int]]) -> None:
    """Paid is the sum of the confirmed transfers, fee and net share it, and paid and remaining meet the expected."""
    for made in story(steps):
        payment = made.resource.payment
        if payment is None:
            continue
        confirmed = [item.amount for item in payment.transfers if item.status is TransferStatus.CONFIRMED]
        assert payment.paid == sum(confirmed)
        paid, remaining, fee, net = payment.sums
        assert fee + net == paid == payment.paid
        assert remaining == max(payment.expected - paid, Decimal(0))
        assert fee >= 0
        assert len(payment.transfers) <= payment.seen


@given(steps)
def test_the_status_says_what_the_money_says(steps: list[tuple[InvoiceCommand, int]]) -> None:
    """Each status fits the sums and the transfers of its invoice."""
    for made in story(steps):
        assert _fits(made.resource)


@given(steps)
def test_a_webhook_announces_a_change_of_status_and_carries_it(steps: list[tuple[InvoiceCommand, int]]) -> None:
    """An event is named for the status in its body; a status moves in silence only when a network is chosen."""
    for before, after in pairwise(story(steps)):
        changed = after.resource.status is not before.resource.status
        chosen = before.resource.status is InvoiceStatus.AWAITING_CLIENT and after.resource.payment is not None
        assert (after.event_type is not None) == (changed and not chosen)
        if after.event_type is not None:
            event = Event("evt_1", after.event_type, after.resource.updated_at, after.resource)
            body = json.loads(PAYMOS.encode(event))
            assert body["event_type"] == f"invoice.{body['data']['status']}"
            assert body["occurred_at"] == body["data"]["updated_at"]


@given(steps)
def test_time_goes_forward(steps: list[tuple[InvoiceCommand, int]]) -> None:
    """No command moves ``updated_at`` back, and completion is not before creation."""
    taken = story(steps)
    for before, after in pairwise(taken):
        assert after.resource.updated_at >= before.resource.updated_at
        assert after.resource.created_at == START
    last = taken[-1].resource
    assert (last.completed_at is not None) == last.is_final
    assert last.completed_at is None or START <= last.completed_at <= last.updated_at


@given(steps)
def test_a_deadline_always_ends_an_invoice(steps: list[tuple[InvoiceCommand, int]]) -> None:
    """Whenever an invoice has a deadline, expiring it then succeeds and is final; without one it is refused."""
    invoice = story(steps)[-1].resource
    if invoice.deadline_at is not None:
        moment = max(invoice.deadline_at, invoice.updated_at)
        assert transition(invoice, ExpireInvoice(), moment).resource.is_final
    else:
        try:
            transition(invoice, ExpireInvoice(), invoice.updated_at + 100 * HOUR)
        except RequestRefused:
            return
        raise AssertionError(invoice.status)


@given(steps, st.sampled_from([Stage.PAID, Stage.OVERPAID, Stage.UNDERPAY]), amounts)
def test_a_sandbox_plan_is_carried_out_whole(
    steps: list[tuple[InvoiceCommand, int]], stage: Stage, amount: Decimal
) -> None:
    """What the planner proposes for an open invoice, the transitions take from the first command to the last."""
    invoice = story(steps)[-1].resource
    for plan in (partial(stage_commands, invoice, stage, CHOOSE), partial(pay_commands, invoice, amount, CHOOSE)):
        try:
            planned = plan()
        except RequestRefused:
            continue
        changed = invoice
        for command in planned:
            changed = transition(changed, command, invoice.updated_at).resource
        assert changed.payment is not None
        assert not changed.payment.is_confirming


def _fits(invoice: Invoice) -> bool:
    payment, status = invoice.payment, invoice.status
    if payment is None or not payment.transfers:
        return status in {
            InvoiceStatus.AWAITING_CLIENT,
            InvoiceStatus.AWAITING_PAYMENT,
            InvoiceStatus.EXPIRED,
            InvoiceStatus.CANCELLED,
        }
    if payment.is_confirming:
        return status is InvoiceStatus.CONFIRMING
    if payment.paid < payment.expected:
        return status in {InvoiceStatus.UNDERPAID_WAITING, InvoiceStatus.UNDERPAID}
    return status is (InvoiceStatus.PAID if payment.paid == payment.expected else InvoiceStatus.PAID_OVER)
