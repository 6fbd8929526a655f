"""The life of one outbox row: pending until delivered, failed or cancelled, moved by what attempts bring home."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from sender.domain.ladder import Ladder
from sender.durations import Instant
from sender.errors import Conflict


class DeliveryState(StrEnum):
    """Where a delivery stands. Only ``pending`` has a next rung; the others are final for the ladder."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Trigger(StrEnum):
    """Who asked for an attempt: the ladder, or a person."""

    SCHEDULED = "scheduled"
    MANUAL = "manual"


class Reason(StrEnum):
    """Why an attempt failed, one word per kind; ``sender`` is a fault of ours, before or after the request."""

    REFUSED = "refused"
    DNS = "dns"
    TLS = "tls"
    TIMEOUT = "timeout"
    RESET = "reset"
    CLOSED = "closed"
    PROTOCOL = "protocol"
    STATUS = "status"
    SENDER = "sender"


@dataclass(frozen=True, slots=True)
class Delivery:
    """The mutable half of an outbox row.

    ``due_at`` is the ladder's next rung and stands still while a person resends; ``claim_at`` is when a relay may take
    the row (none while it is leased or settled). ``attempts`` counts every recorded attempt, ``failures`` those of the
    ladder: the rung is the number of recorded failures, so a crash or a fault of our own storage spends none.
    """

    state: DeliveryState
    due_at: Instant | None
    claim_at: Instant | None
    trigger: Trigger = Trigger.SCHEDULED
    attempts: int = 0
    failures: int = 0


def queued(now: Instant) -> Delivery:
    """Return a new delivery, due at once."""
    return Delivery(DeliveryState.PENDING, due_at=now, claim_at=now)


def succeeded(delivery: Delivery) -> Delivery:
    """Return the delivery after a 2xx, whoever asked for the attempt."""
    return Delivery(DeliveryState.DELIVERED, None, None, attempts=delivery.attempts + 1, failures=delivery.failures)


def failed(delivery: Delivery, ladder: Ladder, started_at: Instant, finished_at: Instant) -> Delivery:
    """Return the delivery after a failed attempt: the next rung, or ``failed`` once the ladder is exhausted.

    A failed manual attempt is counted and moves nothing (design §4).
    """
    attempts = delivery.attempts + 1
    if delivery.trigger is Trigger.MANUAL:
        return replace(delivery, claim_at=delivery.due_at, trigger=Trigger.SCHEDULED, attempts=attempts)
    failures = delivery.failures + 1
    due_at = ladder.next_due(failures, started_at, finished_at)
    state = DeliveryState.FAILED if due_at is None else DeliveryState.PENDING
    return Delivery(state, due_at, due_at, attempts=attempts, failures=failures)


def resent(delivery: Delivery, now: Instant, *, in_flight: bool) -> Delivery:
    """Return the delivery with one manual attempt due at once, on top of whatever the ladder still holds.

    Raises ``Conflict`` for a cancelled row and while an attempt, or an earlier resend, has not come home.
    """
    if delivery.state is DeliveryState.CANCELLED:
        message = "the endpoint of this event was deleted; there is nobody to resend to"
        raise Conflict(message, code="delivery_cancelled")
    if in_flight or delivery.trigger is Trigger.MANUAL:
        message = "an attempt of this event is under way; resend it when that one is recorded"
        raise Conflict(message, code="delivery_in_flight")
    return replace(delivery, claim_at=now, trigger=Trigger.MANUAL)
