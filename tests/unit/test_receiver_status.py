"""Which state follows which, and which of them move money."""

from __future__ import annotations

from typing import Any

import pytest

from receiver_fixture.envelope import Envelope, read_envelope
from receiver_fixture.status import State, follows, read_state
from tests.receiver import NOW, invoice_event


def state(status: str, at: int = NOW) -> State:
    """Make the state that an invoice event shows."""
    found = read_state(envelope({**invoice_event(status, at=at), "event_type": "invoice.confirming"}))
    assert found is not None
    return found


def envelope(document: dict[str, Any]) -> Envelope:
    """Check an event."""
    found = read_envelope(document)
    assert isinstance(found, Envelope)
    return found


@pytest.mark.parametrize(
    ("current", "incoming", "moves"),
    [
        (state("confirming"), state("paid"), True),
        (state("paid"), state("confirming", NOW + 60), False),
        (state("paid"), state("paid"), False),
        (state("paid"), state("expired", NOW + 60), False),
        (state("paid"), state("paid_over"), True),
        (state("paid_over"), state("paid", NOW + 60), False),
        (state("underpaid"), state("paid_over"), True),
        (state("expired"), state("cancelled", NOW + 60), False),
        (state("underpaid"), state("expired", NOW + 60), False),
        (state("confirming", NOW + 60), state("paid", NOW), True),
        # A reorganised chain takes an invoice back, and only the time tells that from an old event that came late.
        (state("confirming"), state("awaiting_payment", NOW + 60), True),
        (state("confirming"), state("awaiting_payment", NOW - 60), False),
        (state("underpaid_waiting"), state("confirming"), False),
        (state("underpaid_waiting"), state("confirming", NOW + 1), True),
        (state("confirming"), state("confirming"), False),
        # Of two open states that no table ranks the name decides, whichever came first.
        (state("novelty_a"), state("novelty_b"), True),
        (state("novelty_b"), state("novelty_a"), False),
    ],
)
def test_a_state_is_only_replaced_by_a_later_one(*, current: State, incoming: State, moves: bool) -> None:
    """Final beats open, later beats earlier, higher rank beats lower, and nothing else moves."""
    assert follows(current, incoming) is moves


@pytest.mark.parametrize(
    ("status", "books"),
    [("paid", True), ("paid_over", True), ("underpaid", False), ("expired", False), ("confirming", False)],
)
def test_only_a_paid_invoice_is_booked(*, status: str, books: bool) -> None:
    """Paid and overpaid invoices are booked, no other."""
    assert state(status).books is books


@pytest.mark.parametrize(
    ("event_type", "data", "books"),
    [
        ("withdrawal.completed", {"withdrawal_id": "wdr_1", "external_order_id": "out-1", "status": "completed"}, True),
        ("withdrawal.failed", {"withdrawal_id": "wdr_1", "external_order_id": "out-1", "status": "failed"}, False),
        (
            "payment_channel.deposit.confirmed",
            {"id": "pcd_1", "payment_channel_external_id": "customer-42", "status": "confirmed"},
            True,
        ),
    ],
)
def test_withdrawals_and_deposits_are_read_too(*, event_type: str, data: dict[str, Any], books: bool) -> None:
    """Each kind has its own id, its own merchant's id, and its own status that moves money."""
    event = {**invoice_event(), "event_type": event_type, "data": {**data, "is_final": True}}
    found = read_state(envelope(event))
    assert found is not None
    assert found.books is books


def test_a_confirmed_deposit_that_is_not_final_is_not_credited() -> None:
    """The provider asks for ``is_final`` beside the status."""
    data = {"id": "pcd_1", "payment_channel_external_id": "customer-42", "status": "confirmed", "is_final": False}
    found = read_state(envelope({**invoice_event(), "event_type": "payment_channel.deposit.confirmed", "data": data}))
    assert found is not None
    assert not found.books


@pytest.mark.parametrize("missing", ["invoice_id", "status", "is_final", "order"])
def test_a_snapshot_without_a_needed_member_is_no_state(missing: str) -> None:
    """What cannot be told is not guessed from the event's name."""
    event = invoice_event()
    del event["data"][missing]
    assert read_state(envelope(event)) is None


def test_an_unknown_event_type_has_no_state() -> None:
    """An event nobody told us about is not interpreted, whatever its data look like."""
    assert read_state(envelope({**invoice_event(), "event_type": "invoice.novelty"})) is None
