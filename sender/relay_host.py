"""Who keeps relays alive: the same promises for one inside this process and for children (``supervisor``)."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from sender.crash import Crashed
from sender.errors import StoreError
from sender.relay_desk import RETRY_PAUSE
from sender.store import outbox
from sender.telemetry import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.relay import Relay
    from sender.runtime import Runtime
    from sender.store.engine import Database


class RelayHost(Protocol):
    """Starts relays, starts them again when they die, and passes wake-ups on."""

    @property
    def alive(self) -> bool:
        """Whether a relay runs."""

    async def start(self) -> None:
        """Return once a relay works."""

    def wake(self) -> None:
        """Tell every relay that something may be due."""

    async def restart(self) -> None:
        """End every relay as a kill would, and start it again."""

    async def stop(self) -> None:
        """End every relay in order: what is in flight is recorded, the rest given back."""


class InProcessHost:
    """One relay in this process and loop; a crash drops it unclosed and starts another one."""

    def __init__(
        self, runtime: Runtime, database: Database, make: Callable[[], Relay], settled: Callable[[], None]
    ) -> None:
        self._log = runtime.log
        self._clock = runtime.clock
        self._database = database
        self._make = make
        self._settled = settled
        self._relay: Relay | None = None
        self._keeper: asyncio.Task[None] | None = None

    @property
    def alive(self) -> bool:
        """Whether the relay runs."""
        return self._keeper is not None and not self._keeper.done()

    async def start(self) -> None:
        """Start the relay."""
        self._relay = self._make()
        self._keeper = asyncio.create_task(self._keep())

    def wake(self) -> None:
        """Tell the relay that something may be due."""
        if self._relay is not None:
            self._relay.wake()

    async def restart(self) -> None:
        """Drop the relay as a kill would, and start another one."""
        await self._cancel_keeper()
        if self._relay is not None:
            await self._bury(self._relay, "killed")
        await self.start()

    async def stop(self) -> None:
        """Let the relay finish what is in flight."""
        if self._relay is not None:
            await self._relay.stop()
        await self._cancel_keeper()
        self._relay = None

    async def _keep(self) -> None:
        while self._relay is not None:
            try:
                await self._relay.run()
            except Crashed as death:
                await self._bury(self._relay, death.point.value)
                self._relay = self._make()
            else:
                return

    async def _bury(self, relay: Relay, cause: str) -> None:
        relay.abandon()
        rows = await self._give_back(relay.owner)
        self._log.warning(Event.RELAY_DIED, cause=cause, given_back=rows)
        self._settled()

    async def _give_back(self, owner: str) -> int:
        """Give a dead relay's leases back, as soon as our own storage lets us: nobody else does in one process."""
        while True:
            try:
                async with self._database.write() as session:
                    return await outbox.give_back(session, owner)
            except StoreError as failure:
                self._log.warning(Event.STORE_FAILED, detail=str(failure))
                await self._clock.sleep(RETRY_PAUSE)

    async def _cancel_keeper(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            with suppress(asyncio.CancelledError, Crashed):
                await self._keeper
