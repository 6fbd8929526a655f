"""The retry schedule: how long after a failed attempt the next one is due."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sender.durations import Duration, Instant


@dataclass(frozen=True, slots=True)
class Ladder:
    """A provider's retries as a list of gaps: ``gaps[n - 1]`` is the delay after the n-th recorded failure.

    A ladder of ten gaps makes eleven attempts (contract §1.6). ``measured_from`` says whether a gap runs from the
    start or from the end of the failed attempt.
    """

    name: str
    gaps: tuple[Duration, ...]
    timeout: Duration
    measured_from: Literal["start", "end"] = "end"

    @property
    def attempts(self) -> int:
        """The number of attempts that the ladder makes at most."""
        return len(self.gaps) + 1

    def next_due(self, failures: int, started_at: Instant, finished_at: Instant) -> Instant | None:
        """Return when the attempt after the ``failures``-th failure is due; ``None`` when the ladder is exhausted."""
        if failures > len(self.gaps):
            return None
        origin = finished_at if self.measured_from == "end" else started_at
        return origin + self.gaps[failures - 1]
