"""``paymos-sim relay``: a relay of its own process and host, which finds its work in the database alone."""

from __future__ import annotations

import asyncio
import signal
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sender import housekeeping
from sender.clock import Clock
from sender.crash import CrashSwitch
from sender.durations import SECOND, Instant
from sender.housekeeping import Housekeeping
from sender.runtime import Runtime
from tests.commands import PATIENCE, end, start
from tests.receivers import receiving
from tests.simulators import RecordingLog, cancelled, event, simulating, subscribe

if TYPE_CHECKING:
    import subprocess
    from collections.abc import AsyncIterator
    from pathlib import Path

    import pytest

LEASE: Instant = 30 * SECOND


class LaterClock(Clock):
    """A clock on another host, where it is so much later that every lease has run out."""

    def real_now(self) -> Instant:
        """Return the real time, two leases ahead."""
        return super().real_now() + 2 * LEASE


@asynccontextmanager
async def relaying(url: str) -> AsyncIterator[subprocess.Popen[str]]:
    """Run a relay on a database until the end of the block."""
    process = start("relay", "--database-url", url)
    try:
        assert process.stdout is not None
        line = await asyncio.to_thread(process.stdout.readline)
        assert line.startswith("ready relay database="), line
        yield process
    finally:
        await asyncio.to_thread(end, process)


async def test_delivers_what_another_process_queued(database_url: str) -> None:
    """A relay of another process delivers, and whoever moves time sees that it has; SIGTERM ends it in order."""
    async with receiving() as receiver, simulating(database_url) as simulator:
        await simulator.relays.stop()
        async with relaying(database_url) as relay:
            await subscribe(simulator, receiver.url())
            event_id = await cancelled(simulator)
            await simulator.conductor.advance_until_idle()
            relay.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(relay.wait, PATIENCE) == 0
        assert receiver.counts == {event_id: 1}
        assert (await event(simulator, event_id)).state == "delivered"


async def test_rows_of_a_killed_relay_are_sent_again(postgres_url: str) -> None:
    """What a relay held when its host vanished is claimable again once the lease has run out, and nothing is lost."""
    async with receiving(lambda _: None) as receiver, simulating(postgres_url) as simulator:
        await simulator.relays.stop()
        await subscribe(simulator, receiver.url())
        async with relaying(postgres_url) as relay:
            event_id = await cancelled(simulator)
            await receiver.received(1)
            relay.kill()
            await asyncio.to_thread(relay.wait, PATIENCE)
        receiver.script = lambda _: 200
        later = Runtime(LaterClock(), CrashSwitch(), RecordingLog())
        await Housekeeping(later, simulator.database, simulator.conductor.settled).reap()
        await simulator.relays.start()
        await simulator.conductor.advance_until_idle()
        assert receiver.counts == {event_id: 2}
        assert (await event(simulator, event_id)).state == "delivered"


async def test_housekeeping_looks_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases that ran out are looked for again and again in wall time, while nobody asks."""
    monkeypatch.setattr(housekeeping, "REAP_SECONDS", 0.01)
    async with receiving(lambda _: None) as receiver, simulating(f"sqlite:///{tmp_path / 'a.db'}") as simulator:
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        await receiver.received(1)
        reaped, log = asyncio.Event(), RecordingLog()
        duties = Housekeeping(Runtime(LaterClock(), CrashSwitch(), log), simulator.database, reaped.set)
        duties.start()
        try:
            await asyncio.wait_for(reaped.wait(), PATIENCE)
        finally:
            await duties.stop()
        assert log.of("relay.died")[0]["given_back"] == 1
