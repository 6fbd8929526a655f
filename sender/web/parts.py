"""What the web is made of: the parts of a simulator that it calls, and what it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

    from sender.channels import Channels
    from sender.durations import Duration, Instant
    from sender.invoices import Invoices
    from sender.merchant import Merchant
    from sender.providers.paymos import Paymos
    from sender.runtime import Runtime
    from sender.store.engine import Database, Session
    from sender.subscriptions import Subscriptions
    from sender.withdrawals import Withdrawals


Scope: TypeAlias = Literal["state", "faults", "clock", "endpoints", "merchant"]


class Conducting(Protocol):
    """Moves virtual time; see ``sender.conductor``."""

    async def now(self) -> Instant:
        """Return the virtual instant."""

    async def advance_by(self, duration: Duration) -> Instant:
        """Move time forward and return where it stands."""

    async def advance_to(self, instant: Instant) -> Instant:
        """Move time forward to an instant."""

    async def advance_until(self, done: Callable[[Session], Awaitable[bool]]) -> Instant:
        """Move time from deadline to deadline until ``done`` says so or nothing is pending."""

    async def advance_until_idle(self) -> Instant:
        """Move time until no delivery is pending."""

    async def set_mode(self, mode: str) -> None:
        """Let time go on in another mode."""


class Cleared(Protocol):
    """What a reset found in flight."""

    @property
    def waited_for(self) -> int:
        """How many deliveries came home."""

    @property
    def dropped(self) -> int:
        """How many were dropped with their relay."""


class Resetting(Protocol):
    """Begins again; see ``sender.resetting``."""

    async def reset(self, scopes: Collection[Scope], patience: Duration | None = None) -> Cleared:
        """Clear the scopes."""


class Run(Protocol):
    """One scenario run; times are real."""

    id: str
    story: str
    state: str
    started_at: Instant
    finished_at: Instant | None
    problem: str
    lines: list[dict[str, Any]]
    cut: bool


class Runs(Protocol):
    """The door to scenario runs, which the web may not know; see ``sender.runs``."""

    def stories(self) -> list[str]:
        """Return the names of the stories that ship."""

    async def start(self, *, name: str | None = None, story: str | None = None) -> Run:
        """Start a story by its name or from its text."""

    def all(self) -> Sequence[Run]:
        """Return runs, newest first."""

    def get(self, run_id: str) -> Run:
        """Return a run. Raises ``NotFound``."""

    async def follow(self, run_id: str, after: int, seconds: float) -> Run:
        """Return a run once it has more than ``after`` lines or has ended, at the latest after real seconds."""

    async def stop(self, run_id: str) -> Run:
        """End a run."""


class Flowing(Protocol):
    """One flow of traffic; times are real."""

    id: str
    started_at: Instant
    finished_at: Instant | None
    fired: int
    done: int
    refused: int
    last_refusal: str

    @property
    def state(self) -> str:
        """``running`` or ``stopped``."""

    @property
    def flow(self) -> Flow:
        """What it says."""


class Flow(Protocol):
    """What a flow says: its name, and when something happens, in words."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def rhythm(self) -> str:
        """When something happens."""


class Traffic(Protocol):
    """The door to recurring traffic; see ``sender.traffic``."""

    def names(self) -> list[str]:
        """Return the names of the traffic that ships."""

    async def start(self, *, name: str | None = None, document: str | None = None) -> Flowing:
        """Start a flow by its name or from its text; the same one again is the one that goes on."""

    def all(self) -> Sequence[Flowing]:
        """Return flows, newest first."""

    def get(self, traffic_id: str) -> Flowing:
        """Return a flow. Raises ``NotFound``."""

    async def stop(self, traffic_id: str) -> Flowing:
        """End a flow."""

    async def stop_all(self) -> Sequence[Flowing]:
        """End every flow; nothing is bought after this has returned."""

    async def close(self) -> None:
        """End, with the server; what is under way is cancelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of one simulator.

    ``relays_alive`` tells whether deliveries are being made; ``check_wire_fault`` gets name and fields of a wire fault
    and raises ``UsageError`` for one that no relay could carry out. Both ask the sending side, which the web may not
    know.
    """

    runtime: Runtime
    database: Database
    profile: Paymos
    invoices: Invoices
    withdrawals: Withdrawals
    channels: Channels
    subscriptions: Subscriptions
    merchant: Merchant
    conductor: Conducting
    resetting: Resetting
    runs: Runs
    traffic: Traffic
    relays_alive: Callable[[], bool]
    check_wire_fault: Callable[[str, Mapping[str, str]], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiOptions:
    """What the web is told.

    ``public_url`` is where the simulator is reached, without a slash at the end: invoices lead to its own checkout page
    there; with ``None`` they lead where the profile says. ``authenticate`` off takes every request for one of the test
    keys. ``rate_limit`` is in requests per second of real time and key. ``names`` are host names it answers to beside
    those of loopback. ``control_token`` is asked for at the control API when it is set.
    """

    public_url: str | None = None
    authenticate: bool = True
    rate_limit: int | None = None
    names: tuple[str, ...] = ()
    control_token: str | None = None
