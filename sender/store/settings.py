"""Endpoints and faults: what is set up from outside and read by relays when the revision says that it changed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, insert, select, update

from sender.domain.endpoint import Endpoint, EndpointStatus
from sender.domain.fault import Fault, FaultMatch
from sender.errors import NotFound
from sender.store.schema import endpoints, faults
from sender.store.world import revise

if TYPE_CHECKING:
    from sqlalchemy import Row

    from sender.store.engine import Session

_ENDPOINTS = select(endpoints).order_by(endpoints.c.created_at, endpoints.c.id)
_ENDPOINT = select(endpoints).where(endpoints.c.id == bindparam("b_id"))
_ARMED = select(faults).where(faults.c.remaining > 0).order_by(faults.c.seq)
_TAKE = update(faults).where(faults.c.seq == bindparam("b_seq"), faults.c.remaining > 0).values(
    remaining=faults.c.remaining - 1
)  # fmt: skip


async def read_endpoints(session: Session) -> list[Endpoint]:
    """Return every endpoint, deleted ones too, oldest first."""
    return [_endpoint(row) for row in await session.rows(_ENDPOINTS)]


async def read_endpoint(session: Session, endpoint_id: str) -> Endpoint:
    """Return one endpoint. Raises ``NotFound``."""
    found = await session.rows(_ENDPOINT, {"b_id": endpoint_id})
    if not found:
        message = f"there is no endpoint {endpoint_id}"
        raise NotFound(message)
    return _endpoint(found[0])


async def add_endpoint(session: Session, endpoint: Endpoint) -> None:
    """Store a new endpoint."""
    await session.run(insert(endpoints), _endpoint_columns(endpoint))
    await revise(session)


async def change_endpoint(session: Session, endpoint: Endpoint) -> None:
    """Store an endpoint that was edited, rotated, suspended, resumed or deleted."""
    columns = _endpoint_columns(endpoint)
    await session.run(update(endpoints).where(endpoints.c.id == endpoint.id).values(columns))
    await revise(session)


async def arm(session: Session, fault: Fault) -> int:
    """Store a fault; return the id under which it can be disarmed."""
    ((seq,),) = await session.rows(insert(faults).returning(faults.c.seq), _fault_columns(fault))
    await revise(session)
    return int(seq)


async def disarm(session: Session, fault_id: int | None = None) -> int:
    """Take back one fault, or all; return how many there were."""
    statement = delete(faults) if fault_id is None else delete(faults).where(faults.c.seq == fault_id)
    count = await session.run(statement)
    await revise(session)
    return count


async def armed_faults(session: Session) -> list[Fault]:
    """Return the faults that still strike, in the order in which they were armed."""
    return [_fault(row) for row in await session.rows(_ARMED)]


async def take(session: Session, fault: Fault) -> bool:
    """Use a fault once; tell whether it was still there. Durable with the transaction it is taken in."""
    return await session.run(_TAKE, {"b_seq": fault.id}) == 1


def _endpoint(row: Row[Any]) -> Endpoint:
    return Endpoint(
        id=row.id,
        url=row.url,
        secret=row.secret,
        is_test=row.is_test,
        categories=tuple(json.loads(row.categories)),
        project_id=row.project_id,
        status=EndpointStatus(row.status),
        previous_secret=row.previous_secret,
        previous_secret_invalid_at=row.previous_secret_invalid_at,
        created_at=row.created_at,
    )


def _endpoint_columns(endpoint: Endpoint) -> dict[str, Any]:
    names = (
        "id",
        "url",
        "secret",
        "is_test",
        "project_id",
        "previous_secret",
        "previous_secret_invalid_at",
        "created_at",
    )
    return {
        **{name: getattr(endpoint, name) for name in names},
        "categories": json.dumps(endpoint.categories),
        "status": endpoint.status.value,
    }


def _fault(row: Row[Any]) -> Fault:
    match = FaultMatch(row.event_type, row.event_id, row.endpoint_id, row.attempt)
    return Fault(row.kind, row.name, match, json.loads(row.params), row.remaining, row.seq)


def _fault_columns(fault: Fault) -> dict[str, Any]:
    return {
        "kind": fault.kind,
        "name": fault.name,
        "event_type": fault.match.event_type,
        "event_id": fault.match.event_id,
        "endpoint_id": fault.match.endpoint_id,
        "attempt": fault.match.attempt,
        "params": json.dumps(dict(fault.params)),
        "remaining": fault.remaining,
    }
