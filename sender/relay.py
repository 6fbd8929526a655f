"""The sending side: a pipeline of claim, send and settle, in which no transaction is open while HTTP is.

Senders run at bounded concurrency. One step at a time talks to the database: in a single transaction it records what
has come back and claims what there is room for, so that batches form by themselves under load and a lone delivery is
recorded at once. Memory does not grow with the backlog, and a restart finds everything in the database.
"""

from __future__ import annotations

import asyncio
import uuid
from traceback import format_tb
from typing import TYPE_CHECKING

from sender import attempt
from sender.crash import Crashed, CrashPoint
from sender.domain.delivery import Reason
from sender.domain.endpoint import EndpointStatus
from sender.durations import SECOND
from sender.errors import StoreError
from sender.lanes import Lanes
from sender.relay_desk import RETRY_PAUSE, Desk
from sender.runtime import Bell
from sender.telemetry import Event

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sender.clock import Timeline
    from sender.config import RelaySettings
    from sender.durations import Instant
    from sender.providers.profile import Profile
    from sender.runtime import Runtime
    from sender.store.engine import Database
    from sender.store.outbox import Claimed, Settlement
    from sender.transport import Answer
    from sender.wire import Wire

FEW = 10
TOLD_UNDER_LOAD = 20
"""A step that recorded at least ``FEW`` attempts is told of every so many times."""


class Relay:
    """One relay. ``settled`` is called after transactions that recorded or gave back something, always the last."""

    def __init__(
        self,
        runtime: Runtime,
        database: Database,
        profile: Profile,
        wire: Wire,
        options: RelaySettings,
        settled: Callable[[], None] = lambda: None,
    ) -> None:
        self.owner = options.owner or uuid.uuid4().hex
        self._clock = runtime.clock
        self._crash = runtime.crash
        self._log = runtime.log.bind(relay=self.owner[:8])
        self._profile = profile
        self._wire = wire
        self._options = options
        self._settled = settled
        self._bell = Bell(runtime.clock)
        self._desk = Desk(runtime, database, options, self.owner)
        self._lanes = Lanes(
            window=options.window, concurrency=options.concurrency, per_endpoint=options.endpoint_concurrency
        )
        self._senders: set[asyncio.Task[None]] = set()
        self._finished: list[Settlement] = []
        self._unsent: list[Claimed] = []
        self._next_due: Instant | None = None
        self._lingering: asyncio.TimerHandle | None = None
        self._steps = 0
        self._turn = asyncio.Lock()
        self._stopping = False
        self._death: Crashed | None = None

    def wake(self) -> None:
        """Look for work: something was committed, changed, or time was moved."""
        self._bell.ring()

    async def run(self) -> None:
        """Deliver until stopped. Raises ``Crashed`` when a crash point was hit in process."""
        while not self._stopping:
            try:
                await self._look()
            except StoreError as failure:
                self._log.warning(Event.STORE_FAILED, detail=str(failure))
                await self._clock.sleep(RETRY_PAUSE)
                continue
            await self._bell.wait(self._pause())
            if self._death is not None:
                raise self._death

    async def stop(self, patience: float = 1.0) -> int:
        """Finish what is in flight within ``patience`` real seconds, record it, and give the rest back.

        Returns how many requests were cut off: those may have arrived, and are sent again.
        """
        self._stopping = True
        self._bell.ring()
        # A step that is under way may still claim; what it claims after this gave back would be nobody's.
        async with self._turn:
            cut_off = await self._end(patience)
        self._settled()
        return cut_off

    async def _end(self, patience: float) -> int:
        self._unsent += self._lanes.drop_waiting()
        if self._senders:
            await asyncio.wait(self._senders, timeout=patience)
        cut_off = len(self._senders)
        self._drop_senders()
        await self._desk.clear(self._finished, self._unsent, patience)
        await self._wire.close()
        return cut_off

    def abandon(self) -> None:
        """Drop everything unclosed and unrecorded, as a dead process would."""
        self._drop_senders()
        self._wire.abandon()

    def _drop_senders(self) -> None:
        for sender in self._senders:
            sender.cancel()
        if self._lingering is not None:
            self._lingering.cancel()

    def _pause(self) -> float:
        """Return the real seconds after which to look again though nobody rang."""
        poll = self._options.poll / SECOND
        timeline = self._desk.timeline
        if self._next_due is None or timeline is None:
            return poll
        wait = timeline.real_wait(self._next_due, self._clock.real_now())
        return poll if wait is None else min(poll, wait)

    async def _look(self) -> None:
        async with self._turn:
            if not self._stopping:
                await self._step()
                self._start_senders()

    async def _step(self) -> None:
        finished, self._finished = self._finished, []
        unsent, self._unsent = self._unsent, []
        if not self._desk.holds():
            unsent += self._lanes.drop_waiting()
        try:
            step = await self._desk.step(finished, unsent, self._lanes)
        except StoreError:
            self._finished[:0] = finished
            self._unsent[:0] = unsent
            raise
        self._lanes.add(step.claimed)
        self._next_due = step.next_due
        if finished or unsent:
            self._report(finished, step.lost)
            self._tell(len(finished))

    def _tell(self, recorded: int) -> None:
        """Tell of a step; under load, where the next one follows at once, of some: whoever listens looks closely."""
        self._steps += 1
        if self._lanes.idle or recorded < FEW or self._steps % TOLD_UNDER_LOAD == 0:
            self._settled()

    def _report(self, finished: Sequence[Settlement], lost: Sequence[Settlement]) -> None:
        for one in lost:
            self._log.warning(Event.LEASE_LOST, event_id=one.row.event_id)
        for one in finished:
            self._log.info(Event.ATTEMPT_RECORDED, **attempt.line(one))

    def _start_senders(self) -> None:
        for row in self._lanes.ready():
            sender = asyncio.create_task(self._send(row))
            self._senders.add(sender)
            sender.add_done_callback(self._senders.discard)

    async def _send(self, row: Claimed) -> None:
        try:
            settlement = await self._attempt(row)
        except Crashed as death:
            self._death = death
            self._bell.ring()
            return
        except Exception as failure:  # noqa: BLE001 - whatever it is, no other row may pay for it
            settlement = self._unsendable(row, failure)
        finally:
            self._lanes.landed(row)
        if settlement is None:
            self._unsent.append(row)
        else:
            self._finished.append(settlement)
        self._start_senders()
        self._schedule_step()

    def _unsendable(self, row: Claimed, failure: Exception) -> Settlement | None:
        endpoint, timeline = self._desk.endpoints.get(row.endpoint_id), self._desk.timeline
        if endpoint is None or timeline is None:
            return None
        self._log.warning(Event.SENDING_FAILED, event_id=row.event_id, detail="".join(format_tb(failure.__traceback__)))
        return attempt.unsendable(row, endpoint, failure, self._options.ladder, timeline.at(self._clock.real_now()))

    def _schedule_step(self) -> None:
        """Ask for a step: now when nothing else is under way or much has come back, shortly otherwise."""
        if self._lanes.idle or len(self._finished) >= self._options.flush:
            self._bell.ring()
        elif self._lingering is None:
            delay = self._options.linger / SECOND
            self._lingering = asyncio.get_running_loop().call_later(delay, self._linger_ended)

    def _linger_ended(self) -> None:
        self._lingering = None
        self._bell.ring()

    async def _attempt(self, row: Claimed) -> Settlement | None:
        """Send a row once; ``None`` when it must not be sent by this relay now."""
        endpoint = self._desk.endpoints.get(row.endpoint_id)
        timeline = self._desk.timeline
        if (
            endpoint is None
            or timeline is None
            or endpoint.status is not EndpointStatus.ACTIVE
            or not self._desk.holds()
        ):
            return None
        real = self._clock.real_now()
        started_at = timeline.at(real)
        signed_at = real if self._options.signature_clock == "real" else started_at
        sent = attempt.outgoing(row, endpoint, self._profile, started_at, signed_at)
        faults = self._desk.wire_faults(row.seq)
        hand = None
        if faults or self._wire.watches:
            hand = attempt.at_hand(row, endpoint, self._profile, started_at, signed_at)
        answer = await self._wire.send(sent, self._options.attempt_timeout, faults, hand, instant=timeline.stands_still)
        self._crash.hit(CrashPoint.RELAY_AFTER_SEND, self._desk.armed((row.seq,)))
        names = ",".join(fault.name for fault in faults)
        finished_at = self._finished_at(timeline, started_at, answer)
        exchange = attempt.Exchange(answer.sent or sent, answer, started_at, finished_at, names)
        return attempt.settlement(row, exchange, self._profile, self._options.ladder)

    def _finished_at(self, timeline: Timeline, started_at: Instant, answer: Answer) -> Instant:
        """Return when an attempt ended, virtually.

        An attempt that ran into its timeout ends ``timeout`` after its start even while time stands still, so that the
        ladder behind it is production's (design §2).
        """
        ended = max(timeline.at(self._clock.real_now()), started_at)
        if answer.reason is Reason.TIMEOUT:
            return max(ended, started_at + self._options.ladder.timeout)
        return ended
