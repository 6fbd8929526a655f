"""One attempt from row to record: what to send, and what its answer makes of the delivery. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sender.domain.delivery import Reason, Trigger, failed, succeeded
from sender.durations import MILLISECOND, SECOND
from sender.store.headers import header_lines
from sender.store.outbox import Settlement
from sender.transport import Answer, Outgoing
from sender.wire import AtHand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.domain.endpoint import Endpoint
    from sender.domain.ladder import Ladder
    from sender.durations import Instant
    from sender.providers.profile import Headers, Profile
    from sender.store.outbox import Claimed


class Exchange(NamedTuple):
    """What went out, what came back, and between which virtual instants; ``faults`` names the wire faults in play."""

    sent: Outgoing
    answer: Answer
    started_at: Instant
    finished_at: Instant
    faults: str = ""


def outgoing(row: Claimed, endpoint: Endpoint, profile: Profile, now: Instant, signed_at: Instant) -> Outgoing:
    """Return the request of an attempt made at ``now``: the stored bytes, signed as they are (contract §1.1, §1.4).

    ``signed_at`` is the instant whose whole seconds stand in the timestamp header: real time unless somebody asked for
    the virtual one.
    """
    headers = profile.sign(row.body, endpoint.signing_secrets(now), signed_at // SECOND, row.event_id)
    return Outgoing(endpoint.url, headers, row.body)


def at_hand(row: Claimed, endpoint: Endpoint, profile: Profile, now: Instant, signed_at: Instant) -> AtHand:
    """Return what wire faults may know of that attempt."""

    def sign(secrets: Sequence[str] | None, seconds_ago: int) -> Headers:
        timestamp = max(signed_at // SECOND - seconds_ago, 0)
        return profile.sign(row.body, secrets or endpoint.signing_secrets(now), timestamp, row.event_id)

    return AtHand(row.resource_id, profile.id_header, profile.signature_header, sign)


def settlement(row: Claimed, exchange: Exchange, profile: Profile, ladder: Ladder) -> Settlement:
    """Return what an attempt makes of its row: delivered, the next rung, or failed, with the record of it."""
    answer = exchange.answer
    if answer.reason is None and answer.status is not None and profile.accepts(answer.status):
        return Settlement(row, succeeded(row.delivery), _record(row, exchange, None))
    delivery = failed(row.delivery, ladder, exchange.started_at, exchange.finished_at)
    return Settlement(row, delivery, _record(row, exchange, answer.reason or Reason.STATUS))


def unsendable(row: Claimed, endpoint: Endpoint, failure: Exception, ladder: Ladder, now: Instant) -> Settlement:
    """Return what a fault of our own makes of a row: a failed attempt with its reason, so that it ends some time.

    Left unrecorded the row would stay in hand for as long as the relay lives, and time would wait for it.
    """
    detail = f"it could not be sent: {type(failure).__name__}; this is a fault of the simulator"
    answer = Answer(None, Reason.SENDER, detail)
    exchange = Exchange(Outgoing(endpoint.url, (), row.body), answer, now, now)
    return Settlement(row, failed(row.delivery, ladder, now, now), _record(row, exchange, Reason.SENDER))


def _record(row: Claimed, exchange: Exchange, reason: Reason | None) -> dict[str, Any]:
    before, answer = row.delivery, exchange.answer
    on_the_ladder = before.trigger is Trigger.SCHEDULED and before.due_at is not None
    return {
        "outbox_seq": row.seq,
        "number": before.attempts + 1,
        "trigger": before.trigger.value,
        "counted": True,
        "due_at": before.due_at if on_the_ladder else exchange.started_at,
        "started_at": exchange.started_at,
        "finished_at": exchange.finished_at,
        "duration": answer.elapsed,
        "outcome": "failed" if reason else "delivered",
        "reason": reason.value if reason else None,
        "status": answer.status,
        "detail": answer.detail,
        "url": exchange.sent.url,
        "request_headers": header_lines(exchange.sent.headers),
        "answer_headers": header_lines(answer.headers),
        "answer_body": answer.body,
        "answer_cut": answer.cut,
        "faults": exchange.faults,
        "lease_token": row.token,
    }


def line(one: Settlement) -> dict[str, Any]:
    """Return the values of the wide log line of a recorded attempt; nothing in it is secret."""
    record = one.record
    return {
        "event_id": one.row.event_id,
        "event_type": one.row.event_type,
        "endpoint": one.row.endpoint_id,
        "number": record["number"],
        "trigger": record["trigger"],
        "outcome": record["outcome"],
        "reason": record["reason"],
        "status": record["status"],
        "duration_ms": record["duration"] // MILLISECOND,
        "url": record["url"],
        "next_due_at": one.delivery.due_at,
    }
