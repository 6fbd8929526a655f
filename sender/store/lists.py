"""Lists of resources in pages: newest first, by keyset, with the filters of contract §5.5.

A page begins after the last row of the page before, not after a count of rows: so nothing is lost or repeated while
resources are added, and while many share one instant. A list belongs to one kind and one environment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, case, select, tuple_

from sender.domain.channel import ChannelStatus
from sender.domain.invoice import InvoiceStatus
from sender.domain.withdrawal import WithdrawalStatus
from sender.durations import SECOND
from sender.store.cursor import Position, from_cursor, to_cursor
from sender.store.filters import DEFAULT_LIMIT, check_filter, check_limit, filter_refused, whole_second
from sender.store.resources import decoded
from sender.store.schema import resources

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

    from sqlalchemy import ColumnElement, Select

    from sender.durations import Instant
    from sender.store.engine import Session

STATUSES: Mapping[str, type[StrEnum]] = {
    "invoice": InvoiceStatus,
    "withdrawal": WithdrawalStatus,
    "payment_channel": ChannelStatus,
}
"""The kinds that can be listed, and their statuses."""

_EXTERNAL_ID_FIELDS = {"payment_channel": "external_id"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a list shall hold; a filter that is ``None`` or empty lets everything through.

    Both bounds are inclusive and count whole seconds, as ``created_at`` is shown. Withdrawals have no project.
    """

    kind: str
    is_test: bool
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None
    statuses: tuple[str, ...] = ()
    project_id: str | None = None
    external_id: str | None = None
    created_from: Instant | None = None
    created_to: Instant | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Some resources in order, and where the next page begins; ``None`` after the last one."""

    items: list[Any]
    next_cursor: str | None


_order = tuple_(resources.c.created_at, resources.c.seq)
_PAGE = (
    select(resources.c.kind, resources.c.document, resources.c.created_at, resources.c.seq)
    .where(resources.c.kind == bindparam("b_kind"))
    .order_by(resources.c.created_at.desc(), resources.c.seq.desc())
    .limit(bindparam("b_limit"))
)


async def page(session: Session, query: Query) -> Page:
    """Return one page of a list.

    Raises ``RequestRefused`` (``field_invalid``, naming the field) for a limit outside 1 to 100, a status that is
    unknown or named twice, an end that is not after the beginning, and a cursor of another list.
    """
    _check(query)
    params = {"b_kind": query.kind, "b_limit": query.limit + 1}
    rows = await session.rows(_filtered(query), params)
    shown = rows[: query.limit]
    more = len(rows) > query.limit
    position = Position(shown[-1].created_at, shown[-1].seq) if more else None
    return Page([decoded(row) for row in shown], position and to_cursor(_name(query), position))


def _filtered(query: Query) -> Select[Any]:
    conditions = [_environment(query)]
    if query.cursor is not None:
        after = from_cursor(_name(query), query.cursor)
        conditions.append(_order < tuple(after))
    if query.statuses:
        conditions.append(resources.c.status.in_(query.statuses))
    if query.project_id is not None:
        conditions.append(resources.c.project_id == query.project_id)
    if query.external_id is not None:
        conditions.append(resources.c.external_id == query.external_id)
    if query.created_from is not None:
        conditions.append(resources.c.created_at >= whole_second(query.created_from))
    if query.created_to is not None:
        conditions.append(resources.c.created_at < whole_second(query.created_to) + SECOND)
    return _PAGE.where(*conditions)


def _environment(query: Query) -> ColumnElement[bool]:
    if query.external_id is None:
        return resources.c.is_test == query.is_test
    # A form that no index serves: else SQLite walks the whole list, though an external id finds a row or two at once.
    return case((resources.c.is_test, 1), else_=0) == int(query.is_test)


def _check(query: Query) -> None:
    check_limit(query.limit)
    known = STATUSES[query.kind]
    unknown = [status for status in query.statuses if status not in set(known)]
    if unknown:
        raise filter_refused(f"{unknown[0]!r} is not a status; there are {', '.join(known)}", "status")
    if len(set(query.statuses)) != len(query.statuses):
        raise filter_refused("a status is named twice", "status")
    check_filter(query.project_id, "project_id")
    check_filter(query.external_id, _EXTERNAL_ID_FIELDS.get(query.kind, "external_order_id"))
    first, last = query.created_from, query.created_to
    if first is not None and last is not None and last <= first:
        raise filter_refused("created_to must be later than created_from", "created_to")


def _name(query: Query) -> str:
    return f"{query.kind}/{'test' if query.is_test else 'live'}"
