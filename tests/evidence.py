"""Made-up evidence for the laws: an event that was delivered in order, from which a test spoils one thing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sender.domain.ladder import Ladder
from sender.domain.signature import webhook_header
from sender.durations import MINUTE, SECOND
from sender.scenario.evidence import Evidence, Seen
from sender.store.reads import AttemptView, EventView
from sender.store.resources import Transitioned

URL = "http://127.0.0.1:9/webhook"
SECRET = "whsec_test_evidence"
BODY = b'{"event_id":"evt_1"}'
LADDER = Ladder("short", (MINUTE, 2 * MINUTE), 10 * SECOND)
HEADER = "X-Webhook-Signature"


def event(**changes: Any) -> EventView:
    """Return an event that was delivered at its first attempt."""
    values: dict[str, Any] = {
        "seq": 1,
        "event_id": "evt_1",
        "event_type": "invoice.paid",
        "resource_id": "inv_1",
        "endpoint_id": "whe_1",
        "state": "delivered",
        "due_at": None,
        "attempts": 1,
        "failures": 0,
        "in_flight": False,
    }
    return EventView(**(values | changes))


def attempt(**changes: Any) -> AttemptView:
    """Return an attempt that was made in time, signed as it must be, and taken."""
    signature = webhook_header(BODY, [SECRET], 1_700_000_000)
    values: dict[str, Any] = {
        "seq": 1,
        "outbox_seq": 1,
        "event_id": "evt_1",
        "event_type": "invoice.paid",
        "resource_id": "inv_1",
        "endpoint_id": "whe_1",
        "number": 1,
        "trigger": "scheduled",
        "counted": True,
        "due_at": 0,
        "started_at": 0,
        "finished_at": 0,
        "duration": 900,
        "outcome": "delivered",
        "reason": None,
        "status": 200,
        "detail": "",
        "url": URL,
        "request_headers": ((HEADER, signature),),
        "answer_headers": (),
        "answer_body": b"",
        "answer_cut": False,
        "faults": (),
    }
    return AttemptView(**(values | changes))


def refused(number: int, at: int) -> AttemptView:
    """Return the attempt of a number that was due and made at an instant, and refused at once."""
    return attempt(number=number, seq=number, due_at=at, started_at=at, finished_at=at, outcome="failed", status=500)


def transitioned(**changes: Any) -> Transitioned:
    """Return the transition that the event announces, to one endpoint."""
    values: dict[str, Any] = {
        "seq": 0,
        "resource_id": "inv_1",
        "event_type": "invoice.paid",
        "status": "paid",
        "note": "",
        "deliveries": 1,
        "occurred_at": 0,
    }
    return Transitioned(**(values | changes))


def seen(**changes: Any) -> Seen:
    """Return what a receiver has that got the event once and fulfilled its order."""
    events = {"evt_1": {"received": 1, "applied": 1}}
    orders = [{"external_order_id": "order-1", "paid": True, "fulfilled": 1}]
    return replace(Seen(url=URL, events=events, orders=orders), **changes)


def evidence(*attempts: AttemptView, of: EventView | None = None, **changes: Any) -> Evidence:
    """Return evidence of one event with these attempts, or with one that was taken."""
    good = Evidence(
        ladder=LADDER,
        events=[of or event()],
        attempts={1: list(attempts) or [attempt()]},
        bodies={"evt_1": BODY},
        secrets={SECRET},
        signature_header=HEADER,
        seen=seen(),
        history=[transitioned()],
    )
    return replace(good, **changes)
