"""Relays as child processes: started, watched, and started again when they die.

Children are forked from a server that has imported everything already, so that a successor works tens of milliseconds
after a death. The parent knows when a child is dead and gives its leases back at once. Where processes cannot be
forked (Windows) each child is spawned and has to import first.
"""

from __future__ import annotations

import asyncio
import socket
import uuid
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sender.errors import NotAvailable, StoreError
from sender.forks import process_context
from sender.relay_pipe import ALIVE, BEAT, QUIT, READY, WAKE, child_entry, say
from sender.store import outbox
from sender.telemetry import Event

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.process import BaseProcess

    from sender.config import Settings
    from sender.runtime import Runtime
    from sender.store.engine import Database

STILLBORN_MAX = 3
"""Children in a row that may die before they work; starting more would not help."""

READY_PATIENCE = 30.0
"""Real seconds that a child gets to start; a cold machine imports slowly."""

JOIN_PATIENCE = 3.0
"""Real seconds that a child gets to end in order before it is killed."""

SILENCE = 5
"""Beats that a child may miss before it counts as hung. They are counted, not timed: where all of this machine stood
still, nobody was silent."""

STORAGE_PAUSE = 0.1
"""Real seconds between two tries to give back a dead child's leases while our storage fails."""


@dataclass(slots=True, eq=False)
class _Child:
    """One child process, and the parent's end of its pipe; ``missed`` are the beats since it was heard last."""

    owner: str
    process: BaseProcess
    pipe: socket.socket
    works: asyncio.Event = field(default_factory=asyncio.Event)
    watcher: asyncio.Task[None] | None = None
    missed: int = 0


class Supervisor:
    """Keeps a number of relay processes alive. ``settled`` is called when one recorded something or died."""

    def __init__(self, runtime: Runtime, database: Database, settings: Settings, settled: Callable[[], None]) -> None:
        self._clock = runtime.clock
        self._log = runtime.log
        self._database = database
        self._settings = settings
        self._settled = settled
        self._children: set[_Child] = set()
        self._stopping = False
        self._stillborn = 0
        self._counting: asyncio.Task[None] | None = None

    @property
    def processes(self) -> list[int]:
        """The process ids of the relays that run."""
        return [child.process.pid for child in self._children if child.process.pid and child.process.is_alive()]

    @property
    def alive(self) -> bool:
        """Whether a relay runs: one that is there and gives signs of life."""
        return any(child.process.is_alive() and child.missed < SILENCE for child in self._children)

    async def start(self) -> None:
        """Return once every relay works. Raises ``NotAvailable`` when one cannot start."""
        self._stopping = False
        self._counting = asyncio.create_task(self._count_beats())
        children = [await self._give_birth() for _ in range(self._settings.relays)]
        for child in children:
            if not await self._clock.wait(child.works.wait(), READY_PATIENCE) or not child.process.is_alive():
                await self.stop()
                message = "the relay process could not start; its own message stands above"
                raise NotAvailable(message)

    def wake(self) -> None:
        """Tell every relay that something may be due."""
        for child in self._children:
            say(child.pipe, WAKE)

    async def restart(self) -> None:
        """Kill every relay; their watchers start successors. Returns once those work."""
        dying = list(self._children)
        for child in dying:
            child.process.kill()
        for child in dying:
            if child.watcher is not None:
                await child.watcher
        for child in list(self._children):
            await self._clock.wait(child.works.wait(), READY_PATIENCE)

    async def stop(self) -> None:
        """Let every relay finish what is in flight; one that does not end in time is killed."""
        self._stopping = True
        if self._counting is not None:
            self._counting.cancel()
        # A successor may be on its way while its predecessor is being buried, so it takes more than one look.
        while children := list(self._children):
            for child in children:
                say(child.pipe, QUIT)
            for child in children:
                await self._ended(child)

    async def _ended(self, child: _Child) -> None:
        """Wait until a child is dead and buried; kill it when it takes too long."""
        watcher = child.watcher
        if watcher is not None and not await self._clock.wait(asyncio.shield(watcher), JOIN_PATIENCE):
            child.process.kill()
            await watcher

    async def _give_birth(self) -> _Child:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)  # noqa: FBT003 - the standard library's own signature
        owner = uuid.uuid4().hex
        settings = replace(self._settings, relay=replace(self._settings.relay, owner=owner))
        process = process_context().Process(target=child_entry, args=(settings, theirs), daemon=True)
        # Starting waits for the fork server, which may still be importing; the loop goes on meanwhile.
        await asyncio.get_running_loop().run_in_executor(None, process.start)
        theirs.close()
        child = _Child(owner, process, ours)
        self._children.add(child)
        child.watcher = asyncio.create_task(self._watch(child))
        return child

    async def _watch(self, child: _Child) -> None:
        """Listen to a child until it is dead, give its leases back, and start a successor."""
        loop = asyncio.get_running_loop()
        try:
            while heard := await loop.sock_recv(child.pipe, 4096):
                child.missed = 0
                if READY in heard:
                    child.works.set()
                if heard.strip(ALIVE):
                    self._settled()
        except OSError:
            pass
        await loop.run_in_executor(None, child.process.join)
        child.pipe.close()
        try:
            await self._bury(child)
        finally:
            self._children.discard(child)

    async def _count_beats(self) -> None:
        while True:
            await self._clock.sleep(BEAT)
            for child in self._children:
                child.missed += 1

    async def _bury(self, child: _Child) -> None:
        rows = await self._give_back(child.owner)
        self._stillborn = 0 if child.works.is_set() else self._stillborn + 1
        child.works.set()
        if not self._stopping:
            self._log.warning(Event.RELAY_DIED, exit_code=child.process.exitcode, given_back=rows or 0)
            if self._stillborn < STILLBORN_MAX:
                await self._give_birth()
        if rows is None:
            await self._give_back_later(child.owner)
        self._settled()

    async def _give_back_later(self, owner: str) -> None:
        """Give back once our storage answers again; at the latest the leases run out in real time."""
        while not self._stopping:
            await self._clock.sleep(STORAGE_PAUSE)
            rows = await self._give_back(owner)
            if rows is not None:
                self._log.warning(Event.RELAY_DIED, cause="before our storage answered again", given_back=rows)
                self.wake()
                return

    async def _give_back(self, owner: str) -> int | None:
        """Give a dead child's leases back; return how many there were, or ``None`` where our storage fails."""
        try:
            async with self._database.write() as session:
                return await outbox.give_back(session, owner)
        except StoreError as failure:
            self._log.warning(Event.STORE_FAILED, detail=str(failure))
            return None
