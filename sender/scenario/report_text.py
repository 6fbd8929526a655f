"""The report for a terminal: each step as it happens, then one block for each event, then what held and what did not.

Plain ASCII. Colour only says again what a word says, and only where a terminal shows it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from sender.durations import SECOND
from sender.harmless import plain
from sender.scenario.events import (
    ApiCrashed,
    AttemptFinished,
    EventSummed,
    ExpectationChecked,
    ExpectationFailed,
    LawBroken,
    RelayDied,
    RunEvent,
    RunFinished,
    RunStarted,
    StepStarted,
)
from sender.scenario.report_axis import brief
from sender.scenario.report_block import block

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.scenario.report_ink import Ink

_VERBS = 16
"""The width of the column of verbs; only ``create_withdrawal`` is longer."""


@dataclass(slots=True)
class TextReport:
    """A listener that writes lines. ``width`` is that of the time line."""

    write: Callable[[str], object]
    ink: Ink
    width: int = 66
    _start: int = 0
    _attempts: dict[str, list[AttemptFinished]] = field(default_factory=dict)
    _deaths: list[RelayDied] = field(default_factory=list)
    _broken: list[LawBroken] = field(default_factory=list)
    _failed: list[ExpectationFailed] = field(default_factory=list)

    def __call__(self, event: RunEvent) -> None:
        """Take in an event, and write what can be written; what a file or a receiver said in it is made harmless."""
        harmless = _harmless(event)
        for kind, take in self._takers:
            if isinstance(event, kind):
                take(harmless)

    @property
    def _takers(self) -> tuple[tuple[type[RunEvent], Callable[[Any], None]], ...]:
        return (
            (RunStarted, self._begin),
            (StepStarted, self._step),
            (ExpectationChecked, self._checked),
            (AttemptFinished, lambda event: self._attempts.setdefault(event.event_id, []).append(event)),
            (RelayDied, self._death),
            (ApiCrashed, lambda event: self._odd(event, api_death(event))),
            (EventSummed, self._block),
            (LawBroken, self._broken.append),
            (RunFinished, self._end),
        )

    def _begin(self, event: RunStarted) -> None:
        self._start = event.virtual_time
        self._attempts, self._deaths, self._broken, self._failed = {}, [], [], []
        self._line(f"{self.ink.bold(event.story)}: {event.name}")
        relay = "relay in process" if event.relay == "in process" else "relay as a process"
        facts = f"seed {event.seed}, clock {event.clock}, ladder {event.ladder}, {event.database}, {relay}"
        self._line(self.ink.dim(facts))
        self._line("")

    def _step(self, event: StepStarted) -> None:
        self._line(f"{self._since(event):>9}  {event.verb:{_VERBS - 1}} {event.text}")

    def _death(self, event: RelayDied) -> None:
        self._deaths.append(event)
        self._odd(event, death(event))

    def _odd(self, event: RunEvent, text: str) -> None:
        self._line(f"{self._since(event):>9}  {self.ink.yellow(f'! {text}')}")

    def _checked(self, event: ExpectationChecked) -> None:
        if isinstance(event, ExpectationFailed):
            self._failed.append(event)
            said = f"{event.field} is {event.found}, not {event.wanted}"
            self._line(f"{'':11}{'':{_VERBS}}{self.ink.red(f'FAILED  {said}')}")
        else:
            self._line(f"{'':11}{'':{_VERBS}}{self.ink.green('ok')}  {self.ink.dim(f'{event.field} {event.found}')}")

    def _block(self, event: EventSummed) -> None:
        attempts = self._attempts.get(event.event_id, [])
        deaths = [one for one in self._deaths if one.event_type == event.event_type]
        self._line("")
        for line in block(event, attempts, deaths, self.ink, self.width):
            self._line(line)

    def _end(self, event: RunFinished) -> None:
        self._line("")
        for broken in self._broken:
            said = f"law broken: {broken.says}; {broken.subject}: {broken.detail}"
            self._line(self.ink.red(said))
        for one in self._failed:
            said = f"line {one.line}, step {one.step}: {one.subject}: {one.field} is {one.found}, not {one.wanted}"
            self._line(self.ink.red(said))
        held = f"{event.expectations - event.expectations_failed} of {event.expectations} expectations"
        laws = f"{event.laws - event.laws_broken} of {event.laws} laws hold"
        verdict = self.ink.green("PASSED") if event.verdict == "passed" else self.ink.red("FAILED")
        times = f"{event.elapsed / SECOND:.2f} s for {brief(event.virtual_time - self._start)}"
        self._line(f"{verdict}  {event.story}: {held} and {laws}; {times}")
        self._line("")

    def _since(self, event: RunEvent) -> str:
        return f"+{brief(event.virtual_time - self._start)}"

    def _line(self, text: str) -> None:
        self.write(text.rstrip() + "\n")


def _harmless(event: RunEvent) -> RunEvent:
    values = {one.name: getattr(event, one.name) for one in fields(event)}
    texts: dict[str, Any] = {name: plain(value) for name, value in values.items() if isinstance(value, str)}
    return replace(event, **texts)


def death(event: RelayDied) -> str:
    """Return the death of a relay in words."""
    how = f" (exit code {event.exit_code})" if event.exit_code is not None else ""
    where = f" at {event.point}" if event.point else ", killed"
    rows = {0: "goes on", 1: "takes over 1 delivery"}.get(event.given_back, f"takes over {event.given_back} deliveries")
    return f"the relay died{where}{how}; another one {rows}"


def api_death(event: ApiCrashed) -> str:
    """Return the death of the API in words."""
    return f"the API died{f' at {event.point}' if event.point else ''}; its client saw an error and asks again"
