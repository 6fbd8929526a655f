"""What the web is made of: the parts of a simulator that it calls, and what it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from sender.channels import Channels
    from sender.durations import Duration, Instant
    from sender.invoices import Invoices
    from sender.providers.paymos import Paymos
    from sender.runtime import Runtime
    from sender.store.engine import Database, Session
    from sender.subscriptions import Subscriptions
    from sender.withdrawals import Withdrawals


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
    conductor: Conducting
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
