"""Runs kept as they were told, for reports that are written when all is over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from sender.scenario.events import (
    ExpectationChecked,
    ExpectationFailed,
    LawBroken,
    LawHeld,
    RunEvent,
    RunFinished,
    RunStarted,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

E = TypeVar("E", bound=RunEvent)


@dataclass(slots=True)
class Record:
    """One run: everything that was told of it, and the command that shows it again.

    ``trouble`` is why it could not be played to its end; such a run has no verdict.
    """

    command: str
    story: str = ""
    name: str = ""
    seed: int = 0
    about: str = ""
    file: str = ""
    trouble: str = ""
    events: list[RunEvent] = field(default_factory=list)

    def __call__(self, event: RunEvent) -> None:
        """Keep an event."""
        self.events.append(event)

    def of(self, kind: type[E]) -> Sequence[E]:
        """Return the events of a kind, in the order in which they were told."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def started(self) -> RunStarted:
        """How the run began, where it did."""
        return self.of(RunStarted)[0]

    @property
    def finished(self) -> RunFinished:
        """How it ended, where it did."""
        return self.of(RunFinished)[-1]

    @property
    def verdict(self) -> str:
        """``passed``, ``failed``, or ``not run``."""
        return "not run" if self.trouble else self.finished.verdict

    @property
    def passed(self) -> bool:
        """Whether everything held."""
        return self.verdict == "passed"

    @property
    def failures(self) -> frozenset[tuple[str, str, str]]:
        """What did not hold, apart from numbers and places: two runs with the same failures fail in the same way."""
        expected = {("expectation", f"{one.subject}: {one.field}", one.found) for one in self.of(ExpectationFailed)}
        return frozenset(expected | {("law", one.law, "") for one in self.of(LawBroken)})

    @property
    def checked(self) -> Sequence[ExpectationChecked]:
        """Every comparison of every ``expect`` step."""
        return self.of(ExpectationChecked)

    @property
    def laws(self) -> Sequence[LawHeld | LawBroken]:
        """What became of each law."""
        return [event for event in self.events if isinstance(event, LawHeld | LawBroken)]
