"""A relay on another host, as far as a test can tell."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from sender.crash import Crashed, CrashSwitch
from sender.relay import Relay
from sender.runtime import Runtime
from sender.store import outbox
from sender.store.engine import open_database
from sender.transport.client import Transport
from sender.wire import Wire

if TYPE_CHECKING:
    from sender.simulator import Simulator
    from tests.simulators import RecordingLog


class Elsewhere:
    """A relay on another host: when it dies, its leases run out, which is all that anybody learns of it."""

    def __init__(self, simulator: Simulator, url: str, log: RecordingLog) -> None:
        self._simulator = simulator
        self._log = log
        self._database = open_database(url, simulator.clock)
        wire = Wire(Transport(simulator.clock), simulator.clock)
        runtime = Runtime(simulator.clock, CrashSwitch(), log)
        options = replace(simulator.settings.relay, owner=f"elsewhere-{id(self)}")
        self._relay = Relay(runtime, self._database, simulator.profile, wire, options, simulator.conductor.settled)
        self._running = asyncio.create_task(self._run())

    async def _run(self) -> None:
        try:
            await self._relay.run()
        except Crashed:
            self._relay.abandon()
            async with self._database.write() as session:
                rows = await outbox.give_back(session, self._relay.owner)
            self._log.warning("relay.died", given_back=rows)
            self._simulator.conductor.settled()
            self._simulator.relays.wake()

    async def close(self) -> None:
        """Let it end in order, unless it is dead."""
        if not self._running.done():
            await self._relay.stop()
        await self._running
        await self._database.close()
