"""One more relay, in a process of its own on any host that reaches the database of a simulator.

Announcements come by LISTEN; while that connection is lost, and on a database that tells nobody, the relay's own poll
finds what is due. Its leases run out in real time when it dies, and the simulator's housekeeping, or that of any other
relay, gives its rows back.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from sender.clock import Clock, start_timeline
from sender.crash import CrashSwitch, die_for_real
from sender.errors import NotAvailable, StoreError
from sender.housekeeping import Housekeeping
from sender.providers.paymos import Paymos
from sender.relay import Relay
from sender.runtime import Runtime
from sender.store import world
from sender.store.engine import open_database
from sender.telemetry import Event, make_log
from sender.transport.client import Transport
from sender.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.config import Settings
    from sender.store.engine import Database

RELISTEN = 1.0
"""Real seconds between the loss of the listening connection and the next try."""


class RemoteRelay:
    """A relay with all that it needs. Runs until ``told``."""

    def __init__(self, settings: Settings) -> None:
        clock = Clock()
        log = make_log(settings.log_level, as_json=settings.log_json)
        self._runtime = Runtime(clock, CrashSwitch(die_for_real), log)
        self._database = open_database(
            settings.database_url, clock, durable=settings.durable, pool_size=settings.pool_size
        )
        wire = Wire(Transport(clock, trust_env=settings.relay.trust_env, ca_file=settings.relay.trust), clock)
        self._relay = Relay(self._runtime, self._database, Paymos(), wire, settings.relay)

    async def run(self, told: asyncio.Event, announce: Callable[[], None]) -> None:
        """Deliver until ``told`` is set; ``announce`` is called once deliveries are made.

        Raises ``NotAvailable`` or ``StoreError`` for a database that holds no simulator, or cannot be reached.
        """
        await self._require_simulator()
        housekeeping = Housekeeping(self._runtime, self._database, self._relay.wake)
        running = asyncio.create_task(self._relay.run())
        listening = asyncio.create_task(listen(self._database, self._runtime, self._relay.wake))
        self._runtime.log.info(Event.RELAY_STARTED, owner=self._relay.owner, process=os.getpid())
        announce()
        try:
            housekeeping.start()
            await _first_of(told, running)
        finally:
            await housekeeping.stop()
            await _cancelled(listening)
            cut_off = await self._relay.stop()
            await running
            await self._database.close()
        self._runtime.log.info(Event.RELAY_STOPPED, owner=self._relay.owner, cut_off=cut_off)

    async def _require_simulator(self) -> None:
        async with self._database.write() as session:
            if not await session.has_tables():
                message = "there is no simulator in this database; start paymos-sim serve on it first"
                raise NotAvailable(message)
        # Only to check the version: the schema is there.
        await world.prepare(self._database, 0, start_timeline("real", self._runtime.clock.real_now()))


async def listen(database: Database, runtime: Runtime, heard: Callable[[], None]) -> None:
    """Call ``heard`` for every announcement, over as many connections as that takes; returns where nobody announces."""
    while True:
        try:
            await database.listen(heard)
        except StoreError as failure:
            runtime.log.warning(Event.STORE_FAILED, detail=str(failure))
            await runtime.clock.sleep(RELISTEN)
        else:
            return


async def _first_of(told: asyncio.Event, running: asyncio.Task[None]) -> None:
    waiting = asyncio.create_task(told.wait())
    await asyncio.wait({waiting, running}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
