"""How a relay on another host listens: over as many connections as it takes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from sender.clock import Clock
from sender.crash import CrashSwitch
from sender.errors import StoreError
from sender.remote_relay import listen
from sender.runtime import Runtime
from tests.simulators import RecordingLog

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.store.engine import Database


class PatientClock(Clock):
    """Does not wait, and writes down for how long it should have."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """Note a wait and let others run."""
        self.waits.append(seconds)
        await super().sleep(0)


class FlakyDatabase:
    """Announces once on each connection and loses the connection then; the last one closes in order."""

    def __init__(self, losses: int) -> None:
        self._losses = losses
        self.connections = 0

    async def listen(self, heard: Callable[[], None]) -> None:
        """Announce once."""
        self.connections += 1
        heard()
        if self.connections <= self._losses:
            raise StoreError("the connection is gone")


async def test_listens_again_after_a_lost_connection() -> None:
    """A lost connection is told, waited for a little, and made again."""
    clock, log, database = PatientClock(), RecordingLog(), FlakyDatabase(losses=2)
    heard: list[int] = []
    listening = listen(cast("Database", database), Runtime(clock, CrashSwitch(), log), lambda: heard.append(1))
    await asyncio.wait_for(listening, 5)
    assert (database.connections, clock.waits) == (3, [1.0, 1.0])
    assert len(heard) == 3
    assert [line["event"] for line in log.lines] == ["store.failed", "store.failed"]
