"""What the receiver shows: plain dictionaries ready for JSON, read from the ledger and nowhere else.

Instants are integers of microseconds since the epoch and say so in their names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Row, func, select

from receiver_fixture.schema import applications, orders, receipts, resources, webhook_delivery

if TYPE_CHECKING:
    from collections.abc import Mapping

Shown = dict[str, Any]

RECEIVED_FILTERS = ("event_id", "event_type", "resource_id")

_ACCEPTED = frozenset({"stored", "duplicate"})


def received(connection: Connection, filters: Mapping[str, str]) -> list[Shown]:
    """Sum up every event that was ever named in a request, in order of its first arrival."""
    summaries: dict[str, Shown] = {}
    for row in _receipt_rows(connection, filters):
        summary = summaries.setdefault(row.event_id, _empty_summary(row))
        summary["received"] += 1
        summary["accepted"] += row.outcome in _ACCEPTED
        summary["answered"].append(row.status)
    return list(summaries.values())


def received_event(connection: Connection, event_id: str) -> Shown | None:
    """Return one event's summary with each single request; ``None`` when no request named it."""
    found = received(connection, {"event_id": event_id})
    if not found:
        return None
    rows = _receipt_rows(connection, {"event_id": event_id})
    return {**found[0], "receipts": [_receipt(row) for row in rows]}


def _receipt_rows(connection: Connection, filters: Mapping[str, str]) -> list[Row[Any]]:
    delivery = webhook_delivery.c
    wanted: list[ColumnElement[bool]] = [receipts.c[name] == value for name, value in filters.items()]
    statement = (
        select(receipts, delivery.processed_at, delivery.effect)
        .outerjoin(webhook_delivery, delivery.event_id == receipts.c.event_id)
        .where(receipts.c.event_id.is_not(None), *wanted)
        .order_by(receipts.c.sequence)
    )
    return list(connection.execute(statement))


def _empty_summary(row: Row[Any]) -> Shown:
    return {
        "event_id": row.event_id,
        "event_type": row.event_type,
        "resource_id": row.resource_id,
        "received": 0,
        "accepted": 0,
        "applied": int(row.processed_at is not None),
        "effect": row.effect,
        "answered": [],
    }


def _receipt(row: Row[Any]) -> Shown:
    return {
        "sequence": row.sequence,
        "header_id": row.header_id,
        "verdict": row.verdict,
        "outcome": row.outcome,
        "status": row.status,
        "fault": row.fault,
        "received_at_us": row.received_at,
    }


def order_list(connection: Connection) -> list[Shown]:
    """Return every order, without its events."""
    rows = connection.execute(select(orders).order_by(orders.c.external_order_id))
    return [_order(row) for row in rows]


def order(connection: Connection, external_order_id: str) -> Shown | None:
    """Return one order with the events of its invoices in order of arrival; ``None`` when unknown."""
    wanted = orders.c.external_order_id == external_order_id
    row = connection.execute(select(orders).where(wanted)).one_or_none()
    return None if row is None else {**_order(row), "events": _order_events(connection, external_order_id)}


def _order(row: Row[Any]) -> Shown:
    return {
        "external_order_id": row.external_order_id,
        "status": row.status,
        "paid": row.paid,
        "fulfilled": row.fulfilled,
        "resource_id": row.resource_id,
    }


def _order_events(connection: Connection, external_order_id: str) -> list[Shown]:
    delivery = webhook_delivery.c
    statement = (
        select(webhook_delivery)
        .join(resources, resources.c.resource_id == delivery.resource_id)
        .where(resources.c.kind == "invoice", resources.c.external_id == external_order_id)
        .order_by(delivery.received_at, delivery.event_id)
    )
    return [
        {
            "event_id": row.event_id,
            "event_type": row.event_type,
            "effect": row.effect,
            "received_at_us": row.received_at,
            "processed_at_us": row.processed_at,
        }
        for row in connection.execute(statement)
    ]


def resource_list(connection: Connection) -> list[Shown]:
    """Return the last state of every invoice, withdrawal and deposit, and whether it has been booked."""
    guard = applications.c
    statement = (
        select(resources, guard.event_id)
        .outerjoin(applications, guard.resource_id == resources.c.resource_id)
        .order_by(resources.c.resource_id)
    )
    return [
        {
            "resource_id": row.resource_id,
            "kind": row.kind,
            "external_id": row.external_id,
            "status": row.status,
            "is_final": row.is_final,
            "booked_by": row.event_id,
        }
        for row in connection.execute(statement)
    ]


def stats(connection: Connection) -> Shown:
    """Count requests by verdict and outcome, and events by where they stand."""
    delivery = webhook_delivery.c
    stored, processed = connection.execute(select(func.count(), func.count(delivery.processed_at))).one()
    return {
        "received": connection.execute(select(func.count()).select_from(receipts)).scalar_one(),
        "verdicts": _tally(connection, receipts.c.verdict),
        "outcomes": _tally(connection, receipts.c.outcome),
        "events": stored,
        "applied": processed,
        "pending": stored - processed,
        "booked": connection.execute(select(func.count()).select_from(applications)).scalar_one(),
    }


def _tally(connection: Connection, column: ColumnElement[str]) -> dict[str, int]:
    rows = connection.execute(select(column, func.count()).group_by(column).order_by(column))
    return {row[0]: row[1] for row in rows}
