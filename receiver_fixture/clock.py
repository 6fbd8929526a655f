"""The receiver's clock: the only module here that reads the time or waits for it.

Its own and not the sender's on purpose: a merchant's server knows nothing of compressed time, and a signature is
fresh or stale by the merchant's clock alone (contract §1.4).
"""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

Micros = int

MILLISECOND: Micros = 1_000
SECOND: Micros = 1_000_000


class Clock(Protocol):
    """What the receiver needs of a clock; tests hand in one that stands still."""

    def now(self) -> Micros:
        """Return microseconds since the Unix epoch."""
        ...

    async def sleep(self, duration: Micros) -> None:
        """Wait that many microseconds; 0 lets everybody else run once."""
        ...


class SystemClock:
    """The wall clock of this machine."""

    def now(self) -> Micros:
        """Return microseconds since the Unix epoch."""
        return time.time_ns() // 1_000

    async def sleep(self, duration: Micros) -> None:
        """Wait that many microseconds; 0 lets everybody else run once."""
        await asyncio.sleep(duration / SECOND)
