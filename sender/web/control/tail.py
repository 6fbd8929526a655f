"""Where a follower of the stream stands, and what it has not seen yet, read from the database.

Events are numbered in the order of their commits. Attempts are not quite: two relays on PostgreSQL may commit two
numbers the other way round, so a missing number is waited for, for a while: it may also have been rolled back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.durations import SECOND
from sender.store import archive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.durations import Duration
    from sender.store.engine import Session
    from sender.store.reads import AttemptView, EventView

STEP = 200
"""How many events and attempts one look reads."""
FAR_BEHIND = 5_000
"""A follower further back than this is shown the newest; what it missed is in the archive."""
GAP_PATIENCE: Duration = SECOND

_POSITION = re.compile(r"([0-9]{1,9})-([0-9]{1,18})-([0-9]{1,18})")


@dataclass(frozen=True, slots=True)
class Position:
    """What a follower has seen: since which reset, up to which event and which attempt."""

    resets: int
    queued: int
    recorded: int

    def __str__(self) -> str:
        """Return it as the id of a message of the stream."""
        return f"{self.resets}-{self.queued}-{self.recorded}"


def read_position(text: str) -> Position | None:
    """Return the position that an id means, or ``None`` for what is none."""
    found = _POSITION.fullmatch(text)
    return None if found is None else Position(*map(int, found.groups()))


async def newest(session: Session, resets: int) -> Position:
    """Return the position behind which nothing is new."""
    return Position(resets, *await archive.newest_numbers(session))


@dataclass(frozen=True, slots=True)
class News:
    """What one look found; ``more`` when another one at once would find more."""

    queued: Sequence[EventView]
    recorded: Sequence[AttemptView]
    skipped: int = 0

    @property
    def more(self) -> bool:
        """Whether this is only the beginning of what is new."""
        return max(len(self.queued), len(self.recorded)) >= STEP


class Tail:
    """Follows from a position on."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self._gap_since: Duration | None = None

    async def look(self, session: Session, now: Duration) -> News:
        """Return what is new, a bounded part of it, and move on; ``now`` is real monotonic time."""
        skipped = await self._skip(session)
        here = self.position
        queued = await archive.queued_since(session, here.queued, STEP)
        recorded = self._in_order(await archive.recorded_since(session, here.recorded, STEP), now)
        self.position = Position(
            here.resets,
            queued[-1].seq if queued else here.queued,
            recorded[-1].seq if recorded else here.recorded,
        )
        return News(queued, recorded, skipped)

    async def jump(self, session: Session) -> dict[str, int]:
        """Move on to the newest, and return how many numbers that leaves behind."""
        here = self.position
        self.position = await newest(session, here.resets)
        return {
            "queued": max(self.position.queued - here.queued, 0),
            "recorded": max(self.position.recorded - here.recorded, 0),
        }

    async def _skip(self, session: Session) -> int:
        """Jump to the newest when that is far ahead; return how many attempts that leaves out."""
        _, recorded = await archive.newest_numbers(session)
        behind = recorded - self.position.recorded
        if behind <= FAR_BEHIND:
            return 0
        last = await newest(session, self.position.resets)
        self.position = Position(last.resets, max(last.queued - STEP, 0), max(last.recorded - STEP, 0))
        return behind - STEP

    def _in_order(self, found: Sequence[AttemptView], now: Duration) -> Sequence[AttemptView]:
        """Return attempts up to the first missing number, or all of them when that has been missing for long."""
        # After a reset numbers may begin anywhere.
        expected = self.position.recorded + 1 if self.position.recorded or not found else found[0].seq
        whole = next((place for place, one in enumerate(found) if one.seq != expected + place), len(found))
        if whole == len(found):
            self._gap_since = None
        elif self._gap_since is None:
            self._gap_since = now
        elif whole == 0 and now - self._gap_since > GAP_PATIENCE:
            self._gap_since = None
            return found
        return found[:whole]
