"""The laws that are checked after every story without being asked (design §3). Each is a pure function of evidence."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from sender.domain.delivery import DeliveryState, Trigger
from sender.domain.signature import webhook_signature
from sender.durations import format_duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sender.scenario.evidence import Evidence, Seen
    from sender.store.reads import AttemptView, EventView

_DELIVERED = "delivered"


@dataclass(frozen=True, slots=True)
class Breach:
    """Where a law does not hold: the event, order or invoice, and what was found."""

    subject: str
    detail: str


@dataclass(frozen=True, slots=True)
class Law:
    """One law. ``of_receiver``: it can only be checked with the reference receiver."""

    name: str
    says: str
    breaches: Callable[[Evidence], Iterator[Breach]]
    of_receiver: bool = False


def nothing_lost(evidence: Evidence) -> Iterator[Breach]:
    """Find rows that are neither final nor due."""
    for event in evidence.events:
        if event.state == DeliveryState.PENDING and event.due_at is None:
            yield _breach(event, "it is pending and never due")
        if event.in_flight:
            yield _breach(event, "it is in the hands of a relay that will not send it")


def ladder_ends(evidence: Evidence) -> Iterator[Breach]:
    """Find rows with more attempts than the ladder has rungs."""
    for event in evidence.events:
        made = len(_on_the_ladder(evidence, event))
        if made > evidence.ladder.attempts:
            yield _breach(event, f"{made} attempts were made, and the ladder has {evidence.ladder.attempts}")


def gaps_are_the_ladders(evidence: Evidence) -> Iterator[Breach]:
    """Find attempts that were due at another instant than the ladder says, or made before they were due."""
    for event in evidence.events:
        made = _on_the_ladder(evidence, event)
        for rung, (before, after) in enumerate(pairwise(made), 1):
            due_at = evidence.ladder.next_due(rung, before.started_at, before.finished_at)
            if after.due_at != due_at:
                late = format_duration(after.due_at - (due_at or 0))
                yield _breach(event, f"attempt {after.number} was due {late} off its rung")
        for one in made:
            if one.started_at < one.due_at:
                early = format_duration(one.due_at - one.started_at)
                yield _breach(event, f"attempt {one.number} was made {early} too early")


def settled_rests(evidence: Evidence) -> Iterator[Breach]:
    """Find rows that the ladder sent again after they had been delivered, and gaps in the numbers of attempts."""
    for event in evidence.events:
        counted = [one for one in evidence.attempts_of(event) if one.counted]
        delivered = [place for place, one in enumerate(counted) if one.outcome == _DELIVERED]
        after = counted[delivered[0] + 1 :] if delivered else []
        if any(one.trigger == Trigger.SCHEDULED for one in after):
            yield _breach(event, "the ladder sent it again after it had been delivered")
        if [one.number for one in counted] != list(range(1, len(counted) + 1)):
            yield _breach(event, f"its attempts are numbered {[one.number for one in counted]}")


def body_never_changes(evidence: Evidence) -> Iterator[Breach]:
    """Find attempts whose signature is not that of the stored bytes under any secret there was."""
    for event in evidence.events:
        body = evidence.bodies.get(event.event_id, b"")
        for one in evidence.attempts_of(event):
            header = dict(one.request_headers).get(evidence.signature_header, "")
            if not _signs(header, body, evidence):
                yield _breach(event, f"attempt {one.number} was signed over other bytes than those that are stored")


def delivered_means_received(evidence: Evidence) -> Iterator[Breach]:
    """Find rows that count as delivered and never reached the receiver."""
    for event, made in _at_receiver(evidence):
        if any(one.outcome == _DELIVERED for one in made) and not _received(evidence, event):
            yield _breach(event, "it counts as delivered, and the receiver has never seen it")


def no_unplanned_duplicate(evidence: Evidence) -> Iterator[Breach]:
    """Find rows that were received more often than attempts are recorded and deaths and faults explain."""
    for event, made in _at_receiver(evidence):
        planned = evidence.deaths * (1 + evidence.copies)
        planned += sum(evidence.copies for one in made if "duplicate" in one.faults)
        received = _received(evidence, event)
        if received - len(made) > planned:
            yield _breach(event, f"received {received} times in {len(made)} recorded attempts; planned were {planned}")


def only_what_happened(evidence: Evidence) -> Iterator[Breach]:
    """Find events that the receiver got and no committed row announces."""
    known = {event.event_id for event in evidence.events}
    for event_id in _seen(evidence).events:
        if event_id not in known:
            yield Breach(event_id, "it was received, and no committed transition announces it")


def applied_once(evidence: Evidence) -> Iterator[Breach]:
    """Find events that were applied twice, and paid orders that were not fulfilled exactly once."""
    seen = _seen(evidence)
    for event_id, one in seen.events.items():
        if one["applied"] > 1:
            yield Breach(event_id, f"the receiver applied it {one['applied']} times")
    for order in seen.orders:
        if order["fulfilled"] != int(order["paid"]):
            paid = "paid" if order["paid"] else "not paid"
            yield Breach(order["external_order_id"], f"it is {paid} and was fulfilled {order['fulfilled']} times")


LAWS = (
    Law("nothing_lost", "every delivery is final, or due", nothing_lost),
    Law("ladder_ends", "no delivery has more attempts than the ladder", ladder_ends),
    Law("gaps_are_the_ladders", "every attempt is due when the ladder says", gaps_are_the_ladders),
    Law("settled_rests", "the ladder never sends again what was delivered", settled_rests),
    Law("body_never_changes", "every attempt carries the bytes that were stored", body_never_changes),
    Law(
        "delivered_means_received", "what counts as delivered was received", delivered_means_received, of_receiver=True
    ),
    Law("no_unplanned_duplicate", "nothing arrives twice unplanned", no_unplanned_duplicate, of_receiver=True),
    Law("only_what_happened", "nothing is announced that was not committed", only_what_happened, of_receiver=True),
    Law(
        "applied_once",
        "every event is applied at most once, every paid order fulfilled once",
        applied_once,
        of_receiver=True,
    ),
)


def _breach(event: EventView, detail: str) -> Breach:
    return Breach(f"{event.event_type} {event.event_id}", detail)


def _on_the_ladder(evidence: Evidence, event: EventView) -> Sequence[AttemptView]:
    return [one for one in evidence.attempts_of(event) if one.counted and one.trigger == Trigger.SCHEDULED]


def _seen(evidence: Evidence) -> Seen:
    if evidence.seen is None:
        raise ValueError("this law needs the reference receiver")
    return evidence.seen


def _at_receiver(evidence: Evidence) -> Iterator[tuple[EventView, Sequence[AttemptView]]]:
    """Return each event with those of its attempts that went to the reference receiver."""
    url = _seen(evidence).url
    for event in evidence.events:
        yield event, [one for one in evidence.attempts_of(event) if one.url == url]


def _received(evidence: Evidence, event: EventView) -> int:
    received: int = _seen(evidence).events.get(event.event_id, {}).get("received", 0)
    return received


def _signs(header: str, body: bytes, evidence: Evidence) -> bool:
    stamp, *values = header.split(",")
    seconds = stamp.removeprefix("t=")
    if not seconds.isdecimal() or not values:
        return False
    known = {webhook_signature(body, secret, int(seconds)) for secret in evidence.secrets}
    return all(value.removeprefix("v1=") in known for value in values)
