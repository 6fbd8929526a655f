"""What was looked up a moment ago is not looked up again; what may have gone meanwhile is not believed for long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from sender.durations import SECOND

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.clock import Clock
    from sender.durations import Duration

V = TypeVar("V")

MAX_AGE: Duration = SECOND
"""Real time for which another process may have taken away what is still believed here."""
MOST = 1_000


class Kept(Generic[V]):
    """A bounded memory of what was found. What is not there is asked for each time, so what is added works at once."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[str, tuple[V, Duration]] = {}

    async def get(self, name: str, find: Callable[[], Awaitable[V | None]]) -> V | None:
        """Return what goes by this name, as it was at most a second ago."""
        now = self._clock.monotonic()
        known = self._known.get(name)
        if known is not None and now - known[1] < MAX_AGE:
            return known[0]
        found = await find()
        self._known.pop(name, None)
        if found is not None:
            if len(self._known) >= MOST:
                self._known.clear()
            self._known[name] = found, now
        return found

    def forget(self) -> None:
        """Believe nothing any more."""
        self._known.clear()
