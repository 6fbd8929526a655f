"""Simulators for tests: on any database, at a fixed start, with a log that can be asked and waited for."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import asdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sender.clock import Clock
from sender.config import RelaySettings, Settings
from sender.crash import CrashSwitch
from sender.domain.fault import Fault, FaultMatch
from sender.durations import SECOND, Instant
from sender.invoices import Order
from sender.ladderfile import load_ladder
from sender.providers.paymos import Paymos
from sender.relay import Relay
from sender.runtime import Runtime
from sender.simulator import Simulator
from sender.store import reads
from sender.store.engine import open_database
from sender.subscriptions import NewEndpoint
from sender.transport.client import Transport
from sender.wire import Wire
from tests.receivers import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from sender.crash import CrashPoint
    from sender.store.reads import AttemptView, EventView

START: Instant = 1_767_225_600 * SECOND
"""2026-01-01T00:00:00Z."""

LADDER = load_ladder("paymos")
RUNGS = (0, 60, 180, 420, 900, 1_860, 3_780, 7_380, 14_580, 28_980, 57_780)
"""Seconds from the first attempt when failures are instant (contract §1.6)."""
TIMEOUT_RUNGS = (0, 70, 200, 450, 940, 1_910, 3_840, 7_450, 14_660, 29_070, 57_880)
"""The same when each attempt runs into its timeout of 10 s."""

SECRET = "whsec_test_of_the_endpoint"

_REAL_COLUMNS = ("seq", "duration", "request_headers")


class RecordingLog:
    """Keeps every line, with the bound values merged in. It can be waited for."""

    def __init__(self, parent: RecordingLog | None = None, **bound: Any) -> None:
        self.lines: list[dict[str, Any]] = parent.lines if parent else []
        self._news: asyncio.Event = parent._news if parent else asyncio.Event()
        self._bound = bound

    def info(self, event: str, **values: Any) -> None:
        """Keep a line."""
        self.lines.append({"event": str(event), **self._bound, **values})
        self._news.set()

    warning = info

    def bind(self, **values: Any) -> RecordingLog:
        """Return a log with more values that writes to the same list."""
        return RecordingLog(self, **self._bound, **values)

    def of(self, event: str) -> list[dict[str, Any]]:
        """Return the lines of one event."""
        return [line for line in self.lines if line["event"] == event]

    async def holds(self, event: str, count: int = 1) -> list[dict[str, Any]]:
        """Wait until there are so many lines of one event, and return them."""
        async with asyncio.timeout(PATIENCE):
            while len(self.of(event)) < count:
                self._news.clear()
                await self._news.wait()
        return self.of(event)


def settings_for(url: str, *, relay: Mapping[str, Any] | None = None, **others: Any) -> Settings:
    """Return settings on a database: manual clock from ``START`` and a relay in process, unless told otherwise."""
    defaults: dict[str, Any] = {"start": START, "database_url": url}
    return Settings(relay=RelaySettings(**{"ladder": LADDER, **(relay or {})}), **(defaults | others))


@asynccontextmanager
async def simulating(url: str, *, log: RecordingLog | None = None, **settings: Any) -> AsyncIterator[Simulator]:
    """Run a simulator; the settings are those of ``settings_for``."""
    async with Simulator(settings_for(url, **settings), log=log or RecordingLog()) as simulator:
        yield simulator


@asynccontextmanager
async def another_relay(url: str, *, log: RecordingLog | None = None, **options: Any) -> AsyncIterator[Relay]:
    """Run one more relay on a database, that tells no simulator anything, as on another host."""
    clock = Clock()
    runtime = Runtime(clock, CrashSwitch(), log or RecordingLog())
    database = open_database(url, clock)
    wire = Wire(Transport(clock), clock)
    relay = Relay(runtime, database, Paymos(), wire, RelaySettings(**{"ladder": LADDER, **options}))
    running = asyncio.create_task(relay.run())
    try:
        yield relay
    finally:
        await relay.stop()
        await running
        await database.close()


async def subscribe(simulator: Simulator, url: str, **wishes: Any) -> str:
    """Add an endpoint and return its id."""
    return (await simulator.subscriptions.add(NewEndpoint(**{"url": url, "secret": SECRET, **wishes}))).id


def order(name: str = "order-1", **changes: Any) -> Order:
    """Return what a merchant asks for."""
    plain: dict[str, Any] = {"project_id": "prj_1", "amount": Decimal("11.05"), "currency": "USD"}
    return Order(external_id=name, **(plain | changes))


async def cancelled(simulator: Simulator, name: str = "order-1", **changes: Any) -> str:
    """Make the smallest story with one event: an invoice created and cancelled; return the first event's id."""
    created = await simulator.invoices.create(order(name, **changes))
    return (await simulator.invoices.cancel(created.resource.id, "changed my mind")).event_ids[0]


async def cancelled_many(simulator: Simulator, count: int) -> list[str]:
    """Make ``count`` such stories; return the ids of their events in the order of their commits."""
    return [await cancelled(simulator, f"order-{number}") for number in range(count)]


def crash(point: CrashPoint, *, times: int = 1, **match: Any) -> Fault:
    """Return a crash to arm."""
    return Fault("crash", point.value, FaultMatch(**match), remaining=times)


def wire_fault(name: str, *, times: int = 1, params: Mapping[str, str] | None = None, **match: Any) -> Fault:
    """Return a wire fault to arm."""
    return Fault("wire", name, FaultMatch(**match), params or {}, remaining=times)


async def attempts_of(simulator: Simulator, event_id: str | None = None) -> list[AttemptView]:
    """Return the attempts of one event, or all, in the order in which they started."""
    async with simulator.database.read() as session:
        found = await reads.attempts_after(session)
    return [each for each in found if event_id in {None, each.event_id}]


async def events_of(simulator: Simulator) -> list[EventView]:
    """Return every event as it stands."""
    async with simulator.database.read() as session:
        return await reads.events(session)


async def event(simulator: Simulator, event_id: str) -> EventView:
    """Return one event as it stands."""
    (found,) = [each for each in await events_of(simulator) if each.event_id == event_id]
    return found


def offsets(attempts: list[AttemptView], start: Instant = START) -> list[float]:
    """Return when attempts started, in seconds after ``start``."""
    return [(each.started_at - start) / SECOND for each in attempts]


def virtual(attempts: list[AttemptView]) -> list[dict[str, Any]]:
    """Return attempts without what follows real time: the order of recording, the real duration, the signature."""
    return [{key: value for key, value in asdict(each).items() if key not in _REAL_COLUMNS} for each in attempts]
