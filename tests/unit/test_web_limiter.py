"""The rate limit: a bucket of tokens for each key, refilled by real time."""

from __future__ import annotations

import pytest

from sender.clock import Clock
from sender.durations import SECOND
from sender.web.merchant.limiter import Limiter
from sender.web.refusals import RateLimited


class SteppedClock(Clock):
    """A clock that a test moves."""

    now = 0

    def monotonic(self) -> int:
        """Return where the test put it."""
        return self.now


def spent(limiter: Limiter, key: str, times: int) -> int:
    """Spend until it is refused, at most ``times``; return how often it was not."""
    for number in range(times):
        try:
            limiter.spend(key)
        except RateLimited:
            return number
    return times


def test_a_second_holds_as_many_as_the_rate() -> None:
    """The first n requests pass at once, the next one does not, and a second later n more do."""
    clock = SteppedClock()
    limiter = Limiter(clock, 3)
    assert spent(limiter, "pk_1", 10) == 3
    clock.now += SECOND
    assert spent(limiter, "pk_1", 10) == 3


def test_tokens_come_back_one_by_one() -> None:
    """A third of a second brings one of three tokens back."""
    clock = SteppedClock()
    limiter = Limiter(clock, 3)
    spent(limiter, "pk_1", 3)
    clock.now += SECOND // 3 + 1
    assert spent(limiter, "pk_1", 10) == 1


def test_idling_saves_nothing_up() -> None:
    """An hour without requests is worth one second's tokens."""
    clock = SteppedClock()
    limiter = Limiter(clock, 2)
    spent(limiter, "pk_1", 2)
    clock.now += 3_600 * SECOND
    assert spent(limiter, "pk_1", 10) == 2


def test_keys_do_not_share() -> None:
    """What one key spends, another one still has."""
    limiter = Limiter(SteppedClock(), 1)
    assert spent(limiter, "pk_1", 5) == 1
    assert spent(limiter, "rk_1", 5) == 1


def test_refused_requests_cost_nothing() -> None:
    """Asking again and again while it is refused does not put the next token off."""
    clock = SteppedClock()
    limiter = Limiter(clock, 1)
    spent(limiter, "pk_1", 1)
    for _ in range(10):
        clock.now += SECOND // 10
        if clock.now < SECOND:
            with pytest.raises(RateLimited) as caught:
                limiter.spend("pk_1")
            assert caught.value.retry_after == 1
    assert spent(limiter, "pk_1", 5) == 1
