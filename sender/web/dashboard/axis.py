"""The attempts of an event on a time axis, as places in a drawing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.durations import DAY, HOUR, MINUTE, SECOND

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.durations import Duration, Instant
    from sender.store.reads import AttemptView

WIDTH = 1000
_LEFT, _RIGHT = 24, 24
_BEND: Duration = 30 * SECOND
"""Below this the axis is even, above it each step is a factor: a ladder of sixteen hours begins with one minute."""
_TICKS: tuple[Duration, ...] = (
    *(SECOND, 10 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE),
    *(HOUR, 4 * HOUR, 12 * HOUR, DAY, 7 * DAY, 30 * DAY, 365 * DAY),
)
_APART = 60


@dataclass(frozen=True, slots=True)
class Mark:
    """One attempt at its place; ``number`` is that of its record, ``after`` the time since the first."""

    x: float
    attempt: AttemptView
    after: Duration


@dataclass(frozen=True, slots=True)
class Axis:
    """The drawing. ``due`` is where the next attempt waits, ``now`` the present; ``None`` where there is none.

    ``lost`` are attempts of relays that died with them in hand, where those were due.
    """

    marks: tuple[Mark, ...]
    ticks: tuple[tuple[float, Duration], ...]
    due: float | None
    now: float | None
    lost: tuple[float, ...] = ()
    width: int = WIDTH


def axis(attempts: Sequence[AttemptView], due_at: Instant | None, now: Instant, lost: Sequence[Instant] = ()) -> Axis:
    """Return the places of attempts from the first one on; the axis ends with whatever comes last."""
    first = min((one.started_at for one in attempts), default=now)
    later = [one.started_at for one in attempts] + ([] if due_at is None else [due_at])
    last = max(max(later, default=first), min(now, max(later, default=first) + HOUR))
    span = max(last - first, MINUTE)

    def place(at: Instant) -> float:
        share = math.log1p((at - first) / _BEND) / math.log1p(span / _BEND)
        return round(_LEFT + share * (WIDTH - _LEFT - _RIGHT), 1)

    ticks: list[tuple[float, Duration]] = [(place(first), 0)]
    for tick in _TICKS:
        if tick <= span and place(first + tick) - ticks[-1][0] >= _APART:
            ticks.append((place(first + tick), tick))
    return Axis(
        marks=tuple(Mark(place(one.started_at), one, one.started_at - first) for one in attempts),
        ticks=tuple(ticks),
        due=None if due_at is None else place(max(due_at, first)),
        now=place(now) if first <= now <= last else None,
        lost=tuple(place(min(max(at, first), last)) for at in lost),
    )
