"""Durations and instants as whole microseconds, and the one spelling in which people write them.

Everything inside counts in integer microseconds (``Instant`` since the Unix epoch, ``Duration`` between two): sums
over a sixteen-hour ladder stay exact and two runs compare equal to the byte.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from sender.errors import BadDuration, UsageError

Instant = int
Duration = int

MILLISECOND: Duration = 1_000
SECOND: Duration = 1_000_000
MINUTE: Duration = 60 * SECOND
HOUR: Duration = 60 * MINUTE
DAY: Duration = 24 * HOUR
MAX_DURATION: Duration = 3_653 * DAY
"""Ten years: longer than any ladder, and short enough that every sum of an instant and a duration is a date."""

_UNITS: dict[str, Duration] = {"ms": MILLISECOND, "s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY}
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_PART = re.compile(rf"({_NUMBER})(ms|s|m|h|d)")
_WHOLE = re.compile(rf"(?:{_NUMBER}(?:ms|s|m|h|d))+")
_LONGEST_TEXT = 40

_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_YEARS = range(1970, 2101)


def parse_duration(text: str) -> Duration:
    """Read ``90s``, ``1h30m``, ``1.5h``, ``250ms``, ``1d`` or plain ``0`` as microseconds.

    Raises ``BadDuration`` for anything else: a number without a unit is a guess, and a guess of the unit is what made
    other tools read ``600`` as nanoseconds. Also for more than ten years and for what is finer than a microsecond.
    """
    if text == "0":
        return 0
    if len(text) > _LONGEST_TEXT or not _WHOLE.fullmatch(text):
        raise BadDuration(_complaint(text))
    units = [unit for _, unit in _PART.findall(text)]
    if len(set(units)) != len(units):
        message = f"{text!r} names one unit twice; write it once, as in 1h30m"
        raise BadDuration(message)
    return _bounded(text, sum(_micros(text, number, _UNITS[unit]) for number, unit in _PART.findall(text)))


def _micros(text: str, number: str, unit: Duration) -> Duration:
    whole, _, fraction = number.partition(".")
    parts: int = 10 ** len(fraction)
    scaled, finer = divmod(int(fraction or "0") * unit, parts)
    if finer:
        message = f"{text!r} is finer than a microsecond; 0.001ms is the smallest step"
        raise BadDuration(message)
    return int(whole) * unit + scaled


def _bounded(text: str, value: Duration) -> Duration:
    if value > MAX_DURATION:
        message = f"{text!r} is longer than ten years; the longest duration is {format_duration(MAX_DURATION)}"
        raise BadDuration(message)
    return value


def _complaint(text: str) -> str:
    if len(text) > _LONGEST_TEXT:
        return f"{_cut(text)!r} is too long for a duration; write it as in 90s or 1h30m"
    if re.fullmatch(_NUMBER, text):
        return f"{text!r} has no unit; write {text}s, {text}m or {text}h"
    if text.startswith("-"):
        return f"{text!r} is negative; a duration is 0 or more, as in 90s"
    return f"{text!r} is not a duration; write a number with ms, s, m, h or d, as in 90s or 1h30m"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"


def format_duration(value: Duration) -> str:
    """Write microseconds the way ``parse_duration`` reads them, largest unit first: 963 minutes are ``16h3m``."""
    if value == 0:
        return "0s"
    sign, rest = ("-", -value) if value < 0 else ("", value)
    parts = []
    for unit, size in (("d", DAY), ("h", HOUR), ("m", MINUTE), ("s", SECOND)):
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count}{unit}")
    if rest:
        whole, micros = divmod(rest, MILLISECOND)
        parts.append(f"{whole}.{micros:03d}".rstrip("0").rstrip(".") + "ms")
    return sign + "".join(parts)


def parse_instant(text: str) -> Instant:
    """Read an ISO 8601 date and time with its zone, ``2026-03-01T09:00:00Z``, as microseconds since the epoch.

    Raises ``UsageError`` for anything else, and for years outside 1970 to 2100.
    """
    with suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(text).astimezone(UTC)
        if _INSTANT.fullmatch(text) and moment.year in _YEARS:
            since: timedelta = moment - _EPOCH
            return since // timedelta(microseconds=1)
    message = f"{_cut(text)!r} is not an instant; write date, time and zone, as in 2026-03-01T09:00:00Z"
    raise UsageError(message)


def format_instant(value: Instant) -> str:
    """Write an instant the way ``parse_instant`` reads it, in UTC, with fractions only where there are some."""
    return (_EPOCH + timedelta(microseconds=value)).isoformat().replace("+00:00", "Z")
