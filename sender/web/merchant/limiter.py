"""How often one key may ask: a bucket of tokens that real time refills."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.durations import SECOND
from sender.web.refusals import RateLimited

if TYPE_CHECKING:
    from sender.clock import Clock
    from sender.durations import Duration


class Limiter:
    """Lets ``rate`` requests a second through for each key, as many of them at once as there are in a second."""

    def __init__(self, clock: Clock, rate: int) -> None:
        self._clock = clock
        self._rate = rate
        # How full a bucket is, in tokens times a second so that it stays a whole number, and when that was.
        self._buckets: dict[str, tuple[int, Duration]] = {}

    def spend(self, key_id: str) -> None:
        """Take a token. Raises ``RateLimited`` when there is none."""
        now = self._clock.monotonic()
        full = self._rate * SECOND
        level, since = self._buckets.get(key_id, (full, now))
        level = min(level + (now - since) * self._rate, full)
        self._buckets[key_id] = (level - SECOND if level >= SECOND else level, now)
        if level < SECOND:
            # A token is there within a second, however low the rate; the header counts in whole ones.
            raise RateLimited(f"one key may ask {self._rate} times a second", retry_after=1)
