"""The laws that need the word of a receiver, the reference receiver or another by a probe; and the list of all laws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.scenario import laws
from sender.scenario.breach import Breach, Law, Witness, breach, times

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sender.scenario.evidence import Evidence, Seen
    from sender.store.reads import AttemptView, EventView

_DELIVERED = "delivered"


def delivered_means_received(evidence: Evidence) -> Iterator[Breach]:
    """Find rows that count as delivered and never reached the receiver, though no fault dropped them on the way."""
    for event, made in _at_receiver(evidence):
        arrived = any(one.outcome == _DELIVERED and "drop" not in one.faults for one in made)
        if arrived and not _received(evidence, event):
            yield breach(event, "it counts as delivered, and the receiver has never seen it")


def no_unplanned_duplicate(evidence: Evidence) -> Iterator[Breach]:
    """Find rows that were received more often than attempts are recorded and deaths and faults explain."""
    for event, made in _at_receiver(evidence):
        planned = evidence.deaths * (1 + evidence.copies)
        planned += sum(evidence.copies for one in made if "duplicate" in one.faults)
        received = _received(evidence, event)
        if received - len(made) > planned:
            yield breach(
                event, f"received {times(received)} in {len(made)} recorded attempts; planned were {planned} more"
            )


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
            yield Breach(event_id, f"the receiver applied it {times(one['applied'])}")
    for order in seen.orders:
        if order["fulfilled"] != int(order["paid"]):
            paid = "paid" if order["paid"] else "not paid"
            yield Breach(order["external_order_id"], f"it is {paid} and was fulfilled {times(order['fulfilled'])}")


def fulfilled_once(evidence: Evidence) -> Iterator[Breach]:
    """Find orders that a probe saw fulfilled though they are not paid, twice, or not though the news was taken."""
    for order, (least, most, found) in (evidence.probed or {}).items():
        if not least <= found <= most:
            due = "its payment was announced and taken" if least else "it is paid" if most else "it is not paid"
            yield Breach(f"order {order}", f"{due}, and it was fulfilled {times(found)}")


LAWS = (
    Law("committed_together", "a transition and what announces it are there together", laws.committed_together),
    Law("nothing_lost", "every delivery is final, or due", laws.nothing_lost),
    Law("ends_for_a_reason", "no delivery ends but by success, ladder or deletion", laws.ends_for_a_reason),
    Law("rung_is_failures", "the rung is the number of recorded failures", laws.rung_is_failures),
    Law("ladder_ends", "no delivery has more attempts than the ladder", laws.ladder_ends),
    Law("gaps_are_the_ladders", "every attempt is due when the ladder says", laws.gaps_are_the_ladders),
    Law("settled_rests", "the ladder never sends again what was delivered", laws.settled_rests),
    Law("body_never_changes", "every attempt carries the bytes that were stored", laws.body_never_changes),
    Law(
        "delivered_means_received", "what counts as delivered was received", delivered_means_received, Witness.RECEIVER
    ),
    Law("no_unplanned_duplicate", "nothing arrives twice unplanned", no_unplanned_duplicate, Witness.RECEIVER),
    Law("only_what_happened", "nothing is announced that was not committed", only_what_happened, Witness.RECEIVER),
    Law(
        "applied_once",
        "every event is applied at most once, every paid order fulfilled once",
        applied_once,
        Witness.RECEIVER,
    ),
    Law("fulfilled_once", "every paid order is fulfilled once, and no other", fulfilled_once, Witness.PROBE),
)


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
