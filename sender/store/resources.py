"""Resources and their history: each stored whole as a document beside the columns that are searched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from sqlalchemy import bindparam, func, select, update

from sender.domain.channel import Channel
from sender.domain.deposit import Deposit
from sender.domain.invoice import Invoice
from sender.domain.text import can_travel
from sender.domain.withdrawal import Withdrawal
from sender.errors import NotFound
from sender.store.schema import history, resources
from sender.suggest import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Row

    from sender.domain.resource import Resource, Wanted
    from sender.durations import Instant
    from sender.store.engine import Session

KINDS: dict[str, type[Any]] = {one.kind: one for one in (Invoice, Withdrawal, Channel, Deposit)}


@dataclass(frozen=True, slots=True)
class Deadline:
    """A resource that time alone changes, and when."""

    at: Instant
    kind: str
    resource_id: str


@dataclass(frozen=True, slots=True)
class Transitioned:
    """One row of the history; ``event_type`` is ``None`` for a silent transition."""

    seq: int
    resource_id: str
    event_type: str | None
    status: str
    note: str
    deliveries: int
    occurred_at: Instant


_BY_ID = select(resources.c.kind, resources.c.is_test, resources.c.document).where(resources.c.id == bindparam("b_id"))
_BY_EXTERNAL_ID = select(resources.c.kind, resources.c.document).where(
    resources.c.kind == bindparam("b_kind"),
    resources.c.project_id == bindparam("b_project"),
    resources.c.external_id == bindparam("b_external"),
)
_UPDATE = (
    update(resources)
    .where(resources.c.id == bindparam("b_id"))
    .values(
        status=bindparam("b_status"),
        deadline_at=bindparam("b_deadline"),
        updated_at=bindparam("b_updated"),
        document=bindparam("b_document"),
    )
)
_NEWEST = (
    select(resources.c.id).where(resources.c.kind == bindparam("b_kind")).order_by(resources.c.seq.desc()).limit(1)
)
_NEXT = select(func.min(resources.c.deadline_at)).where(resources.c.deadline_at.is_not(None))
_DUE = (
    select(resources.c.deadline_at, resources.c.kind, resources.c.id)
    .where(resources.c.deadline_at.is_not(None), resources.c.deadline_at <= bindparam("b_now"))
    .order_by(resources.c.deadline_at, resources.c.seq)
)
_HISTORY = select(history).where(history.c.resource_id == bindparam("b_id")).order_by(history.c.seq)


async def load(session: Session, resource_id: str, kind: str | None = None, *, is_test: bool | None = None) -> Any:
    """Return a resource as it stands.

    Raises ``NotFound`` (``KIND_not_found``), also for one of another kind or environment where those are given.
    """
    if can_travel(resource_id):
        for row in await session.rows(_BY_ID, {"b_id": resource_id}):
            if kind in {None, row.kind} and is_test in {None, row.is_test}:
                return decoded(row)
    what = (kind or "resource").replace("_", " ")
    message = f"there is no {what} {shown(resource_id)}"
    raise NotFound(message, code=f"{kind}_not_found" if kind else None)


async def find(session: Session, wanted: Wanted) -> Any | None:
    """Return the resource that a merchant made under its own id, if there is one, in whatever environment."""
    params = {"b_kind": wanted.kind, "b_project": wanted.project_id, "b_external": wanted.external_id}
    if can_travel(wanted.external_id):
        for row in await session.rows(_BY_EXTERNAL_ID, params):
            return decoded(row)
    return None


async def newest(session: Session, kind: str) -> str | None:
    """Return the id of the resource of a kind that was made last."""
    return next((row.id for row in await session.rows(_NEWEST, {"b_kind": kind})), None)


async def add(session: Session, seq: int, resource: Resource) -> None:
    """Store a new resource."""
    await session.add(resources, [{
        "seq": seq,
        "kind": resource.kind,
        "id": resource.id,
        "project_id": resource.project_id,
        "external_id": resource.external_id,
        "is_test": resource.is_test,
        "status": resource.status,
        "deadline_at": resource.deadline_at,
        "created_at": resource.created_at,
        "updated_at": resource.updated_at,
        "document": _encoded(resource),
    }])  # fmt: skip


async def change(session: Session, resource: Resource) -> None:
    """Store a resource after a transition."""
    await session.run(_UPDATE, {
        "b_id": resource.id,
        "b_status": resource.status,
        "b_deadline": resource.deadline_at,
        "b_updated": resource.updated_at,
        "b_document": _encoded(resource),
    })  # fmt: skip


async def remember(session: Session, entry: Transitioned) -> None:
    """Add a row to the history."""
    await session.add(history, [{
        "seq": entry.seq,
        "resource_id": entry.resource_id,
        "event_type": entry.event_type,
        "status": entry.status,
        "note": entry.note,
        "deliveries": entry.deliveries,
        "occurred_at": entry.occurred_at,
    }])  # fmt: skip


async def history_of(session: Session, resource_id: str) -> Sequence[Transitioned]:
    """Return every transition of a resource, the silent ones too, oldest first."""
    return [Transitioned(*row) for row in await session.rows(_HISTORY, {"b_id": resource_id})]


async def next_deadline(session: Session) -> Instant | None:
    """Return when time alone next changes a resource."""
    ((at,),) = await session.rows(_NEXT)
    return None if at is None else int(at)


async def due(session: Session, now: Instant) -> list[Deadline]:
    """Return the deadlines reached at ``now``, by due time, then by creation."""
    return [Deadline(*row) for row in await session.rows(_DUE, {"b_now": now})]


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(KINDS[kind])


def _encoded(resource: Resource) -> str:
    return _adapter(resource.kind).dump_json(resource).decode()


def decoded(row: Row[Any]) -> Any:
    """Return the resource that a row with ``kind`` and ``document`` holds, as its kind's class."""
    return _adapter(row.kind).validate_json(row.document)
