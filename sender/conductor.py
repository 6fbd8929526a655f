"""The conductor moves time, and alone does so: from deadline to deadline, each only when all that is due has settled.

So one advance of seventeen hours and a thousand advances of one minute make the same attempts at the same instants.
Deadlines are the next rung of a delivery and the expiry of a resource; the end of a rotation window needs no moment of
its own, because every attempt asks which secrets are valid when it is made.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.clock import MANUAL, REAL, SKIP
from sender.crash import Crashed
from sender.durations import SECOND
from sender.errors import StoreError, UsageError
from sender.runtime import Bell
from sender.store import outbox, resources, world
from sender.telemetry import Event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from sender.clock import Timeline
    from sender.durations import Duration, Instant
    from sender.runtime import Runtime
    from sender.store.engine import Database, Session

GLANCE = 0.5
"""Real seconds after which the conductor looks again though no relay rang: the safety net for relays elsewhere."""


BREATH = 0.02
"""Real seconds between two looks of the conductor, where virtual time runs no faster than real time."""

_UNHURRIED = frozenset({REAL, MANUAL})


@dataclass(frozen=True, slots=True)
class Outlook:
    """What lies ahead at one instant: whether deliveries are due or in flight, and the next deadlines."""

    timeline: Timeline
    now: Instant
    busy: bool
    next_delivery: Instant | None
    next_expiry: Instant | None

    @property
    def next_deadline(self) -> Instant | None:
        """The earliest deadline of either kind."""
        ahead = [at for at in (self.next_delivery, self.next_expiry) if at is not None]
        return min(ahead, default=None)


class Conductor:
    """Moves a standing timeline, and fires what time alone does to resources in every mode.

    ``expire`` carries out one expiry; ``wake`` tells the relays to look; ``patience`` is how long, in real time,
    nothing may settle before the conductor gives up waiting.
    """

    def __init__(
        self,
        runtime: Runtime,
        database: Database,
        expire: Callable[[str], Awaitable[object]],
        wake: Callable[[], None],
        patience: Duration = 60 * SECOND,
    ) -> None:
        self._clock = runtime.clock
        self._log = runtime.log
        self._database = database
        self._expire = expire
        self._wake = wake
        self._patience = patience
        self._turn = asyncio.Lock()
        self._settled = Bell(runtime.clock)
        self._changed = Bell(runtime.clock)

    def settled(self) -> None:
        """Be told that a relay recorded something, or came back to life."""
        self._settled.ring()
        self._changed.ring()

    def changed(self) -> None:
        """Be told that a command was committed or the clock was set."""
        self._changed.ring()

    def holding(self) -> AbstractAsyncContextManager[None]:
        """Return what keeps time from being moved while it is held."""
        return self._turn

    async def set_mode(self, mode: str) -> None:
        """Let time go on from where it stands in another mode. Raises ``UsageError`` for what is none."""
        async with self._database.write() as session:
            here = await world.timeline_to_move(session)
            await world.write_timeline(session, here.in_mode(mode, self._clock.real_now()))
            await session.announce()
        self._wake()
        self.changed()

    async def now(self) -> Instant:
        """Return the virtual instant."""
        async with self._database.read() as session:
            here = await world.read_world(session)
        return here.timeline.at(self._clock.real_now())

    async def run(self) -> None:
        """Fire expiries as they come due and, in mode ``skip``, jump whenever nothing is due or in flight.

        Neither a failure of our own storage nor a crash that was armed for an expiry ends it: the next look finds
        everything as it was.
        """
        while True:
            try:
                outlook = await self._look()
                await self._breathe(outlook)
                await self._changed.wait(self._pause(outlook))
            except StoreError as failure:
                self._log.warning(Event.STORE_FAILED, detail=str(failure))
                await self._changed.wait(GLANCE)
            except Crashed:
                continue

    async def _look(self) -> Outlook:
        async with self._turn:
            outlook = await self._fire_due()
            if outlook.timeline.mode == SKIP and not outlook.busy and outlook.next_delivery is not None:
                await self._travel(outlook.next_delivery)
                self._changed.ring()
            return outlook

    async def _breathe(self, outlook: Outlook) -> None:
        """Look at most so often while commands follow one another, where nobody can tell the difference."""
        if outlook.timeline.mode in _UNHURRIED:
            ahead = self._pause(outlook)
            await self._clock.sleep(BREATH if ahead is None else min(BREATH, ahead))

    def _pause(self, outlook: Outlook) -> float | None:
        """Return the real seconds until the next look; ``None`` while only somebody who rings can change anything."""
        if outlook.timeline.mode == SKIP and outlook.busy:
            return GLANCE
        at = outlook.next_expiry
        return None if at is None else outlook.timeline.real_wait(at, self._clock.real_now())

    async def quiet(self) -> None:
        """Wait until nothing is due or in flight. Raises ``StoreError`` when nothing settles for too long."""
        async with self._turn:
            await self._quiet()

    async def advance_by(self, duration: Duration) -> Instant:
        """Move time forward and return where it stands; everything on the way has happened and settled.

        Raises ``UsageError`` for a negative duration.
        """
        async with self._turn:
            now = (await self._outlook()).now
            return await self._travel(_not_before(now, now + duration))

    async def advance_to(self, instant: Instant) -> Instant:
        """Move time forward to an instant. Raises ``UsageError`` when it lies in the past."""
        async with self._turn:
            return await self._travel(_not_before((await self._outlook()).now, instant))

    async def advance_until(self, done: Callable[[Session], Awaitable[bool]]) -> Instant:
        """Move time from deadline to deadline until ``done`` says so or no delivery is pending any more."""
        async with self._turn:
            while True:
                outlook = await self._quiet()
                async with self._database.read() as session:
                    ended = await done(session)
                if ended or outlook.next_delivery is None:
                    return outlook.now
                await self._travel(outlook.next_delivery)

    async def advance_until_idle(self) -> Instant:
        """Move time until no delivery is pending; expiries passed on the way fire, others are not waited for."""
        return await self.advance_until(_never)

    async def _travel(self, target: Instant) -> Instant:
        while True:
            outlook = await self._quiet()
            deadline = outlook.next_deadline
            if deadline is None or deadline > target:
                break
            await self._jump(deadline)
        if target > outlook.now:
            await self._jump(target)
        return max(target, outlook.now)

    async def _jump(self, target: Instant) -> None:
        async with self._database.write() as session:
            here = await world.timeline_to_move(session)
            real = self._clock.real_now()
            # Time that runs may have come there by itself.
            await world.write_timeline(session, here.moved_to(max(target, here.at(real)), real))
            await session.announce()
        self._log.info(Event.CLOCK_MOVED, to=target)
        await self._fire_due()
        self._wake()

    async def _quiet(self) -> Outlook:
        """Wait until nothing is due or in flight, and return what lies ahead then."""
        deadline = self._clock.monotonic() + self._patience
        while True:
            outlook = await self._fire_due()
            if not outlook.busy:
                return outlook
            if await self._settled.wait(GLANCE):
                deadline = self._clock.monotonic() + self._patience
            elif self._clock.monotonic() > deadline:
                message = "deliveries are due and no relay has settled one for too long; is a relay running?"
                raise StoreError(message)

    async def _fire_due(self) -> Outlook:
        """Carry out the expiries that are due, oldest first, and return what lies ahead after them."""
        while True:
            outlook = await self._outlook()
            if outlook.next_expiry is None or outlook.next_expiry > outlook.now:
                return outlook
            async with self._database.read() as session:
                due = await resources.due(session, outlook.now)
            for one in due:
                await self._expire(one.resource_id)
            self._wake()

    async def _outlook(self) -> Outlook:
        async with self._database.read() as session:
            here = await world.read_world(session)
            now = here.timeline.at(self._clock.real_now())
            ahead = [at for at in (await outbox.heads(session)).values() if at is not None]
            next_delivery = min(ahead, default=None)
            busy = (next_delivery is not None and next_delivery <= now) or await outbox.leased(session) > 0
            return Outlook(here.timeline, now, busy, next_delivery, await resources.next_deadline(session))


def _not_before(now: Instant, target: Instant) -> Instant:
    if target < now:
        message = "the clock never goes back; advance it by 0 or more, or to a later instant"
        raise UsageError(message)
    return target


async def _never(_session: Session) -> bool:
    return False
