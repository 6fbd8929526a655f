"""Looks into somebody else's receiver until something is true there, with a deadline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sender.durations import MILLISECOND, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.clock import Clock
    from sender.durations import Duration

PATIENCE: Duration = 5 * SECOND
"""Real time that a receiver gets to carry out what it has answered for, where a story does not say."""
_FIRST_PAUSE: Duration = 10 * MILLISECOND
_LONGEST_PAUSE: Duration = 250 * MILLISECOND


class Sighting(Protocol):
    """What is seen of an order: how often it was fulfilled, and its status where it has one."""

    @property
    def fulfilled(self) -> int:
        """How often the order was fulfilled."""

    @property
    def status(self) -> str | None:
        """The status of the order, as the receiver names it."""


class Probe(Protocol):
    """A look at an order of the receiver under test, by the merchant's own id of the order."""

    async def look(self, order: str) -> Sighting:
        """Return what is there now. Raises ``NotAvailable`` when it cannot be seen."""

    async def close(self) -> None:
        """Let go of what the looks needed."""


async def seen(
    probe: Probe, order: str, holds: Callable[[Sighting], bool], patience: Duration, clock: Clock
) -> Sighting:
    """Look until it holds, or until the patience is at its end; return the last sighting in each case."""
    deadline, pause = clock.monotonic() + patience, _FIRST_PAUSE
    while True:
        found = await probe.look(order)
        left = deadline - clock.monotonic()
        if holds(found) or left <= 0:
            return found
        await clock.sleep(min(pause, left) / SECOND)
        pause = min(2 * pause, _LONGEST_PAUSE)
