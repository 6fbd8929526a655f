"""Virtual time as a map: modes, jumps, waits, and that it never goes back."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sender.clock import Clock, Timeline, parse_mode, start_timeline
from sender.durations import DAY, HOUR, SECOND
from sender.errors import UsageError

REAL = 1_800_000_000 * SECOND
VIRTUAL = 1_700_000_000 * SECOND
MODES = ("real", "manual", "skip", "scale:0.5", "scale:60", "scale:1000000")

instants = st.integers(min_value=0, max_value=4_000_000_000 * SECOND)
modes = st.sampled_from(MODES)


@pytest.mark.parametrize(
    ("mode", "passed"),
    [("real", 10 * SECOND), ("scale:60", 600 * SECOND), ("scale:0.5", 5 * SECOND), ("manual", 0), ("skip", 0)],
)
def test_virtual_time_follows_real_time_at_the_rate_of_the_mode(mode: str, passed: int) -> None:
    """After ten real seconds a timeline has moved by its rate, and not at all where it stands still."""
    timeline = start_timeline(mode, REAL, VIRTUAL)
    assert timeline.at(REAL) == VIRTUAL
    assert timeline.at(REAL + 10 * SECOND) == VIRTUAL + passed
    assert timeline.stands_still == (passed == 0)


def test_real_mode_without_a_start_is_real_time() -> None:
    """Without a start the virtual instant is the real one, to the microsecond."""
    assert start_timeline("real", REAL).at(REAL + 123_456_789) == REAL + 123_456_789


@given(mode=modes, first=instants, later=instants)
def test_virtual_time_never_goes_back(mode: str, first: int, later: int) -> None:
    """A later real instant never has an earlier virtual one, also when the real clock is set to before the start."""
    timeline = start_timeline(mode, REAL, VIRTUAL)
    early, late = sorted((first, later))
    assert VIRTUAL <= timeline.at(early) <= timeline.at(late)


@given(mode=modes, real=st.integers(0, DAY), ahead=st.integers(0, 1_000 * DAY))
def test_a_jump_lands_where_it_aims_and_goes_on_from_there(mode: str, real: int, ahead: int) -> None:
    """After a jump the same rate holds from the new place."""
    before = start_timeline(mode, REAL, VIRTUAL)
    target = before.at(REAL + real) + ahead
    after = before.moved_to(target, REAL + real)
    assert after.at(REAL + real) == target
    assert after.at(REAL + real + SECOND) - target == before.at(REAL + SECOND) - VIRTUAL
    assert (after.mode, after.rate) == (before.mode, before.rate)


@pytest.mark.parametrize("mode", MODES)
def test_a_jump_into_the_past_is_refused(mode: str) -> None:
    """A microsecond before now is the past."""
    timeline = start_timeline(mode, REAL, VIRTUAL)
    with pytest.raises(UsageError, match="never goes back"):
        timeline.moved_to(timeline.at(REAL + HOUR) - 1, REAL + HOUR)


@given(old=modes, new=modes, real=st.integers(0, DAY))
def test_changing_the_mode_moves_nothing(old: str, new: str, real: int) -> None:
    """In another mode time goes on from where it stands."""
    before = start_timeline(old, REAL, VIRTUAL)
    after = before.in_mode(new, REAL + real)
    assert after.at(REAL + real) == before.at(REAL + real)
    assert after.rate == parse_mode(new)[1]


@pytest.mark.parametrize(("mode", "seconds"), [("real", 90.0), ("scale:60", 1.5), ("scale:0.5", 180.0)])
def test_a_wait_is_stretched_or_shortened_by_the_rate(mode: str, seconds: float) -> None:
    """Ninety virtual seconds take as long as the rate says."""
    timeline = start_timeline(mode, REAL, VIRTUAL)
    assert timeline.real_wait(VIRTUAL + 90 * SECOND, REAL) == pytest.approx(seconds)
    assert timeline.real_wait(VIRTUAL, REAL) == 0.0
    assert timeline.real_wait(VIRTUAL - SECOND, REAL) == 0.0


@pytest.mark.parametrize("mode", ["manual", "skip"])
def test_a_deadline_that_only_a_jump_reaches_is_not_waited_for(mode: str) -> None:
    """Where time stands still there is no wait to be told, unless the deadline is reached already."""
    timeline = start_timeline(mode, REAL, VIRTUAL)
    assert timeline.real_wait(VIRTUAL + 1, REAL) is None
    assert timeline.real_wait(VIRTUAL, REAL) == 0.0


def test_sums_over_a_ladder_stay_exact() -> None:
    """A thousand jumps of a minute and a microsecond add up to the microsecond."""
    timeline = start_timeline("manual", REAL, VIRTUAL)
    for number in range(1, 1_001):
        timeline = timeline.moved_to(VIRTUAL + number * 60_000_001, REAL + number)
    assert timeline == Timeline("manual", 0.0, REAL + 1_000, VIRTUAL + 60_000_001_000)


@pytest.mark.parametrize(
    "text",
    ["", "fast", "scale", "scale:", "scale:0", "scale:-1", "scale:x", "scale:nan", "scale:inf", "scale:1000001",
     "manual:1", "real:2", "REAL", "scale:1_000", "scale: 5"],
)  # fmt: skip
def test_any_other_mode_is_refused_with_the_choice(text: str) -> None:
    """What is not a mode is quoted, and every mode is named."""
    with pytest.raises(UsageError, match=r"real, manual, skip or scale:N") as caught:
        parse_mode(text)
    assert repr(text) in str(caught.value)


async def test_a_wait_tells_whether_it_was_worth_it() -> None:
    """Waiting ends with what came, or with the time."""
    clock, event = Clock(), asyncio.Event()
    assert not await clock.wait(event.wait(), 0.001)
    event.set()
    assert await clock.wait(event.wait(), 20)
    assert await clock.wait(event.wait(), None)


async def test_the_two_real_clocks_run() -> None:
    """Wall time is in microseconds of the Unix epoch, and monotonic time never goes back."""
    clock = Clock()
    before = clock.monotonic()
    await clock.sleep(0.001)
    assert clock.monotonic() >= before + 500
    assert 1_700_000_000 * SECOND < clock.real_now() < 4_000_000_000 * SECOND
