"""Everything that the laws look at, gathered once when a story is over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sender.store import reads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from sender.domain.ladder import Ladder
    from sender.scenario.play import Play
    from sender.scenario.watching import Watch
    from sender.store.reads import AttemptView, EventView


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the reference receiver has: per event how often received and applied, its orders, and its address."""

    url: str
    events: Mapping[str, Mapping[str, Any]]
    orders: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A story as it ended. ``seen`` is ``None`` where the receiver is somebody else's.

    ``deaths`` counts relays that died; ``copies`` is the most that one wire fault duplicates. ``bodies`` are the stored
    bytes by event, ``secrets`` all that ever signed.
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

    def attempts_of(self, event: EventView) -> Sequence[AttemptView]:
        """Return the recorded attempts of an event in their order."""
        return self.attempts.get(event.seq, ())


async def gather(play: Play, watch: Watch) -> Evidence:
    """Return the evidence of a story that is over."""
    async with play.simulator.database.read() as session:
        events = await reads.events(session)
        attempts: dict[int, list[AttemptView]] = {}
        for one in sorted(await reads.attempts_after(session), key=lambda one: (one.outbox_seq, one.number, one.seq)):
            attempts.setdefault(one.outbox_seq, []).append(one)
        bodies = {one.event_id: await reads.body_of(session, one.event_id) or b"" for one in events}
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
    )


async def _seen(play: Play) -> Seen | None:
    if play.receiver is None:
        return None
    await play.receiver.idle()
    return Seen(url=play.receiver.url, events=await play.receiver.received(), orders=await play.receiver.orders())
