"""Events, attempts and deadlines as the control API and its stream show them."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from sender.durations import format_duration, format_instant

if TYPE_CHECKING:
    from sender.durations import Instant
    from sender.store.archive import LastAttempt
    from sender.store.reads import AttemptView, EventView
    from sender.store.upcoming import Upcoming


def event_document(event: EventView, last: LastAttempt | None = None) -> dict[str, Any]:
    """Return an event; ``last`` is its newest attempt, where the caller has looked."""
    return {
        "event_id": event.event_id,
        "event_type": event.event_type,
        "resource_id": event.resource_id,
        "endpoint_id": event.endpoint_id,
        "state": event.state,
        "attempts": event.attempts,
        "failures": event.failures,
        "in_flight": event.in_flight,
        "created_at": format_instant(event.created_at),
        "next_attempt_at": instant(event.due_at),
        "last_attempt": None if last is None else last_document(last),
    }


def last_document(last: LastAttempt) -> dict[str, Any]:
    """Return what an attempt came to, in short."""
    return {
        "outcome": last.outcome,
        "reason": last.reason,
        "status": last.status,
        "finished_at": format_instant(last.finished_at),
    }


def attempt_document(attempt: AttemptView) -> dict[str, Any]:
    """Return an attempt without what was sent and answered."""
    return {
        "id": attempt.seq,
        "event_id": attempt.event_id,
        "event_type": attempt.event_type,
        "resource_id": attempt.resource_id,
        "endpoint_id": attempt.endpoint_id,
        "number": attempt.number,
        "trigger": attempt.trigger,
        "counted": attempt.counted,
        "due_at": format_instant(attempt.due_at),
        "started_at": format_instant(attempt.started_at),
        "finished_at": format_instant(attempt.finished_at),
        "duration": format_duration(attempt.duration),
        "outcome": attempt.outcome,
        "reason": attempt.reason,
        "status": attempt.status,
        "detail": attempt.detail,
        "url": attempt.url,
        "faults": list(attempt.faults),
    }


def exchange_document(attempt: AttemptView, body: bytes) -> dict[str, Any]:
    """Return an attempt with every byte; ``body`` is the event's, the same on every attempt."""
    return {
        **attempt_document(attempt),
        "request_headers": [list(pair) for pair in attempt.request_headers],
        "request_body": exact(body),
        "answer_headers": [list(pair) for pair in attempt.answer_headers],
        "answer_body": exact(attempt.answer_body),
        "answer_cut": attempt.answer_cut,
    }


def upcoming_document(one: Upcoming) -> dict[str, Any]:
    """Return a deadline."""
    return {"at": format_instant(one.at), "what": one.what, "id": one.id, "about": one.about, "waits": one.waits}


def exact(data: bytes) -> dict[str, str]:
    """Return bytes as text to read and as base64 to be exact."""
    return {"text": data.decode(errors="replace"), "base64": base64.b64encode(data).decode()}


def instant(at: Instant | None) -> str | None:
    """Return an instant, or ``None``."""
    return None if at is None else format_instant(at)
