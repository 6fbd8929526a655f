"""The only module that reads a clock: real time, and the affine map from it to virtual time (design §2).

A ``Timeline`` is a value: ``virtual = virtual_base + rate * (real - real_base)``. It is kept in one database row, so a
restarted or a second process continues the same time. Rate 1 is real time, rate N scaled time, rate 0 stands still
and only ever jumps, which is what the modes ``manual`` and ``skip`` do.
"""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sender.durations import SECOND, Duration, Instant
from sender.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Awaitable

REAL, MANUAL, SKIP, SCALE = "real", "manual", "skip", "scale"
STANDING = frozenset({MANUAL, SKIP})
SCALE_MAX = 1_000_000
"""Virtual seconds in a real one at most: eleven days."""

_SCALED = re.compile(r"scale:([0-9]{1,7}(?:\.[0-9]{1,6})?)")


@dataclass(frozen=True, slots=True)
class Timeline:
    """The map from real to virtual time.

    ``mode`` is one of real, scale, manual, skip; ``rate`` is virtual seconds per real second.
    """

    mode: str
    rate: float
    real_base: Instant
    virtual_base: Instant

    @property
    def stands_still(self) -> bool:
        """Whether time passes only by jumps."""
        return self.rate == 0

    def at(self, real: Instant) -> Instant:
        """Return the virtual instant at a real one; a real clock that was set back does not turn virtual time back."""
        passed = max(real - self.real_base, 0)
        return self.virtual_base + (passed if self.rate == 1 else round(passed * self.rate))

    def real_wait(self, deadline: Instant, real: Instant) -> float | None:
        """Return the real seconds until a virtual deadline, or ``None`` when only a jump can reach it."""
        ahead = deadline - self.at(real)
        if ahead <= 0:
            return 0.0
        return None if self.stands_still else ahead / self.rate / SECOND

    def moved_to(self, virtual: Instant, real: Instant) -> Timeline:
        """Return the timeline after a jump. Raises ``UsageError`` for a jump into the past."""
        if virtual < self.at(real):
            message = "the clock never goes back; advance it by 0 or more, or to a later instant"
            raise UsageError(message)
        return replace(self, real_base=real, virtual_base=virtual)

    def in_mode(self, mode: str, real: Instant) -> Timeline:
        """Return the timeline that goes on from here in another mode (``real``, ``manual``, ``skip``, ``scale:N``)."""
        name, rate = parse_mode(mode)
        return Timeline(name, rate, real, self.at(real))


def parse_mode(text: str) -> tuple[str, float]:
    """Read a clock mode as (name, rate). Raises ``UsageError`` for any other text."""
    if text in STANDING:
        return text, 0.0
    if text == REAL:
        return REAL, 1.0
    scaled = _SCALED.fullmatch(text)
    if scaled and 0 < float(scaled[1]) <= SCALE_MAX:
        return SCALE, float(scaled[1])
    message = f"{text!r} is not a clock mode; write real, manual, skip or scale:N with N above 0 and up to 1000000"
    raise UsageError(message)


def start_timeline(mode: str, real: Instant, virtual: Instant | None = None) -> Timeline:
    """Return a timeline that begins at ``virtual``, or at the real instant when none is given."""
    name, rate = parse_mode(mode)
    return Timeline(name, rate, real, real if virtual is None else virtual)


class Clock:
    """Real time: read, and waited for."""

    def real_now(self) -> Instant:
        """Return the real wall time."""
        return time.time_ns() // 1_000

    def monotonic(self) -> Duration:
        """Return real time since some fixed moment, for measuring; setting the wall clock does not move it."""
        return time.monotonic_ns() // 1_000

    async def sleep(self, seconds: float) -> None:
        """Wait in real time."""
        await asyncio.sleep(seconds)

    def timeout(self, seconds: float | None) -> asyncio.Timeout:
        """Return a context manager that raises ``TimeoutError`` after real seconds."""
        return asyncio.timeout(seconds)

    async def wait(self, awaited: Awaitable[object], seconds: float | None) -> bool:
        """Wait for something at most ``seconds``; tell whether it came."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await awaited
            return True
        return False
