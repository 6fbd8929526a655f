"""What a probe is and what it sees, and how to look until something is true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sender.durations import MILLISECOND, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.clock import Clock
    from sender.durations import Duration

PATIENCE: Duration = 5 * SECOND
"""Real time that one look may take."""

_FIRST_PAUSE: Duration = 10 * MILLISECOND
_LONGEST_PAUSE: Duration = 250 * MILLISECOND


@dataclass(frozen=True, slots=True)
class Sighting:
    """What is seen of an order: how often it was fulfilled, and its status in the receiver's own words, if any."""

    fulfilled: int = 0
    status: str | None = None


class Probe(Protocol):
    """A look at an order of the receiver, by the merchant's own id of the order (``external_order_id``)."""

    async def look(self, order: str) -> Sighting:
        """Return what is there now; an order that is not known yet was never fulfilled.

        Raises ``NotAvailable``, with what was asked and what came, where nothing can be seen.
        """

    async def close(self) -> None:
        """Let go of what the looks needed."""


async def seen(
    probe: Probe, order: str, holds: Callable[[Sighting], bool], deadline: Duration, clock: Clock
) -> Sighting:
    """Look until it holds or ``deadline`` of real time has passed; return the last sighting in each case."""
    ends, pause = clock.monotonic() + deadline, _FIRST_PAUSE
    while True:
        found = await probe.look(order)
        left = ends - clock.monotonic()
        if holds(found) or left <= 0:
            return found
        await clock.sleep(min(pause, left) / SECOND)
        pause = min(2 * pause, _LONGEST_PAUSE)
