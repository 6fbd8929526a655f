"""The report of one test: what the story runner prints about events, as one text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.scenario.events import AttemptFinished, RelayDied
from sender.scenario.report_block import block
from sender.scenario.report_ink import Ink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.scenario.events import EventSummed, RunEvent

WIDTH = 66


def text_of(told: Sequence[RunEvent], sums: Sequence[EventSummed], last: int | None = None) -> str:
    """Return a block for each event, or the ``last`` ones, in the order in which they were committed."""
    attempts = [one for one in told if isinstance(one, AttemptFinished)]
    deaths = [one for one in told if isinstance(one, RelayDied)]
    shown = sums if last is None else sums[-last:]
    blocks = [f"{len(sums) - len(shown)} older deliveries are not shown"] if len(shown) < len(sums) else []
    for event in shown:
        mine = [one for one in attempts if one.event_id == event.event_id]
        died = [one for one in deaths if one.event_type in {None, event.event_type} and one.point is not None]
        blocks.append("\n".join(block(event, mine, died, Ink(), WIDTH)))
    return "\n\n".join(blocks) or "nothing was announced to any endpoint"
