"""Whether a receiver runs: not whether somebody takes a connection, which one that is just dying does too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.check.volley import Line
from sender.durations import MILLISECOND, SECOND

if TYPE_CHECKING:
    from sender.check.volley import Target
    from sender.clock import Clock
    from sender.durations import Duration

_ANSWERS = 3
_PAUSE: Duration = 40 * MILLISECOND
_ONE_ANSWER: Duration = 2 * SECOND


async def runs_steadily(target: Target, clock: Clock, patience: Duration) -> bool:
    """Ask until three answers came in a row, a moment apart; tell whether they came before patience ended."""
    ends, answers = clock.monotonic() + patience, 0
    while answers < _ANSWERS:
        answers = answers + 1 if await _answers(target, clock) else 0
        if clock.monotonic() > ends:
            return False
        await clock.sleep(_PAUSE / SECOND)
    return True


async def _answers(target: Target, clock: Clock) -> bool:
    try:
        line = await Line.load(target, (), b"", clock, "GET")
    except OSError:
        return False
    line.fire()
    return (await line.answer(_ONE_ANSWER)).status is not None
