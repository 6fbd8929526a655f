"""Scenario runs that a test tells, line by line: a real one takes seconds before it says a word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sender.clock import Clock
from sender.runs import Run
from sender.runtime import Bell

if TYPE_CHECKING:
    from collections.abc import Sequence


class ToldRuns:
    """One run at most; stands for ``sender.runs.ScenarioRuns``."""

    def __init__(self) -> None:
        self._clock = Clock()
        self._runs: list[Run] = []

    def tell(self, line: dict[str, Any]) -> None:
        """Let the run print a line."""
        self._runs[0].lines.append(line)

    def end(self, state: str) -> None:
        """Let the run end."""
        self._runs[0].state = state
        self._runs[0].finished_at = self._clock.real_now()

    def stories(self) -> list[str]:
        """Return one name."""
        return ["happy-path"]

    async def start(self, *, name: str | None = None, story: str | None = None) -> Run:
        """Start the run."""
        self._runs = [Run("run_1", name or story or "", self._clock.real_now(), Bell(self._clock))]
        return self._runs[0]

    def all(self) -> Sequence[Run]:
        """Return the run."""
        return self._runs

    def get(self, _run_id: str) -> Run:
        """Return the run."""
        return self._runs[0]

    async def follow(self, run_id: str, _after: int, _seconds: float) -> Run:
        """Return the run as it stands."""
        return self.get(run_id)

    async def stop(self, run_id: str) -> Run:
        """End the run."""
        self.end("stopped")
        return self.get(run_id)
