"""What every part is handed when it is made: the clock, the crash switch and the log. There are no globals."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sender.clock import Clock
    from sender.crash import CrashSwitch
    from sender.telemetry import Log


@dataclass(frozen=True, slots=True)
class Runtime:
    """The bundle of what is shared by the parts of one simulator in one process."""

    clock: Clock
    crash: CrashSwitch
    log: Log


class Bell:
    """A wake-up that is never lost: rung before the wait, it ends the wait at once; many rings are one."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wake whoever waits, or the next one who does."""
        self._rung.set()

    async def wait(self, seconds: float | None = None) -> bool:
        """Wait for a ring, at most ``seconds`` of real time; tell whether one came."""
        rung = self._rung.is_set() or await self._clock.wait(self._rung.wait(), seconds)
        self._rung.clear()
        return rung
