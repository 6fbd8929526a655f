"""How long is waited, in real time, and how much is sent: everything that makes a run long or short, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.durations import MILLISECOND, SECOND

if TYPE_CHECKING:
    from sender.durations import Duration


@dataclass(frozen=True, slots=True)
class Pace:
    """``patience``: until what a receiver took is carried out. ``timeout``: the provider's, for one answer.

    ``slow``: an answer that takes longer is warned of. ``least_settle`` and ``most_settle`` bound the wait in which
    nothing more may happen, which is otherwise three times as long as the receiver took to fulfil an order.
    """

    patience: Duration = 5 * SECOND
    timeout: Duration = 10 * SECOND
    slow: Duration = 2 * SECOND
    least_settle: Duration = 100 * MILLISECOND
    most_settle: Duration = 2 * SECOND
    rounds: int = 5
    copies: int = 4
    burst: int = 50
    outage: int = 12


@dataclass(frozen=True, slots=True)
class Rhythm:
    """What was measured of a receiver: how long it takes to answer a payment, and to carry it out after that."""

    answer: Duration
    fulfilment: Duration

    def settle(self, pace: Pace) -> Duration:
        """Return how long to watch that nothing more happens."""
        return min(max(3 * (self.answer + self.fulfilment), pace.least_settle), pace.most_settle)
