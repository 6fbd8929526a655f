"""Everything ever sent, in pages: what the dashboard, the control API and the terminal read, newest first, by keyset.

Every read costs what it returns, not what there is: a page is a walk along one index in the order of ``seq``, and
counts stop at a bound. Two filters at once walk the index of one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Integer, bindparam, func, literal, literal_column, select

from sender.domain.delivery import DeliveryState
from sender.store.reads import ATTEMPT_COLUMNS, EVENT_COLUMNS, AttemptView, EventView, attempt_view
from sender.store.schema import attempts, outbox

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import ScalarSelect

    from sender.durations import Instant
    from sender.store.engine import Session

NEWEST = 100
"""As many as the provider's dashboard shows (contract §1.10), and as many as one page holds."""

COUNTED = 10_000
"""Where counting stops: a person reads "more than 10,000" as well as the exact number, and it costs nothing."""

STATES = tuple(state.value for state in DeliveryState)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventQuery:
    """Which events are wanted; a filter that is ``None`` lets everything through.

    ``before`` is the ``seq`` after which a page begins: the ``next_before`` of the page before it.
    """

    limit: int = NEWEST
    before: int | None = None
    state: str | None = None
    event_type: str | None = None
    endpoint_id: str | None = None
    resource_id: str | None = None


@dataclass(frozen=True, slots=True)
class EventPage:
    """Some events, newest first; ``next_before`` is ``None`` on the last page."""

    items: list[EventView]
    next_before: int | None


@dataclass(frozen=True, slots=True)
class LastAttempt:
    """What the newest recorded attempt of an event came to; ``finished_at`` is virtual."""

    outcome: str
    reason: str | None
    status: int | None
    finished_at: Instant


@dataclass(frozen=True, slots=True)
class Count:
    """How many there are; ``more`` when counting stopped at ``number``."""

    number: int
    more: bool


def _stopped_count(state: DeliveryState) -> ScalarSelect[int]:
    some = select(literal_column("1")).where(outbox.c.state == state.value).limit(COUNTED + 1).subquery()
    return select(func.count()).select_from(some).scalar_subquery()


_NEWEST = select(*EVENT_COLUMNS).order_by(outbox.c.seq.desc()).limit(bindparam("b_limit"))
_EVENT = select(*EVENT_COLUMNS).where(outbox.c.event_id == bindparam("b_event_id"))
_QUEUED_SINCE = (
    select(*EVENT_COLUMNS).where(outbox.c.seq > bindparam("b_after")).order_by(outbox.c.seq).limit(bindparam("b_limit"))
)
_COUNTS = select(*[_stopped_count(state).label(state.value) for state in DeliveryState])
_OF_EVENT = (
    select(*ATTEMPT_COLUMNS)
    .join(outbox, outbox.c.seq == attempts.c.outbox_seq)
    .where(outbox.c.event_id == bindparam("b_event_id"), attempts.c.seq > bindparam("b_after"))
    .order_by(attempts.c.seq)
    .limit(bindparam("b_limit"))
)
_ATTEMPT = (
    select(*ATTEMPT_COLUMNS)
    .join(outbox, outbox.c.seq == attempts.c.outbox_seq)
    .where(attempts.c.seq == bindparam("b_seq"))
)
_RECORDED_SINCE = (
    select(*ATTEMPT_COLUMNS)
    .join(outbox, outbox.c.seq == attempts.c.outbox_seq)
    .where(attempts.c.seq > bindparam("b_after"))
    .order_by(attempts.c.seq)
    .limit(bindparam("b_limit"))
)
_LAST = (
    select(
        attempts.c.outbox_seq, attempts.c.outcome, attempts.c.reason, attempts.c.status, attempts.c.finished_at
    )
    .where(attempts.c.outbox_seq.in_(bindparam("b_seqs", expanding=True)))
    .order_by(attempts.c.outbox_seq, attempts.c.seq)
)  # fmt: skip
_NEWEST_NUMBERS = select(
    select(func.coalesce(func.max(outbox.c.seq), literal(0, Integer))).scalar_subquery(),
    select(func.coalesce(func.max(attempts.c.seq), literal(0, Integer))).scalar_subquery(),
)
_FILTERS = {
    "before": outbox.c.seq < bindparam("before"),
    "state": outbox.c.state == bindparam("state"),
    "event_type": outbox.c.event_type == bindparam("event_type"),
    "endpoint_id": outbox.c.endpoint_id == bindparam("endpoint_id"),
    "resource_id": outbox.c.resource_id == bindparam("resource_id"),
}
# Few events are about one resource: whoever names one is served by its index, and SQLite, which counts nothing, is not
# left to choose another one.
_AMONG_FEW = {
    name: getattr(outbox.c, name).concat("") == bindparam(name) for name in ("state", "event_type", "endpoint_id")
}


async def page(session: Session, query: EventQuery) -> EventPage:
    """Return one page of events, newest first."""
    given = {name: value for name in _FILTERS if (value := getattr(query, name)) is not None}
    filters = {**_FILTERS, **_AMONG_FEW} if query.resource_id is not None else _FILTERS
    statement = _NEWEST.where(*[filters[name] for name in given])
    # One more than asked for tells whether there is another page.
    rows = await session.rows(statement, {**given, "b_limit": query.limit + 1})
    items = [EventView(*row) for row in rows[: query.limit]]
    return EventPage(items, items[-1].seq if len(rows) > query.limit else None)


async def event(session: Session, event_id: str) -> EventView | None:
    """Return one event as it stands."""
    for row in await session.rows(_EVENT, {"b_event_id": event_id}):
        return EventView(*row)
    return None


async def queued_since(session: Session, seq: int, limit: int = NEWEST) -> list[EventView]:
    """Return events queued after the one numbered ``seq``, oldest first; their order is that of the commits."""
    return [EventView(*row) for row in await session.rows(_QUEUED_SINCE, {"b_after": seq, "b_limit": limit})]


async def counts(session: Session) -> dict[str, Count]:
    """Return how many events are in each state, each counted up to ``COUNTED``."""
    (row,) = await session.rows(_COUNTS)
    return {state: Count(min(number, COUNTED), number > COUNTED) for state, number in row._asdict().items()}


async def attempts_of(session: Session, event_id: str, after: int = 0, limit: int = NEWEST) -> list[AttemptView]:
    """Return attempts of one event with every byte, in the order of recording, from the one after ``after`` on."""
    params = {"b_event_id": event_id, "b_after": after, "b_limit": limit}
    return [attempt_view(row) for row in await session.rows(_OF_EVENT, params)]


async def attempt(session: Session, seq: int) -> AttemptView | None:
    """Return one attempt by the number of its record."""
    for row in await session.rows(_ATTEMPT, {"b_seq": seq}):
        return attempt_view(row)
    return None


async def recorded_since(session: Session, seq: int, limit: int = NEWEST) -> list[AttemptView]:
    """Return attempts recorded after ``seq``, in the order of their numbers.

    Several relays on PostgreSQL may commit two numbers in either order; whoever follows waits for a missing one.
    """
    rows = await session.rows(_RECORDED_SINCE, {"b_after": seq, "b_limit": limit})
    return [attempt_view(row) for row in rows]


async def last_attempts(session: Session, events: Collection[EventView]) -> dict[str, LastAttempt]:
    """Return the newest recorded attempt of each of these events that has one, by event id."""
    names = {event.seq: event.event_id for event in events if event.attempts}
    if not names:
        return {}
    rows = await session.rows(_LAST, {"b_seqs": list(names)})
    return {names[row[0]]: LastAttempt(*row[1:]) for row in rows}


async def newest_numbers(session: Session) -> tuple[int, int]:
    """Return the numbers of the newest event and of the newest recorded attempt; 0 where there is none."""
    ((queued, recorded),) = await session.rows(_NEWEST_NUMBERS)
    return int(queued), int(recorded)
