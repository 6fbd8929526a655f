"""What time will bring: the next attempts, the next expiries, the ends of rotation windows, earliest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sqlalchemy import bindparam, select

from sender.store.schema import endpoints, outbox, resources

if TYPE_CHECKING:
    from sender.durations import Instant
    from sender.store.engine import Session

MOST = 20
"""How many are told of when nobody says."""


@dataclass(frozen=True, slots=True)
class Upcoming:
    """One deadline: an attempt of an event, the expiry of a resource, or the end of an endpoint's rotation window.

    ``id`` is the event's, the resource's or the endpoint's; ``about`` the event type, the kind of the resource, or the
    endpoint's URL. ``waits`` is true for the attempt of a suspended endpoint, which no instant brings.
    """

    at: Instant
    what: Literal["attempt", "expiry", "rotation_end"]
    id: str
    about: str
    waits: bool = False


_first = (
    select(outbox.c.claim_at)
    .where(outbox.c.endpoint_id == endpoints.c.id, outbox.c.claim_at.is_not(None))
    .order_by(outbox.c.claim_at, outbox.c.seq)
    .limit(1)
    .correlate(endpoints)
    .scalar_subquery()
)
_HEADS = select(endpoints.c.id, endpoints.c.status, _first.label("at"))
_ATTEMPTS = (
    select(outbox.c.claim_at, outbox.c.event_id, outbox.c.event_type)
    .where(outbox.c.endpoint_id == bindparam("b_endpoint"), outbox.c.claim_at.is_not(None))
    .order_by(outbox.c.claim_at, outbox.c.seq)
    .limit(bindparam("b_limit"))
)
_EXPIRIES = (
    select(resources.c.deadline_at, resources.c.id, resources.c.kind)
    .where(resources.c.deadline_at.is_not(None))
    .order_by(resources.c.deadline_at)
    .limit(bindparam("b_limit"))
)
_ROTATIONS = (
    select(endpoints.c.previous_secret_invalid_at, endpoints.c.id, endpoints.c.url)
    .where(endpoints.c.status != "deleted", endpoints.c.previous_secret_invalid_at > bindparam("b_now"))
    .order_by(endpoints.c.previous_secret_invalid_at)
    .limit(bindparam("b_limit"))
)


async def upcoming(session: Session, now: Instant, limit: int = MOST) -> list[Upcoming]:
    """Return the next ``limit`` deadlines, earliest first; what is overdue comes first of all."""
    params = {"b_limit": limit}
    found = await _next_attempts(session, now, limit)
    found += [Upcoming(at, "expiry", name, kind) for at, name, kind in await session.rows(_EXPIRIES, params)]
    rotations = await session.rows(_ROTATIONS, {**params, "b_now": now})
    found += [Upcoming(at, "rotation_end", name, url) for at, name, url in rotations]
    return sorted(found, key=lambda one: one.at)[:limit]


async def _next_attempts(session: Session, now: Instant, limit: int) -> list[Upcoming]:
    heads = [head for head in await session.rows(_HEADS) if head.at is not None]
    found: list[Upcoming] = []
    # No endpoint behind the first ``limit`` can have one of the first ``limit`` attempts.
    for head in sorted(heads, key=lambda head: head.at)[:limit]:
        rows = await session.rows(_ATTEMPTS, {"b_endpoint": head.id, "b_limit": limit})
        waits = head.status != "active"
        # A resend whose relay died is parked before all time; it is due now.
        found += [Upcoming(at or now, "attempt", name, kind, waits) for at, name, kind in rows]
    return found
