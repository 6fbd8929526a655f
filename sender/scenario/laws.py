"""The laws that are checked after every story without being asked (design §3): those of the sender's own records.

Each is a pure function of evidence. What the receiver has to say is in ``receiver_laws``.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from sender.domain.delivery import DeliveryState, Trigger
from sender.domain.signature import webhook_signature
from sender.durations import format_duration
from sender.scenario.breach import Breach, breach
from sender.wire import FORGERIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sender.scenario.evidence import Evidence
    from sender.store.reads import AttemptView, EventView

_DELIVERED = "delivered"


def committed_together(evidence: Evidence) -> Iterator[Breach]:
    """Find transitions without the rows that announce them, and rows that no transition announces."""
    announced = {event.seq: event for event in evidence.events}
    for row in evidence.history:
        # The rows of a transition have the numbers behind its own.
        mine = [announced.pop(row.seq + number, None) for number in range(1, row.deliveries + 1)]
        found = [one for one in mine if one and (one.resource_id, one.event_type) == (row.resource_id, row.event_type)]
        if len(found) != row.deliveries:
            what = row.event_type or f"a silent transition to {row.status}"
            yield Breach(
                f"{what} of {row.resource_id}", f"{row.deliveries} rows were written, and {len(found)} are there"
            )
    for event in announced.values():
        yield breach(event, "it announces a transition that was never committed")


def nothing_lost(evidence: Evidence) -> Iterator[Breach]:
    """Find rows that are neither final nor due."""
    for event in evidence.events:
        if event.state == DeliveryState.PENDING and event.due_at is None:
            yield breach(event, "it is pending and never due")
        if event.in_flight:
            yield breach(event, "it is in the hands of a relay that will not send it")


def ends_for_a_reason(evidence: Evidence) -> Iterator[Breach]:
    """Find rows that are delivered without a 2xx, failed before the ladder's end, or cancelled with their endpoint."""
    for event in evidence.events:
        taken = any(one.counted and one.outcome == _DELIVERED for one in evidence.attempts_of(event))
        if event.state == DeliveryState.DELIVERED and not taken:
            yield breach(event, "it counts as delivered, and no attempt on record was taken")
        if event.state == DeliveryState.FAILED and event.failures < evidence.ladder.attempts:
            yield breach(event, f"it was given up after {event.failures} of {evidence.ladder.attempts} attempts")
        if event.state == DeliveryState.CANCELLED and event.endpoint_id not in evidence.deleted:
            yield breach(event, "it was cancelled, and its endpoint was not deleted")


def rung_is_failures(evidence: Evidence) -> Iterator[Breach]:
    """Find rows whose rung is not the number of failures on record: a death or a lost lease must spend none."""
    for event in evidence.events:
        failed = sum(one.outcome != _DELIVERED for one in _on_the_ladder(evidence, event))
        if event.failures != failed:
            yield breach(event, f"it stands on rung {event.failures}, and {failed} failures are on record")


def ladder_ends(evidence: Evidence) -> Iterator[Breach]:
    """Find rows with more attempts than the ladder has rungs."""
    for event in evidence.events:
        made = len(_on_the_ladder(evidence, event))
        if made > evidence.ladder.attempts:
            yield breach(event, f"{made} attempts were made, and the ladder has {evidence.ladder.attempts}")


def gaps_are_the_ladders(evidence: Evidence) -> Iterator[Breach]:
    """Find attempts that were due at another instant than the ladder says, or made before they were due."""
    for event in evidence.events:
        made = _on_the_ladder(evidence, event)
        for rung, (before, after) in enumerate(pairwise(made), 1):
            due_at = evidence.ladder.next_due(rung, before.started_at, before.finished_at)
            if after.due_at != due_at:
                late = format_duration(after.due_at - (due_at or 0))
                yield breach(event, f"attempt {after.number} was due {late} off its rung")
        for one in made:
            if one.started_at < one.due_at:
                early = format_duration(one.due_at - one.started_at)
                yield breach(event, f"attempt {one.number} was made {early} too early")


def settled_rests(evidence: Evidence) -> Iterator[Breach]:
    """Find rows that the ladder sent again after they had been delivered, and gaps in the numbers of attempts."""
    for event in evidence.events:
        counted = [one for one in evidence.attempts_of(event) if one.counted]
        delivered = [place for place, one in enumerate(counted) if one.outcome == _DELIVERED]
        after = counted[delivered[0] + 1 :] if delivered else []
        if any(one.trigger == Trigger.SCHEDULED for one in after):
            yield breach(event, "the ladder sent it again after it had been delivered")
        if [one.number for one in counted] != list(range(1, len(counted) + 1)):
            yield breach(event, f"its attempts are numbered {[one.number for one in counted]}")


def body_never_changes(evidence: Evidence) -> Iterator[Breach]:
    """Find attempts, but those of a forging fault, whose signature is not that of the stored bytes under any secret."""
    for event in evidence.events:
        body = evidence.bodies.get(event.event_id, b"")
        for one in evidence.attempts_of(event):
            header = dict(one.request_headers).get(evidence.signature_header, "")
            if FORGERIES.isdisjoint(one.faults) and not _signs(header, body, evidence):
                yield breach(event, f"attempt {one.number} was signed over other bytes than those that are stored")


def _on_the_ladder(evidence: Evidence, event: EventView) -> Sequence[AttemptView]:
    return [one for one in evidence.attempts_of(event) if one.counted and one.trigger == Trigger.SCHEDULED]


def _signs(header: str, body: bytes, evidence: Evidence) -> bool:
    stamp, *values = header.split(",")
    seconds = stamp.removeprefix("t=")
    if not seconds.isdecimal() or not values:
        return False
    known = {webhook_signature(body, secret, int(seconds)) for secret in evidence.secrets}
    return all(value.removeprefix("v1=") in known for value in values)
