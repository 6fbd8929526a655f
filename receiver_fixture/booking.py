"""The statements of an application: one stored event, its effect and its guard in one transaction."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, or_, select, true, update

from receiver_fixture.clock import SECOND
from receiver_fixture.engine import insert_once
from receiver_fixture.envelope import Envelope, read_envelope, read_json
from receiver_fixture.kinds import kind_of
from receiver_fixture.rules import RIGHT, Booking
from receiver_fixture.schema import applications, orders, resources, webhook_delivery
from receiver_fixture.status import State, read_state

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from receiver_fixture.clock import Micros
    from receiver_fixture.rules import Rules

_PENDING = (
    select(webhook_delivery.c.event_id, webhook_delivery.c.received_at)
    .where(webhook_delivery.c.processed_at.is_(None))
    .order_by(webhook_delivery.c.received_at, webhook_delivery.c.event_id)
    .limit(bindparam("batch"))
)
# Row locks where there are any: a second receiver on the same database waits, then finds the work done.
_TAKE = (
    select(webhook_delivery.c.body)
    .where(webhook_delivery.c.event_id == bindparam("wanted"), webhook_delivery.c.processed_at.is_(None))
    .with_for_update()
)
_DONE = update(webhook_delivery).where(webhook_delivery.c.event_id == bindparam("wanted"))
_STATE = select(resources).where(resources.c.resource_id == bindparam("wanted")).with_for_update()
_MOVE = update(resources).where(resources.c.resource_id == bindparam("wanted"))
_ORDER = update(orders).where(orders.c.external_order_id == bindparam("wanted"))
_FULFIL = _ORDER.values(paid=true(), fulfilled=orders.c.fulfilled + 1)
# While a second invoice of a paid order is open, or when it has expired, it says nothing about the order.
_FOLLOW = _ORDER.where(or_(orders.c.resource_id == bindparam("mine"), orders.c.paid.is_(False)))


class Effect(StrEnum):
    """What applying an event did."""

    BOOKED = "booked"
    MOVED = "moved"
    OLD_NEWS = "old_news"
    UNKNOWN_TYPE = "unknown_type"
    UNREADABLE = "unreadable"


def pending(connection: Connection, batch: int) -> list[tuple[str, Micros]]:
    """Return the ids and arrival times of events that wait to be applied, in order of arrival."""
    return [(row.event_id, row.received_at) for row in connection.execute(_PENDING, {"batch": batch})]


def apply_event(connection: Connection, event_id: str, now: Micros, rules: Rules = RIGHT) -> Effect | None:
    """Apply one stored event exactly once; ``None`` when that has been done already."""
    body: str | None = connection.execute(_TAKE, {"wanted": event_id}).scalar_one_or_none()
    if body is None:
        return None
    effect = _effect(connection, event_id, body, now, rules)
    connection.execute(_DONE, {"wanted": event_id, "processed_at": now, "effect": effect.value})
    return effect


def _effect(connection: Connection, event_id: str, body: str, now: Micros, rules: Rules) -> Effect:
    envelope = read_envelope(read_json(body.encode()))
    if not isinstance(envelope, Envelope):
        return Effect.UNREADABLE
    if kind_of(envelope.event_type) is None:
        return Effect.UNKNOWN_TYPE
    state = read_state(envelope)
    return Effect.UNREADABLE if state is None else _move(connection, event_id, state, now, rules)


def _move(connection: Connection, event_id: str, state: State, now: Micros, rules: Rules) -> Effect:
    moved = _advance(connection, state, rules)
    key = rules.booking_key(Booking(state, event_id, now - state.occurred_at * SECOND))
    guard = {"resource_id": key, "event_id": event_id, "status": state.status, "applied_at": now}
    booked = rules.books(state) and insert_once(connection, applications, guard)
    if not moved and not booked:
        return Effect.OLD_NEWS
    if state.kind == "invoice":
        _write_order(connection, state, booked=booked)
    return Effect.BOOKED if booked else Effect.MOVED


def _advance(connection: Connection, state: State, rules: Rules) -> bool:
    if insert_once(connection, resources, asdict(state)):
        return True
    current = connection.execute(_STATE, {"wanted": state.resource_id}).mappings().one()
    if not rules.follows(State(**current), state):
        return False
    connection.execute(_MOVE, {"wanted": state.resource_id, **asdict(state)})
    return True


def _write_order(connection: Connection, state: State, *, booked: bool) -> None:
    shown = {"resource_id": state.resource_id, "status": state.status}
    fresh = {"external_order_id": state.external_id, **shown, "paid": False, "fulfilled": 0}
    insert_once(connection, orders, fresh)
    if booked:
        connection.execute(_FULFIL, {"wanted": state.external_id, **shown})
    else:
        connection.execute(_FOLLOW, {"wanted": state.external_id, "mine": state.resource_id, **shown})
