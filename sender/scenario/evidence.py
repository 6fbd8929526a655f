"""Everything that the laws look at, gathered once when a story is over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from sender.domain.endpoint import EndpointStatus
from sender.scenario.receiving import FULFILLING, orders_seen
from sender.store import reads, resources, settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from sender.domain.ladder import Ladder
    from sender.scenario.play import Play
    from sender.scenario.watching import Watch
    from sender.store.engine import Session
    from sender.store.reads import AttemptView, EventView
    from sender.store.resources import Transitioned


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the reference receiver has: per event how often received and applied, its orders, and its address."""

    url: str
    events: Mapping[str, Mapping[str, Any]]
    orders: Sequence[Mapping[str, Any]]


class Fulfilment(NamedTuple):
    """How often an order may have been fulfilled, at the least and at the most, and how often a probe says it was."""

    least: int
    most: int
    found: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A story as it ended. ``seen`` is ``None`` where the receiver is somebody else's.

    ``deaths`` counts relays that died; ``copies`` is the most that one wire fault duplicates. ``bodies`` are the stored
    bytes by event, ``secrets`` all that ever signed. ``probed`` is what a probe saw, by order, where there was one.
    """

    ladder: Ladder
    events: Sequence[EventView]
    attempts: Mapping[int, Sequence[AttemptView]]
    bodies: Mapping[str, bytes] = field(default_factory=dict)
    secrets: AbstractSet[str] = frozenset()
    signature_header: str = ""
    deaths: int = 0
    copies: int = 1
    seen: Seen | None = None
    history: Sequence[Transitioned] = ()
    deleted: AbstractSet[str] = frozenset()
    probed: Mapping[str, Fulfilment] | None = None

    def attempts_of(self, event: EventView) -> Sequence[AttemptView]:
        """Return the recorded attempts of an event in their order."""
        return self.attempts.get(event.seq, ())


async def gather(play: Play, watch: Watch) -> Evidence:
    """Return the evidence of a story that is over."""
    async with play.simulator.database.read() as session:
        events, attempts = await reads.events(session), await _attempts(session)
        bodies = {one.event_id: await reads.body_of(session, one.event_id) or b"" for one in events}
        concerned = {*(one.resource_id for one in events), *(one.id for one in play.created.values())}
        history = [row for one in sorted(concerned) for row in await resources.history_of(session, one)]
        endpoints = await settings.read_endpoints(session)
    return Evidence(
        ladder=play.simulator.settings.relay.ladder,
        events=events,
        attempts=attempts,
        bodies=bodies,
        secrets=watch.secrets,
        signature_header=play.simulator.profile.signature_header,
        deaths=watch.deaths,
        copies=play.copies,
        seen=await _seen(play),
        history=history,
        deleted={one.id for one in endpoints if one.status is EndpointStatus.DELETED},
        probed=await _probed(play, [one for made in attempts.values() for one in made]),
    )


async def _attempts(session: Session) -> dict[int, list[AttemptView]]:
    """Return the attempts of each row in their order."""
    attempts: dict[int, list[AttemptView]] = {}
    for one in sorted(await reads.attempts_after(session), key=lambda one: (one.outbox_seq, one.number, one.seq)):
        attempts.setdefault(one.outbox_seq, []).append(one)
    return attempts


async def _seen(play: Play) -> Seen | None:
    if play.receiver is None:
        return None
    await play.receiver.idle()
    return Seen(url=play.receiver.url, events=await play.receiver.received(), orders=await play.receiver.orders())


async def _probed(play: Play, attempts: Sequence[AttemptView]) -> Mapping[str, Fulfilment] | None:
    """Return what a probe sees: an order is due when the news of its payment was taken, and may be when it is paid."""
    if play.probe is None:
        return None
    taken = {
        one.resource_id
        for one in attempts
        if one.outcome == "delivered"
        and "drop" not in one.faults
        and one.url == play.target.url
        and one.event_type in FULFILLING
    }
    bounds: dict[str, tuple[int, int]] = {}
    for invoice in play.of_kind("invoice"):
        is_paid = f"invoice.{(await play.api.invoice(invoice.id)).status}" in FULFILLING
        least, most = bounds.get(invoice.order_id, (0, 0))
        bounds[invoice.order_id] = (max(least, invoice.id in taken), max(most, is_paid))
    found = await orders_seen(play, play.probe, {order: least for order, (least, _) in bounds.items()})
    return {order: Fulfilment(*bounds[order], found[order]) for order in bounds}
