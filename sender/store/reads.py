"""What people and reports read: events with where they stand, and their attempts with everything on the wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, func, select

from sender.store.headers import Pairs, header_pairs
from sender.store.schema import attempts, bodies, outbox

if TYPE_CHECKING:
    from sqlalchemy import Row

    from sender.durations import Duration, Instant
    from sender.store.engine import Session


@dataclass(frozen=True, slots=True)
class EventView:
    """One outbox row as it stands."""

    seq: int
    event_id: str
    event_type: str
    resource_id: str
    endpoint_id: str
    state: str
    due_at: Instant | None
    attempts: int
    failures: int
    in_flight: bool
    created_at: Instant = 0


@dataclass(frozen=True, slots=True)
class AttemptView:
    """One attempt; ``duration`` is real, ``due_at``, ``started_at`` and ``finished_at`` are virtual.

    ``counted`` is false for an attempt whose relay had lost its lease: it went out and moved nothing.
    """

    seq: int
    outbox_seq: int
    event_id: str
    event_type: str
    resource_id: str
    endpoint_id: str
    number: int
    trigger: str
    counted: bool
    due_at: Instant
    started_at: Instant
    finished_at: Instant
    duration: Duration
    outcome: str
    reason: str | None
    status: int | None
    detail: str
    url: str
    request_headers: Pairs
    answer_headers: Pairs
    answer_body: bytes
    answer_cut: bool
    faults: tuple[str, ...]


EVENT_COLUMNS = (
    outbox.c.seq, outbox.c.event_id, outbox.c.event_type, outbox.c.resource_id, outbox.c.endpoint_id, outbox.c.state,
    outbox.c.due_at, outbox.c.attempts, outbox.c.failures, outbox.c.lease_token.is_not(None).label("in_flight"),
    outbox.c.created_at,
)  # fmt: skip
ATTEMPT_COLUMNS = (
    attempts.c.seq, attempts.c.outbox_seq, outbox.c.event_id, outbox.c.event_type, outbox.c.resource_id,
    outbox.c.endpoint_id, attempts.c.number, attempts.c.trigger, attempts.c.counted, attempts.c.due_at,
    attempts.c.started_at, attempts.c.finished_at, attempts.c.duration, attempts.c.outcome, attempts.c.reason,
    attempts.c.status, attempts.c.detail, attempts.c.url, attempts.c.request_headers, attempts.c.answer_headers,
    attempts.c.answer_body, attempts.c.answer_cut, attempts.c.faults,
)  # fmt: skip
_EVENTS = select(*EVENT_COLUMNS).order_by(outbox.c.seq)
_ATTEMPTS = (
    select(*ATTEMPT_COLUMNS)
    .join(outbox, outbox.c.seq == attempts.c.outbox_seq)
    .where(attempts.c.seq > bindparam("b_after"))
    .order_by(attempts.c.started_at, attempts.c.outbox_seq, attempts.c.number, attempts.c.seq)
)
_BODY = (
    select(bodies.c.body)
    .join(outbox, outbox.c.seq == bodies.c.outbox_seq)
    .where(outbox.c.event_id == bindparam("b_event_id"))
)
_COUNTS = select(outbox.c.state, func.count()).group_by(outbox.c.state)


async def events(session: Session, resource_id: str | None = None) -> list[EventView]:
    """Return events in the order of their commits: all, or those of one resource."""
    statement = _EVENTS if resource_id is None else _EVENTS.where(outbox.c.resource_id == resource_id)
    return [EventView(*row) for row in await session.rows(statement)]


async def attempts_after(session: Session, seq: int = 0) -> list[AttemptView]:
    """Return the attempts recorded after ``seq``, in the order in which they started, virtually."""
    return [attempt_view(row) for row in await session.rows(_ATTEMPTS, {"b_after": seq})]


async def body_of(session: Session, event_id: str) -> bytes | None:
    """Return the stored bytes of an event."""
    for row in await session.rows(_BODY, {"b_event_id": event_id}):
        return bytes(row.body)
    return None


async def counts(session: Session) -> dict[str, int]:
    """Return how many deliveries are in each state."""
    return {row[0]: row[1] for row in await session.rows(_COUNTS)}


def attempt_view(row: Row[Any]) -> AttemptView:
    """Return an attempt from a row of ``ATTEMPT_COLUMNS``."""
    values = row._asdict()
    for name in ("request_headers", "answer_headers"):
        values[name] = header_pairs(values[name])
    values["faults"] = tuple(filter(None, values["faults"].split(",")))
    return AttemptView(**values)
