"""Stories that tests play in this process, against the reference receiver in the same event loop."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from receiver_fixture.clock import SystemClock
from receiver_fixture.receiver import Receiver
from receiver_fixture.settings import Settings as ReceiverSettings
from sender.config import RelaySettings, Settings
from sender.durations import SECOND
from sender.scenario.play import Target
from sender.scenario.receiver_client import ReceiverClient
from sender.scenario.runner import DEFAULT_START, Staging, run_story
from tests.scenarios import CREATE, read_story
from tests.simulators import LADDER, SECRET

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from sender.probe.looking import Probe
    from sender.scenario.events import RunEvent
    from sender.scenario.language import Scenario


@dataclass(frozen=True)
class Played:
    """What a run told, and whether it passed."""

    passed: bool
    told: list[RunEvent]

    def of(self, kind: str) -> list[Any]:
        """Return the events of one kind."""
        return [one for one in self.told if one.kind == kind]

    @property
    def failures(self) -> list[tuple[str, str, str]]:
        """Return each expectation that failed: its field, what was wanted and what was found."""
        return [(one.field, one.wanted, one.found) for one in self.of("expectation.failed")]

    @property
    def found(self) -> dict[str, str]:
        """Return what was found, by field; of a field that was asked twice, the last."""
        checked = [one for one in self.told if one.kind in {"expectation.held", "expectation.failed"}]
        return {one.field: one.found for one in checked}  # type: ignore[attr-defined]

    @property
    def broken(self) -> list[tuple[str, str]]:
        """Return the laws that are broken, and where."""
        return [(one.law, one.subject) for one in self.of("law.broken")]


@dataclass(frozen=True)
class Stage:
    """A reference receiver, and a directory for files. ``strange``: the story does not know that it is ours."""

    receiver: ReceiverClient
    directory: Path
    strange: bool = False
    probe: Probe | None = None
    settings: dict[str, Any] = field(default_factory=dict)

    async def play(self, steps: str, head: str = "") -> Played:
        """Play the steps of a story whose first one makes the invoice ``order``."""
        return await self.play_story(read_story(self.directory, f"name: x\n{head}steps:\n{CREATE}{steps}"))

    async def play_story(self, scenario: Scenario) -> Played:
        """Play a story."""
        told: list[RunEvent] = []
        if self.strange:
            await self.receiver.reset()
            await self.receiver.trust([SECRET])
        staging = Staging(
            settings=self._settings(scenario),
            target=Target(self.receiver.url, SECRET),
            receiver=None if self.strange else self.receiver,
            story="story",
            file="s.yaml",
            probe=self.probe,
            patience=SECOND // 10,
        )
        return Played(await run_story(scenario, staging, told.append), told)

    def _settings(self, scenario: Scenario) -> Settings:
        relay = RelaySettings(ladder=scenario.ladder or LADDER, attempt_timeout=scenario.attempt_timeout or 10 * SECOND)
        start = DEFAULT_START if scenario.start is None else scenario.start
        plain: dict[str, Any] = {"relay": relay, "clock": scenario.clock, "start": start, "log_level": "error"}
        return Settings(**(plain | self.settings))


@asynccontextmanager
async def stage(directory: Path, **changes: Any) -> AsyncIterator[Stage]:
    """Run a reference receiver to play against."""
    async with Receiver(ReceiverSettings(secrets=(SECRET,)), SystemClock()) as receiver:
        yield Stage(ReceiverClient(receiver.url), directory, **changes)
