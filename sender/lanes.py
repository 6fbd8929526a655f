"""The bounded window of claimed rows, kept apart by endpoint so that a slow one holds up nobody else."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sender.store.outbox import Claimed


@dataclass(slots=True)
class Lane:
    """The rows of one endpoint that are in this relay's hands: waiting in order, and how many are being sent."""

    waiting: deque[Claimed] = field(default_factory=deque)
    in_flight: int = 0


class Lanes:
    """Every lane of one relay, with the limits of the window and of concurrency."""

    def __init__(self, *, window: int, concurrency: int, per_endpoint: int) -> None:
        self._lanes: dict[str, Lane] = {}
        self._window = window
        self._concurrency = concurrency
        self._per_endpoint = per_endpoint
        self.in_flight = 0

    @property
    def waiting(self) -> int:
        """How many rows wait to be sent."""
        return sum(len(lane.waiting) for lane in self._lanes.values())

    @property
    def idle(self) -> bool:
        """Whether nothing is in this relay's hands."""
        return self.in_flight == 0 and self.waiting == 0

    def room(self, endpoint_id: str) -> int:
        """Return how many rows to claim for an endpoint: none until half of its window is used up."""
        lane = self._lanes.get(endpoint_id)
        free = self._window - (len(lane.waiting) if lane else 0)
        return free if 2 * free >= self._window else 0

    def has_room(self, endpoint_id: str) -> bool:
        """Tell whether a claim for the endpoint is worth a statement."""
        return self.room(endpoint_id) > 0

    def add(self, rows: Iterable[Claimed]) -> None:
        """Take rows in, in the order in which they are to be tried."""
        for row in rows:
            self._lanes.setdefault(row.endpoint_id, Lane()).waiting.append(row)

    def ready(self) -> Iterator[Claimed]:
        """Yield the rows that may be sent now, each counted as in flight from here on."""
        for lane in self._lanes.values():
            while lane.waiting and lane.in_flight < self._per_endpoint and self.in_flight < self._concurrency:
                lane.in_flight += 1
                self.in_flight += 1
                yield lane.waiting.popleft()

    def landed(self, row: Claimed) -> None:
        """Count a row as no longer in flight."""
        self._lanes[row.endpoint_id].in_flight -= 1
        self.in_flight -= 1

    def drop_waiting(self) -> list[Claimed]:
        """Take out every row that was not sent yet."""
        rows = [row for lane in self._lanes.values() for row in lane.waiting]
        for lane in self._lanes.values():
            lane.waiting.clear()
        return rows
