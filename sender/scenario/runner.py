"""Plays one story: its steps in order over a simulator, then the laws. What happens is told to a listener.

The runner prints nothing and decides nothing about reports; the console and the JSON stream are listeners like any
other (``report_text``, ``report_json``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sender.durations import parse_instant
from sender.errors import NotAvailable, RequestRefused, UsageError
from sender.scenario.actions import ACTIONS, AT_ONCE, add_endpoint
from sender.scenario.api import Api
from sender.scenario.events import (
    ExpectationFailed,
    ExpectationHeld,
    LawBroken,
    LawHeld,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
)
from sender.scenario.evidence import gather
from sender.scenario.expectations import check
from sender.scenario.judging import exchanges, sums, verdicts
from sender.scenario.language.endpoints import DEFAULT_ENDPOINT, Endpoint
from sender.scenario.language.expectations import Expect
from sender.scenario.play import PATIENCE, Play
from sender.scenario.telling import told
from sender.scenario.watching import Ear, Watch
from sender.simulator import Simulator
from sender.telemetry import make_log

if TYPE_CHECKING:
    from sender.config import Settings
    from sender.durations import Duration, Instant
    from sender.probe.looking import Probe
    from sender.scenario.events import Listener, RunEvent
    from sender.scenario.language import Scenario, Step
    from sender.scenario.play import Target
    from sender.scenario.receiver_client import ReceiverClient

DEFAULT_START: Instant = parse_instant("2026-03-02T09:00:00Z")
"""The virtual instant at which a story starts that names none: always the same, so that runs compare equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Staging:
    """What a story is played on: settings, the receiver under test, and the names that the report gives to them.

    ``receiver`` is the reference receiver, where it is the one under test; ``probe`` looks into another one, and stays
    the caller's to close; ``patience`` is how long, in real time, it may take to see what must be there. ``file``
    stands in messages. With ``keep_exchanges`` the bytes of every attempt are told too.
    """

    settings: Settings
    target: Target
    receiver: ReceiverClient | None
    story: str
    file: str
    probe: Probe | None = None
    patience: Duration = PATIENCE
    keep_exchanges: bool = False


@dataclass(slots=True)
class Tally:
    """Counts what was checked, on its way to the listener."""

    listener: Listener
    expectations: list[bool] = field(default_factory=list)
    laws: list[bool] = field(default_factory=list)

    def tell(self, event: RunEvent) -> None:
        """Pass an event on."""
        if isinstance(event, ExpectationHeld | ExpectationFailed):
            self.expectations.append(isinstance(event, ExpectationHeld))
        if isinstance(event, LawHeld | LawBroken):
            self.laws.append(isinstance(event, LawHeld))
        self.listener(event)

    @property
    def passed(self) -> bool:
        """Whether everything that was checked holds."""
        return all(self.expectations) and all(self.laws)


async def run_story(scenario: Scenario, staging: Staging, listener: Listener) -> bool:
    """Play a story; tell whether everything that it expects holds, and every law.

    Raises ``UsageError``, with the place, for a step that cannot be carried out, and ``NotAvailable`` or ``StoreError``
    for what is missing.
    """
    settings = staging.settings
    tally = Tally(listener)
    ear = Ear(make_log(settings.log_level))
    simulator = Simulator(settings, log=ear)
    began = simulator.clock.monotonic()
    async with simulator:
        play = await _open(simulator, staging, tally)
        ear.now = play.start
        runner = _Runner(play, tally, ear, staging)
        tally.tell(_started(scenario, staging, play))
        await runner.play(scenario)
        tally.tell(_finished(tally, staging.story, await simulator.now(), simulator.clock.monotonic() - began))
    return tally.passed


class _Runner:
    """The course of one story."""

    def __init__(self, play: Play, tally: Tally, ear: Ear, staging: Staging) -> None:
        self._play = play
        self._tell = tally.tell
        self._file = staging.file
        self._keep_exchanges = staging.keep_exchanges
        self._names: dict[str, str] = {}
        self._resources: set[str] = set()
        self._watch = Watch(play.simulator.database, ear, tally.tell, self._names, self._resources)

    async def play(self, scenario: Scenario) -> None:
        """Carry out every step and check the laws."""
        for endpoint in scenario.endpoints or [Endpoint.model_validate({"as": DEFAULT_ENDPOINT})]:
            await add_endpoint(self._play, endpoint)
        for step in scenario.steps:
            await self._step(step)
        await self._settle()
        evidence = await gather(self._play, self._watch)
        now = await self._play.simulator.now()
        for summed in sums(evidence, now, self._names):
            self._tell(summed)
        for kept in exchanges(evidence, now) if self._keep_exchanges else ():
            self._tell(kept)
        for verdict in verdicts(evidence, now):
            self._tell(verdict)

    async def _step(self, step: Step) -> None:
        simulator = self._play.simulator
        if step.verb not in AT_ONCE:
            await self._settle()
        now = await simulator.now()
        self._tell(StepStarted(virtual_time=now, number=step.number, verb=step.verb, line=step.line, text=told(step)))
        try:
            await self._carry_out(step)
        except NotAvailable:
            raise
        except (RequestRefused, UsageError) as error:
            raise UsageError(f"{self._file}:{step.line}: step {step.number} ({step.verb}): {error}") from None
        await self._report(settled=step.verb == "advance")
        self._tell(StepFinished(virtual_time=await simulator.now(), number=step.number, verb=step.verb))

    async def _carry_out(self, step: Step) -> None:
        action = step.action
        if not isinstance(action, Expect):
            await ACTIONS[step.verb](self._play, action)
            return
        now = await self._play.simulator.now()
        for one in await check(self._play, action):
            kind = ExpectationHeld if one.holds else ExpectationFailed
            self._tell(
                kind(
                    virtual_time=now,
                    step=step.number,
                    line=step.line,
                    subject=one.subject,
                    field=one.field,
                    wanted=one.wanted,
                    found=one.found,
                )
            )

    async def _settle(self) -> None:
        """Wait until nothing is due or in flight, so that what follows finds the same in every run."""
        await self._play.through_deaths(self._play.simulator.conductor.quiet)
        await self._report(settled=True)

    async def _report(self, *, settled: bool) -> None:
        play = self._play
        self._resources.update(created.id for created in play.created.values())
        self._names.update({created.id: name for name, created in play.created.items()})
        self._names.update({id_: name for name, id_ in play.endpoints.items()})
        await (self._watch.report() if settled else self._watch.report_changes())


async def _open(simulator: Simulator, staging: Staging, tally: Tally) -> Play:
    if staging.receiver is not None:
        await staging.receiver.reset()
    return Play(
        simulator=simulator,
        api=Api(simulator, tally.tell),
        tell=tally.tell,
        start=await simulator.now(),
        project_id=(await simulator.merchant.projects())[0].id,
        receiver=staging.receiver,
        target=staging.target,
        probe=staging.probe,
        patience=staging.patience,
    )


def _started(scenario: Scenario, staging: Staging, play: Play) -> RunStarted:
    settings = staging.settings
    return RunStarted(
        virtual_time=play.start,
        story=staging.story,
        name=scenario.name,
        seed=settings.seed,
        clock=settings.clock,
        ladder=settings.relay.ladder.name,
        database=settings.database_url.partition(":")[0],
        relay="in process" if settings.in_process else "child",
        receiver=staging.target.url,
        signature_clock=settings.relay.signature_clock,
    )


def _finished(tally: Tally, story: str, now: Instant, elapsed: Duration) -> RunFinished:
    return RunFinished(
        virtual_time=now,
        story=story,
        verdict="passed" if tally.passed else "failed",
        expectations=len(tally.expectations),
        expectations_failed=tally.expectations.count(False),
        laws=len(tally.laws),
        laws_broken=tally.laws.count(False),
        elapsed=elapsed,
    )
