"""The relay's one transaction at a time: record what came back, give back what was not sent, claim what has room.

The desk also keeps what it read in that transaction and the senders need: the timeline, the endpoints as they are now,
and the faults that were taken for rows in flight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.crash import CrashPoint
from sender.durations import SECOND
from sender.errors import StoreError
from sender.lanes import Lanes
from sender.store import mishaps, outbox, settings, world
from sender.telemetry import Event

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sender.clock import Timeline
    from sender.config import RelaySettings
    from sender.domain.endpoint import Endpoint
    from sender.domain.fault import Fault
    from sender.durations import Instant
    from sender.runtime import Runtime
    from sender.store.engine import Database, Session
    from sender.store.outbox import Claimed, Settlement

RETRY_PAUSE = 0.05
"""Real seconds before a step that our own storage failed is tried again."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one transaction did: rows claimed, what moved nothing, and when the next row can be claimed."""

    claimed: list[Claimed]
    lost: list[Settlement]
    next_due: Instant | None


class Desk:
    """The database as one relay sees it."""

    def __init__(self, runtime: Runtime, database: Database, options: RelaySettings, owner: str) -> None:
        self._clock = runtime.clock
        self._crash = runtime.crash
        self._log = runtime.log.bind(relay=owner[:8])
        self._database = database
        self._options = options
        self._owner = owner
        self._claims = 0
        # Claims of a transaction that failed: its commit may have been made all the same, if only its answer was lost.
        self._doubtful: list[str] = []
        self._revision = 0
        self._faults: list[Fault] = []
        self._taken: dict[int, tuple[Fault, ...]] = {}
        self.endpoints: dict[str, Endpoint] = {}
        self.timeline: Timeline | None = None
        # Real monotonic time until which every row in hand is surely still leased to this relay.
        self.lease_ends = 0

    async def step(self, finished: Sequence[Settlement], unsent: Sequence[Claimed], lanes: Lanes) -> Step:
        """Run one transaction. Raises ``StoreError``; then nothing of it happened."""
        armed = self.armed(one.row.seq for one in finished)
        taken: dict[int, tuple[Fault, ...]] = {}
        async with self._database.write() as session:
            timeline = await self._refresh(session)
            await self._undo_doubtful(session)
            lost = await outbox.settle(session, finished) if finished else []
            await outbox.put_back(session, unsent)
            await self._keep_leases(session, lanes)
            claimed, next_due = await self._claim(session, timeline, lanes)
            for row in claimed if self._faults else ():
                taken[row.seq] = await self._take(session, row)
            self._crash.hit(CrashPoint.RELAY_BEFORE_COMMIT, armed)
        self._doubtful.clear()
        self._crash.hit(CrashPoint.RELAY_AFTER_COMMIT, armed)
        for one in finished if self._taken else ():
            self._taken.pop(one.row.seq, None)
        self._taken.update(taken)
        self._crash.hit(CrashPoint.RELAY_AFTER_CLAIM, self.armed(row.seq for row in claimed))
        return Step(claimed, lost, next_due)

    async def clear(self, finished: Sequence[Settlement], unsent: Sequence[Claimed], patience: float) -> None:
        """Record and give back everything; our storage gets ``patience`` real seconds to let us.

        What it does not take by then is sent again when the leases have run out.
        """
        deadline = self._clock.monotonic() + round(patience * SECOND)
        while True:
            try:
                await self.step(finished, unsent, Lanes(window=0, concurrency=0, per_endpoint=0))
                async with self._database.write() as session:
                    await outbox.give_back(session, self._owner)
            except StoreError as failure:
                self._log.warning(Event.STORE_FAILED, detail=str(failure))
                if self._clock.monotonic() >= deadline:
                    return
                await self._clock.sleep(RETRY_PAUSE)
            else:
                return

    def armed(self, seqs: Iterable[int]) -> list[CrashPoint]:
        """Return the crash points that wait for any of these rows."""
        if not self._taken:
            return []
        faults = [fault for seq in seqs for fault in self._taken.get(seq, ())]
        return [CrashPoint(fault.name) for fault in faults if fault.kind == "crash"]

    def wire_faults(self, seq: int) -> list[Fault]:
        """Return the wire faults taken for a row, in the order in which they were armed."""
        return [fault for fault in self._taken.get(seq, ()) if fault.kind == "wire"] if self._taken else []

    def holds(self) -> bool:
        """Tell whether the rows in hand are surely still leased to this relay."""
        return self._clock.monotonic() < self.lease_ends

    async def _refresh(self, session: Session) -> Timeline:
        here = await world.read_world(session)
        self.timeline = here.timeline
        if here.revision != self._revision:
            self.endpoints = {one.id: one for one in await settings.read_endpoints(session)}
            armed = await settings.armed_faults(session)
            self._faults = [fault for fault in armed if not fault.name.startswith("dispatch.")]
            self._revision = here.revision
        return here.timeline

    async def _undo_doubtful(self, session: Session) -> None:
        """Give back what was claimed unheard: this relay would renew those leases for ever, and send nothing."""
        for token in self._doubtful:
            await outbox.undo_claim(session, self._owner, token)

    async def _keep_leases(self, session: Session, lanes: Lanes) -> None:
        """Prolong the leases in hand when a third of their time is used up; all of them, or none counts as held."""
        now = self._clock.monotonic()
        if lanes.idle:
            self.lease_ends = now + self._options.lease
        elif now < self.lease_ends < now + 2 * self._options.lease // 3:
            await outbox.renew(session, self._owner, self._lease_until())
            self.lease_ends = now + self._options.lease

    def _lease_until(self) -> Instant:
        return self._clock.real_now() + self._options.lease

    async def _claim(self, session: Session, timeline: Timeline, lanes: Lanes) -> tuple[list[Claimed], Instant | None]:
        if not any(lanes.has_room(endpoint_id) for endpoint_id in self.endpoints):
            return [], None
        now = timeline.at(self._clock.real_now())
        heads = await outbox.heads(session)
        claimed: list[Claimed] = []
        for endpoint_id, at in heads.items():
            room = lanes.room(endpoint_id)
            if at is not None and at <= now and room:
                claimed += await outbox.claim(session, endpoint_id, now, room, self._lease())
        if timeline.stands_still:
            return claimed, None
        if claimed:
            heads = await outbox.heads(session)
        return claimed, min((at for at in heads.values() if at is not None and at > now), default=None)

    def _lease(self) -> outbox.Lease:
        self._claims += 1
        token = f"{self._owner}:{self._claims}"
        self._doubtful.append(token)
        return outbox.Lease(self._owner, token, self._lease_until())

    async def _take(self, session: Session, row: Claimed) -> tuple[Fault, ...]:
        wanted = (row.event_type, row.event_id, row.endpoint_id, row.delivery.attempts + 1)
        mine = [fault for fault in self._faults if fault.strikes(*wanted)]
        taken = tuple([fault for fault in mine if await settings.take(session, fault)])
        for fault in taken:
            if fault.kind == "crash":
                await mishaps.note_armed(session, row.seq, fault.name, row.delivery.due_at)
        return taken
