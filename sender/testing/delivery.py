"""What a test sees of a delivery: where it stands, and every attempt of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sender.durations import format_duration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sender.durations import Instant
    from sender.store.reads import AttemptView, EventView


@dataclass(frozen=True, slots=True)
class Attempt:
    """One POST. ``at`` is the virtual time since the delivery was first due, written as in ``1h3m``."""

    number: int
    at: str
    status: int | None
    reason: str | None
    outcome: str
    trigger: str
    faults: tuple[str, ...]
    headers: Mapping[str, str]
    answer: bytes
    detail: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event for one endpoint. ``state`` is pending, delivered, failed or cancelled."""

    event: str
    event_id: str
    resource_id: str
    endpoint_id: str
    state: str
    body: bytes
    attempts: tuple[Attempt, ...]

    @property
    def json(self) -> Any:
        """The document in the body."""
        return json.loads(self.body)

    @property
    def statuses(self) -> list[int | None]:
        """The status of each attempt, ``None`` where none came."""
        return [one.status for one in self.attempts]

    @property
    def reasons(self) -> list[str | None]:
        """Why each attempt failed, ``None`` where it did not."""
        return [one.reason for one in self.attempts]

    @property
    def at(self) -> list[str]:
        """When each attempt was made, since the delivery was first due."""
        return [one.at for one in self.attempts]


def delivery_of(event: EventView, body: bytes, attempts: Sequence[AttemptView]) -> Delivery:
    """Return the delivery that a row and its attempts are."""
    origin = attempts[0].due_at if attempts else 0
    made = tuple(_attempt(one, origin) for one in attempts)
    return Delivery(
        event.event_type, event.event_id, event.resource_id, event.endpoint_id, str(event.state), body, made
    )


def _attempt(one: AttemptView, origin: Instant) -> Attempt:
    return Attempt(
        number=one.number,
        at=format_duration(one.started_at - origin),
        status=one.status,
        reason=one.reason,
        outcome=one.outcome,
        trigger=one.trigger,
        faults=one.faults,
        headers=dict(one.request_headers),
        answer=one.answer_body,
        detail=one.detail,
    )
