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


def text_of(told: Sequence[RunEvent], sums: Sequence[EventSummed]) -> str:
    """Return a block for each event, in the order in which they were committed."""
    attempts = [one for one in told if isinstance(one, AttemptFinished)]
    deaths = [one for one in told if isinstance(one, RelayDied)]
    blocks = []
    for event in sums:
        mine = [one for one in attempts if one.event_id == event.event_id]
        died = [one for one in deaths if one.event_type in {None, event.event_type} and one.point is not None]
        blocks.append("\n".join(block(event, mine, died, Ink(), WIDTH)))
    return "\n\n".join(blocks) or "nothing was announced to any endpoint"
