"""Resources and their history: each stored whole as a document beside the columns that are searched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from sqlalchemy import bindparam, func, insert, select, update

from sender.domain.invoice import Invoice
from sender.errors import NotFound
from sender.store.schema import history, resources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Row

    from sender.domain.resource import Resource
    from sender.durations import Instant
    from sender.store.engine import Session

KINDS: dict[str, type[Any]] = {"invoice": Invoice}


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


_BY_ID = select(resources.c.kind, resources.c.document).where(resources.c.id == bindparam("b_id"))
_BY_EXTERNAL_ID = select(resources.c.kind, resources.c.document).where(
    resources.c.kind == bindparam("b_kind"),
    resources.c.project_id == bindparam("b_project"),
    resources.c.external_id == bindparam("b_external"),
)
_INSERT = insert(resources)
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
_NEXT = select(func.min(resources.c.deadline_at)).where(resources.c.deadline_at.is_not(None))
_DUE = (
    select(resources.c.deadline_at, resources.c.kind, resources.c.id)
    .where(resources.c.deadline_at.is_not(None), resources.c.deadline_at <= bindparam("b_now"))
    .order_by(resources.c.deadline_at, resources.c.seq)
)
_HISTORY = select(history).where(history.c.resource_id == bindparam("b_id")).order_by(history.c.seq)
_INSERT_HISTORY = insert(history)


async def load(session: Session, resource_id: str) -> Resource:
    """Return a resource as it stands. Raises ``NotFound``."""
    for row in await session.rows(_BY_ID, {"b_id": resource_id}):
        return _decoded(row)
    message = f"there is no resource {resource_id}"
    raise NotFound(message)


async def find(session: Session, kind: str, project_id: str, external_id: str) -> Resource | None:
    """Return the resource that a merchant made under its own id, if there is one."""
    params = {"b_kind": kind, "b_project": project_id, "b_external": external_id}
    for row in await session.rows(_BY_EXTERNAL_ID, params):
        return _decoded(row)
    return None


async def add(session: Session, seq: int, resource: Resource) -> None:
    """Store a new resource."""
    await session.run(_INSERT, {
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
    })  # fmt: skip


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
    await session.run(_INSERT_HISTORY, {
        "seq": entry.seq,
        "resource_id": entry.resource_id,
        "event_type": entry.event_type,
        "status": entry.status,
        "note": entry.note,
        "deliveries": entry.deliveries,
        "occurred_at": entry.occurred_at,
    })  # fmt: skip


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
    return _adapter(resource.kind).dump_json(resource, exclude_none=True).decode()


def _decoded(row: Row[Any]) -> Resource:
    resource: Resource = _adapter(row.kind).validate_json(row.document)
    return resource
