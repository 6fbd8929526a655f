"""The time line of one event as text: attempts and deaths on a logarithmic axis, where seconds and hours both show."""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING

from sender.durations import MILLISECOND, MINUTE, SECOND, format_duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.durations import Duration

_KNEE = 30 * SECOND
"""Below this the axis is nearly even, beyond it every doubling takes the same room."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One character on the axis, so long after the start."""

    at: Duration
    sign: str


def brief(value: Duration) -> str:
    """Return a duration as exactly as it is of use: whole milliseconds below a minute, whole seconds above."""
    unit = MILLISECOND if value < MINUTE else SECOND
    return format_duration(round(value / unit) * unit)


def axis(marks: Sequence[Mark], width: int) -> tuple[str, str]:
    """Return the line with its marks and the line of labels below it; of several marks at one place the last shows."""
    longest = max((mark.at for mark in marks), default=0)
    line, labels, free = ["-"] * width, [" "] * (width + 8), 0
    for mark in sorted(marks, key=lambda mark: mark.at):
        at = place(mark.at, longest, width)
        line[at] = mark.sign
        label = brief(mark.at) if mark.at else "0"
        if at >= free:
            labels[at : at + len(label)] = label
            free = at + len(label) + 1
    return "".join(line), "".join(labels).rstrip()


def place(at: Duration, longest: Duration, width: int) -> int:
    """Return where on an axis so long a mark stands."""
    return round((width - 1) * log1p(at / _KNEE) / log1p(longest / _KNEE)) if longest else 0
