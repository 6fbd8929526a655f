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
        self._buckets: dict[str, tuple[float, Duration]] = {}

    def spend(self, key_id: str) -> None:
        """Take a token. Raises ``RateLimited`` when there is none."""
        now = self._clock.monotonic()
        tokens, since = self._buckets.get(key_id, (float(self._rate), now))
        tokens = min(tokens + (now - since) * self._rate / SECOND, float(self._rate))
        if tokens < 1:
            # A token is there within a second, however low the rate; the header counts in whole ones.
            self._buckets[key_id] = (tokens, now)
            raise RateLimited(f"one key may ask {self._rate} times a second", retry_after=1)
        self._buckets[key_id] = (tokens - 1, now)
