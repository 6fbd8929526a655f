"""Durations and instants: the spellings that are read, those that are refused, and the way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sender.durations import (
    DAY,
    HOUR,
    MAX_DURATION,
    MINUTE,
    SECOND,
    format_duration,
    format_instant,
    parse_duration,
    parse_instant,
)
from sender.errors import BadDuration, UsageError


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("0", 0),
        ("0s", 0),
        ("250ms", 250_000),
        ("0.001ms", 1),
        ("90s", 90 * SECOND),
        ("1h30m", 90 * MINUTE),
        ("1.5h", 90 * MINUTE),
        ("1d", DAY),
        ("16h3m", 16 * HOUR + 3 * MINUTE),
        ("3653d", MAX_DURATION),
    ],
)
def test_durations_with_units_are_read(text: str, micros: int) -> None:
    """A number with a unit is a duration; only 0 needs none."""
    assert parse_duration(text) == micros


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("600", "has no unit; write 600s, 600m or 600h"),
        ("10", "has no unit"),
        ("00", "has no unit"),
        ("1.5", "has no unit"),
        ("90:00", "is not a duration; write a number with ms, s, m, h or d"),
        ("-5s", "is negative; a duration is 0 or more"),
        ("PT10S", "is not a duration"),
        ("1 h", "is not a duration"),
        ("1H", "is not a duration"),
        ("1m1m", "names one unit twice"),
        ("\u0661\u0660s", "is not a duration"),
        ("", "is not a duration"),
        ("s", "is not a duration"),
        ("1e3s", "is not a duration"),
        ("0.0001ms", "is finer than a microsecond"),
        ("3654d", "is longer than ten years"),
        ("9" * 39 + "s", "is longer than ten years"),
        ("9" * 10_000 + "s", "is too long for a duration"),
    ],
)
def test_everything_else_is_refused(text: str, remedy: str) -> None:
    """A guess is refused, with what would be right; no length of digits is too much for the message."""
    with pytest.raises(BadDuration) as caught:
        parse_duration(text)
    assert remedy in str(caught.value)
    assert len(str(caught.value)) < 200


@given(st.integers(min_value=0, max_value=MAX_DURATION))
def test_what_is_written_is_read_back(micros: int) -> None:
    """Every duration survives being written and read, to the microsecond."""
    assert parse_duration(format_duration(micros)) == micros


def test_durations_are_written_largest_unit_first() -> None:
    """The shortest spelling is chosen, and a negative one keeps its sign."""
    assert format_duration(963 * MINUTE) == "16h3m"
    assert format_duration(70 * SECOND) == "1m10s"
    assert format_duration(1_500) == "1.5ms"
    assert format_duration(-90 * SECOND) == "-1m30s"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("2026-03-01T09:00:00Z", 1_772_355_600),
        ("2026-03-01T10:00+01:00", 1_772_355_600),
    ],
)
def test_instants_are_read_with_their_zone(text: str, seconds: int) -> None:
    """An instant is date, time and zone."""
    assert parse_instant(text) == seconds * SECOND


@pytest.mark.parametrize(
    "text",
    ["2026-03-01", "2026-03-01T09:00:00", "2026-02-30T09:00:00Z", "1969-12-31T23:59:59Z", "9999-01-01T00:00:00Z",
     "12:30", "now", "", "2026-W09-7T09:00Z", "0001-01-01T00:00:00+14:00"],
)  # fmt: skip
def test_other_instants_are_refused(text: str) -> None:
    """Without a zone, outside the calendar or outside 1970 to 2100 there is no instant."""
    with pytest.raises(UsageError, match="is not an instant; write date, time and zone"):
        parse_instant(text)


def test_instants_are_written_as_they_are_read() -> None:
    """An instant survives being written and read, with its fraction if it has one."""
    assert format_instant(1_772_355_600 * SECOND) == "2026-03-01T09:00:00Z"
    assert parse_instant(format_instant(1_772_355_600_000_001)) == 1_772_355_600_000_001
