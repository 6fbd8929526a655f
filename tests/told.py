"""Events of a run, made up for tests of reports."""

from __future__ import annotations

from typing import Any

from sender.durations import MINUTE, SECOND
from sender.scenario.events import AttemptFinished, EventSummed, RelayDied, RunFinished, RunStarted

START = 1_772_442_000 * SECOND


def attempt(number: int = 1, at: int = 0, **changes: Any) -> AttemptFinished:
    """Return an attempt that was refused so long after the start."""
    values: dict[str, Any] = {
        "event_id": "evt_1",
        "event_type": "invoice.paid",
        "resource_id": "inv_1",
        "endpoint": "default",
        "number": number,
        "trigger": "scheduled",
        "due_at": START + at,
        "started_at": START + at,
        "finished_at": START + at,
        "virtual_time": START + at,
        "outcome": "failed",
        "reason": "status",
        "status": 500,
        "duration": 2_600,
        "counted": True,
        "faults": (),
        "detail": "\x1b[31mhostile",
    }
    return AttemptFinished(**(values | changes))


def summed(**changes: Any) -> EventSummed:
    """Return where an event stands that was delivered."""
    values: dict[str, Any] = {
        "virtual_time": START,
        "event_id": "evt_1",
        "event_type": "invoice.paid",
        "resource_id": "inv_1",
        "resource": "order",
        "endpoint": "default",
        "state": "delivered",
        "attempts": 1,
        "received": 1,
        "applied": 1,
        "next_due_at": None,
    }
    return EventSummed(**(values | changes))


def died(point: str | None = "relay.after_send", at: int = 0) -> RelayDied:
    """Return the death of a relay."""
    return RelayDied(virtual_time=START + at, point=point, event_type="invoice.paid", exit_code=137, given_back=1)


def started() -> RunStarted:
    """Return how a story begins."""
    values: dict[str, Any] = {
        "virtual_time": START,
        "story": "mine",
        "name": "a story",
        "seed": 1,
        "clock": "manual",
        "ladder": "paymos",
        "database": "sqlite",
        "relay": "child",
        "receiver": "http://127.0.0.1:9/x",
        "signature_clock": "real",
    }
    return RunStarted(**values)


def finished(verdict: str) -> RunFinished:
    """Return how it ends, an hour and a half later."""
    values: dict[str, Any] = {
        "virtual_time": START + 90 * MINUTE,
        "story": "mine",
        "verdict": verdict,
        "expectations": 1,
        "expectations_failed": 1,
        "laws": 9,
        "laws_broken": 1,
        "elapsed": 3 * SECOND // 2,
    }
    return RunFinished(**values)
