"""What happens in a run, as typed events: the runner makes them, and reports are nothing but listeners.

Instants are virtual microseconds, durations microseconds; ``report_json`` writes them as Unix seconds. Real time is in
``AttemptFinished.duration`` and ``RunFinished.elapsed`` alone, and a port of this machine in ``RunStarted.receiver``:
everything else repeats with the seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from sender.durations import Duration, Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvent:
    """One thing that happened at ``virtual_time``."""

    kind: ClassVar[str] = ""

    virtual_time: Instant


Listener = Callable[[RunEvent], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(RunEvent):
    """A story begins. ``relay`` says what delivers: ``child`` processes, or one ``in process``."""

    kind: ClassVar[str] = "run.started"

    story: str
    name: str
    seed: int
    clock: str
    ladder: str
    database: str
    relay: str
    receiver: str
    signature_clock: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStarted(RunEvent):
    """A step begins; ``line`` is where it stands in the file."""

    kind: ClassVar[str] = "step.started"

    number: int
    verb: str
    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFinished(RunEvent):
    """A step has done what it does."""

    kind: ClassVar[str] = "step.finished"

    number: int
    verb: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceChanged(RunEvent):
    """A transition was committed; ``event_type`` is ``None`` for one that nobody is told of."""

    kind: ClassVar[str] = "resource.changed"

    resource_id: str
    name: str
    status: str
    event_type: str | None
    deliveries: int
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFinished(RunEvent):
    """An attempt was recorded. ``counted`` is false for one whose relay had lost its lease."""

    kind: ClassVar[str] = "attempt.finished"

    event_id: str
    event_type: str
    resource_id: str
    endpoint: str
    number: int
    trigger: str
    due_at: Instant
    started_at: Instant
    finished_at: Instant
    outcome: str
    reason: str | None
    status: int | None
    duration: Duration
    counted: bool
    faults: tuple[str, ...]
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayDied(RunEvent):
    """A relay died and another one took over. ``point`` is the crash point, ``None`` for a kill.

    ``exit_code`` is that of the process, ``None`` in process; ``given_back`` is how many rows it had in hand.
    """

    kind: ClassVar[str] = "relay.died"

    point: str | None
    event_type: str | None
    exit_code: int | None
    given_back: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCrashed(RunEvent):
    """The API died in the middle of a command; its client saw an error, and asks again."""

    kind: ClassVar[str] = "api.died"

    point: str | None
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockMoved(RunEvent):
    """Time jumped to ``virtual_time``."""

    kind: ClassVar[str] = "clock.moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectationChecked(RunEvent):
    """One field of an ``expect`` step was compared."""

    step: int
    line: int
    subject: str
    field: str
    wanted: str
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectationHeld(ExpectationChecked):
    """What was found is what was wanted."""

    kind: ClassVar[str] = "expectation.held"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectationFailed(ExpectationChecked):
    """What was found is something else."""

    kind: ClassVar[str] = "expectation.failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class LawHeld(RunEvent):
    """A law was checked and holds."""

    kind: ClassVar[str] = "law.held"

    law: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LawBroken(RunEvent):
    """A law does not hold; ``subject`` is the event, invoice or order where it shows."""

    kind: ClassVar[str] = "law.broken"

    law: str
    says: str
    subject: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSummed(RunEvent):
    """Where the delivery of one event stands at the end; ``received`` is ``None`` where nobody counted."""

    kind: ClassVar[str] = "event.summed"

    event_id: str
    event_type: str
    resource_id: str
    resource: str
    endpoint: str
    state: str
    attempts: int
    received: int | None
    applied: int | None
    next_due_at: Instant | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeKept(RunEvent):
    """What went over the wire in one attempt, as text, with every secret masked. Only told where a report wants it."""

    kind: ClassVar[str] = "exchange.kept"

    event_id: str
    number: int
    started_at: Instant
    url: str
    request_headers: tuple[tuple[str, str], ...]
    request_body: str
    answer_headers: tuple[tuple[str, str], ...]
    answer_body: str
    answer_cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished(RunEvent):
    """The story is over. ``verdict`` is ``passed`` or ``failed``; ``elapsed`` is real time."""

    kind: ClassVar[str] = "run.finished"

    story: str
    verdict: str
    expectations: int
    expectations_failed: int
    laws: int
    laws_broken: int
    elapsed: Duration
