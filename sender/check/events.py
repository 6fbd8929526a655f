"""What a run tells while it goes on, and what it comes to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sender.check.outcome import Result, Verdict

if TYPE_CHECKING:
    from sender.check.check import Check
    from sender.check.pace import Pace, Rhythm
    from sender.durations import Duration

GOOD, BAD, UNCLEAR = 0, 1, 2
"""Exit codes: nothing failed, a check failed, nothing can be said."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be run, where, and under which seed; ``settle`` is the wait in which nothing more may happen."""

    target: str
    seed: int
    checks: int
    pace: Pace
    rhythm: Rhythm
    settle: Duration


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Every result, in order. ``blind`` says why the probe cannot be relied on, where it cannot."""

    results: tuple[Result, ...]
    seconds: float
    blind: str | None = None

    def of(self, verdict: Verdict) -> list[Result]:
        """Return the results with one verdict."""
        return [one for one in self.results if one.verdict is verdict]

    @property
    def counts(self) -> Counter[Verdict]:
        """How many there are of each."""
        return Counter(one.verdict for one in self.results)

    @property
    def exit_code(self) -> int:
        """What the command returns: a failure outweighs a probe that sees nothing, and warnings are no failures."""
        if self.of(Verdict.FAILED):
            return BAD
        judged = self.of(Verdict.PASSED) + self.of(Verdict.WARNED) + self.of(Verdict.NOTED)
        return UNCLEAR if self.blind is not None or not judged else GOOD


class Listener(Protocol):
    """Is told what happens."""

    def planned(self, plan: Plan) -> None:
        """Be told what will be run, once it is known what this receiver is like."""

    def started(self, check: Check, number: int) -> None:
        """Be told that a check begins."""

    def finished(self, result: Result) -> None:
        """Be told how it ended."""

    def ended(self, verdicts: Verdicts) -> None:
        """Be told what it all comes to."""
