"""The feed of confirmed deposits: oldest first, without an end (contract §3.5, §5.5).

Its order is the order in which confirmations were committed, kept in a table of its own. The time of the confirmation
and the age of the deposit would not do: while time stands still an older deposit may be confirmed after a newer one,
and would slip in behind a reader's cursor.

The provider's feed may stop before a deposit that its own books do not agree on, and says so as ``blocked`` (contract
§3.5). Our books cannot disagree: a deposit enters the feed in the transaction that confirms it. So a stop is something
that is ordered, for whoever wants to see what his reconciliation makes of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, func, insert, select, update

from sender.store.cursor import Position, from_cursor, to_cursor
from sender.store.filters import DEFAULT_LIMIT, check_filter, check_limit, filter_refused, whole_second
from sender.store.resources import decoded
from sender.store.schema import deposit_feed, resources

if TYPE_CHECKING:
    from sqlalchemy import Select

    from sender.domain.deposit import Deposit
    from sender.durations import Instant
    from sender.store.engine import Session

_NAME = "deposit_feed"
_FIRST = Position(0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedQuery:
    """Which confirmed deposits are wanted. ``confirmed_from`` is for the first call, which has no cursor yet."""

    is_test: bool
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None
    project_id: str | None = None
    channel_id: str | None = None
    confirmed_from: Instant | None = None


@dataclass(frozen=True, slots=True)
class Blocked:
    """The deposit before which the feed stops, and why."""

    deposit_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class FeedPage:
    """Some confirmed deposits, and where to go on; there is always somewhere, also after an empty page."""

    items: list[Any]
    next_cursor: str
    blocked: Blocked | None = None


_END = select(func.coalesce(func.max(deposit_feed.c.seq), 0))
_PAGE = (
    select(
        resources.c.kind, resources.c.document, deposit_feed.c.seq, deposit_feed.c.deposit_id, deposit_feed.c.blocked
    )
    .join(resources, resources.c.id == deposit_feed.c.deposit_id)
    .where(
        deposit_feed.c.is_test == bindparam("b_is_test"),
        deposit_feed.c.seq > bindparam("b_after"),
        deposit_feed.c.seq <= bindparam("b_end"),
    )
    .order_by(deposit_feed.c.seq)
    .limit(bindparam("b_limit"))
)
_APPEND = insert(deposit_feed)
_BLOCK = (
    update(deposit_feed)
    .where(deposit_feed.c.deposit_id == bindparam("b_deposit"))
    .values(blocked=bindparam("b_reason"))
)


async def append(session: Session, seq: int, deposit: Deposit) -> None:
    """Enter a deposit that was confirmed by the transition ``seq``."""
    await session.run(_APPEND, {
        "seq": seq,
        "deposit_id": deposit.id,
        "channel_id": deposit.channel_id,
        "project_id": deposit.project_id,
        "is_test": deposit.is_test,
        "confirmed_at": deposit.confirmed_at,
    })  # fmt: skip


async def deposits(session: Session, query: FeedQuery) -> FeedPage:
    """Return one page of the feed.

    The cursor of a page that is not full lies at the end of the whole feed, so that what the filters skipped is not
    looked at again. A page ends before a deposit that blocks the feed, and so does the next one, until it is let go.
    Raises ``RequestRefused`` (``field_invalid``) for a limit outside 1 to 100, a cursor of another list, and
    ``confirmed_from`` beside a cursor.
    """
    after = _after(query)
    ((end,),) = await session.rows(_END)
    params = {"b_is_test": query.is_test, "b_after": after.seq, "b_end": end, "b_limit": query.limit}
    rows = await session.rows(_filtered(query), params)
    stop = next((place for place, row in enumerate(rows) if row.blocked is not None), None)
    if stop is None:
        reached = rows[-1].seq if len(rows) == query.limit else max(end, after.seq)
        return FeedPage([decoded(row) for row in rows], to_cursor(_name(query), Position(0, reached)))
    reached = rows[stop - 1].seq if stop else after.seq
    return FeedPage(
        [decoded(row) for row in rows[:stop]],
        to_cursor(_name(query), Position(0, reached)),
        Blocked(rows[stop].deposit_id, rows[stop].blocked),
    )


async def block(session: Session, deposit_id: str, reason: str | None) -> bool:
    """Let the feed stop before a deposit, or go on with ``None``; tell whether the deposit is in the feed."""
    return await session.run(_BLOCK, {"b_deposit": deposit_id, "b_reason": reason}) == 1


def _after(query: FeedQuery) -> Position:
    check_limit(query.limit)
    check_filter(query.project_id, "project_id")
    check_filter(query.channel_id, "payment_channel_id")
    if query.cursor is None:
        return _FIRST
    if query.confirmed_from is not None:
        raise filter_refused("confirmed_from is for the first call; go on with the cursor alone", "confirmed_from")
    return from_cursor(_name(query), query.cursor)


def _filtered(query: FeedQuery) -> Select[Any]:
    statement = _PAGE
    if query.project_id is not None:
        statement = statement.where(deposit_feed.c.project_id == query.project_id)
    if query.channel_id is not None:
        statement = statement.where(deposit_feed.c.channel_id == query.channel_id)
    if query.confirmed_from is not None:
        statement = statement.where(deposit_feed.c.confirmed_at >= whole_second(query.confirmed_from))
    return statement


def _name(query: FeedQuery) -> str:
    return f"{_NAME}/{'test' if query.is_test else 'live'}"
