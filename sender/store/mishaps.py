"""What befell deliveries that no attempt tells of: a relay died, or lost its lease, with them in hand.

Whatever such a relay had sent is on no record (guarantee 2 of the design: it is sent again). This is all that is left
to tell a person why a receiver has an event twice. Nothing is written while relays live.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import bindparam, insert, literal, select

from sender.store.schema import mishaps, outbox

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import ColumnElement, Insert

    from sender.durations import Instant
    from sender.store.engine import Session

TAKEN_BACK = "taken_back"
"""Taken from a relay that was dead or had lost its lease; any other word is the crash point armed for the delivery."""


class Mishap(NamedTuple):
    """One mishap; ``due_at`` is when the attempt was due that it befell, ``None`` for one by hand."""

    what: str
    due_at: Instant | None


_COLUMNS = ["outbox_seq", "what", "due_at"]
_leased = outbox.c.lease_token.is_not(None)


def _taken_back(whose: ColumnElement[bool]) -> Insert:
    rows = select(outbox.c.seq, literal(TAKEN_BACK), outbox.c.due_at).where(_leased, whose)
    return insert(mishaps).from_select(_COLUMNS, rows)


_FROM_OWNER = _taken_back(outbox.c.lease_owner == bindparam("b_owner"))
_FROM_OVERDUE = _taken_back(outbox.c.leased_until_real < bindparam("b_real"))
_OF_EVENT = (
    select(mishaps.c.what, mishaps.c.due_at)
    .join(outbox, outbox.c.seq == mishaps.c.outbox_seq)
    .where(outbox.c.event_id == bindparam("b_event_id"))
    .order_by(mishaps.c.seq)
)
_AMONG = (
    select(mishaps.c.outbox_seq)
    .where(mishaps.c.outbox_seq.in_(bindparam("b_seqs", expanding=True)), mishaps.c.what == TAKEN_BACK)
    .distinct()
)


async def note_dead(session: Session, owner: str) -> None:
    """Note what a dead relay has in hand, before it is given back."""
    await session.run(_FROM_OWNER, {"b_owner": owner})


async def note_overdue(session: Session, real: Instant) -> None:
    """Note what is leased beyond a real instant, before it is given back."""
    await session.run(_FROM_OVERDUE, {"b_real": real})


async def note_armed(session: Session, seq: int, point: str, due_at: Instant | None) -> None:
    """Note that a crash was taken for a delivery; whether it strikes is seen by what follows."""
    await session.add(mishaps, [{"outbox_seq": seq, "what": point, "due_at": due_at}])


async def of_event(session: Session, event_id: str) -> list[Mishap]:
    """Return what befell an event, in order."""
    return [Mishap(*row) for row in await session.rows(_OF_EVENT, {"b_event_id": event_id})]


async def taken_back_among(session: Session, seqs: Collection[int]) -> set[int]:
    """Return which of these deliveries were ever taken back from a relay."""
    return {row[0] for row in await session.rows(_AMONG, {"b_seqs": list(seqs)})} if seqs else set()
