"""Watches one simulator and tells what happened: log lines as they come, records as they are found, in virtual order.

What happens within a step is told when the step is over, sorted by virtual time, so that a stream of events reads the
same however the processes raced.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sender.crash import EXIT_CODE
from sender.scenario.events import AttemptFinished, ClockMoved, RelayDied, ResourceChanged
from sender.store import reads, resources, settings
from sender.telemetry import Event

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from sender.domain.fault import Fault
    from sender.durations import Instant
    from sender.scenario.events import Listener, RunEvent
    from sender.store.engine import Database, Session
    from sender.store.reads import AttemptView
    from sender.telemetry import Log

_RANKS = {ClockMoved: 0, ResourceChanged: 1, RelayDied: 2, AttemptFinished: 3}
"""What is told first of what happened at one instant."""


@dataclass(frozen=True, slots=True)
class Death:
    """A relay that died, as the log tells it."""

    at: Instant
    cause: str | None
    exit_code: int | None
    given_back: int

    @property
    def is_crash(self) -> bool:
        """Whether a crash point killed it, and not a person."""
        return self.exit_code == EXIT_CODE or (self.exit_code is None and self.cause != "killed")


class Ear:
    """A log that also remembers jumps of time and deaths of relays; anything else goes to the log behind it."""

    def __init__(self, behind: Log) -> None:
        self._behind = behind
        self.now: Instant = 0
        self.jumps: list[Instant] = []
        self.deaths: list[Death] = []

    def info(self, event: str, **values: Any) -> None:
        """Log something ordinary."""
        if event == Event.CLOCK_MOVED:
            self.now = values["to"]
            self.jumps.append(self.now)
        self._behind.info(event, **values)

    def warning(self, event: str, **values: Any) -> None:
        """Log something a person should look at; a death is part of the story and told in its report."""
        if event == Event.RELAY_DIED:
            death = Death(self.now, values.get("cause"), values.get("exit_code"), values["given_back"])
            self.deaths.append(death)
        else:
            self._behind.warning(event, **values)

    def bind(self, **_values: Any) -> Ear:
        """Return the same log: there is one relay in this process at most."""
        return self


@dataclass(slots=True)
class Watch:
    """Tells a listener what is new since it was asked last.

    ``names`` are those of resources and endpoints, by id; ``resources`` are the ids whose history is told.
    """

    database: Database
    ear: Ear
    tell: Listener
    names: Mapping[str, str]
    resources: Collection[str]
    deaths: int = 0
    secrets: set[str] = field(default_factory=set)
    _attempts: int = 0
    _history: int = 0
    _armed: list[Fault] = field(default_factory=list)
    _struck: list[Fault] = field(default_factory=list)

    async def report_changes(self) -> None:
        """Tell which resources changed since the last time: all that is certain while deliveries may be under way."""
        async with self.database.read() as session:
            self.secrets |= secrets_of(await settings.read_endpoints(session))
            await self._look_at_faults(session)
            for event in await self._new_history(session):
                self.tell(event)

    async def report(self) -> None:
        """Tell everything that happened since the last time; nothing may be under way."""
        async with self.database.read() as session:
            self.secrets |= secrets_of(await settings.read_endpoints(session))
            await self._look_at_faults(session)
            found = [
                *await self._new_attempts(session),
                *await self._new_history(session),
                *self._new_deaths(),
                *self._new_jumps(),
            ]
        for event in sorted(found, key=lambda event: (event.virtual_time, _RANKS[type(event)])):
            self.tell(event)

    async def _look_at_faults(self, session: Session) -> None:
        """Note which crashes have struck. One strikes when its delivery is claimed, before the relay dies of it."""
        armed = await settings.armed_faults(session)
        self._struck += [one for one in used_up(self._armed, armed) if one.name.startswith("relay.")]
        self._armed = armed

    async def _new_attempts(self, session: Session) -> list[RunEvent]:
        new = await reads.attempts_after(session, self._attempts)
        self._attempts = max([self._attempts, *(one.seq for one in new)])
        return [_attempt(one, self.names) for one in new]

    async def _new_history(self, session: Session) -> list[RunEvent]:
        every = [row for one in self.resources for row in await resources.history_of(session, one)]
        new = sorted((row for row in every if row.seq > self._history), key=lambda row: row.seq)
        self._history = max([self._history, *(row.seq for row in new)])
        return [
            ResourceChanged(
                virtual_time=row.occurred_at,
                resource_id=row.resource_id,
                name=self.names.get(row.resource_id, row.resource_id),
                status=row.status,
                event_type=row.event_type,
                deliveries=row.deliveries,
                note=row.note,
            )
            for row in new
        ]

    def _new_deaths(self) -> Iterable[RunEvent]:
        new, self.ear.deaths = self.ear.deaths, []
        self.deaths += len(new)
        for death in new:
            fault = self._struck.pop(0) if death.is_crash and self._struck else None
            yield RelayDied(
                virtual_time=death.at,
                point=fault.name if fault else None,
                event_type=fault.match.event_type if fault else None,
                exit_code=death.exit_code,
                given_back=death.given_back,
            )

    def _new_jumps(self) -> list[RunEvent]:
        new, self.ear.jumps = self.ear.jumps, []
        return [ClockMoved(virtual_time=at) for at in new]


def secrets_of(endpoints: Iterable[Any]) -> set[str]:
    """Return every secret that signs for an endpoint."""
    return {secret for one in endpoints for secret in (one.secret, one.previous_secret) if secret}


def used_up(before: list[Fault], now: list[Fault]) -> list[Fault]:
    """Return a fault once for every time that it struck between two looks."""
    left = {one.id: one.remaining for one in now}
    return [one for one in before for _ in range(one.remaining - left.get(one.id, 0))]


def _attempt(one: AttemptView, names: Mapping[str, str]) -> AttemptFinished:
    return AttemptFinished(
        virtual_time=one.finished_at,
        event_id=one.event_id,
        event_type=one.event_type,
        resource_id=one.resource_id,
        endpoint=names.get(one.endpoint_id, one.endpoint_id),
        number=one.number,
        trigger=one.trigger,
        due_at=one.due_at,
        started_at=one.started_at,
        finished_at=one.finished_at,
        outcome=one.outcome,
        reason=one.reason,
        status=one.status,
        duration=one.duration,
        counted=one.counted,
        faults=one.faults,
        detail=one.detail,
    )
