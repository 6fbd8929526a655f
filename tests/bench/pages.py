"""Figures of the dashboard: pages of a large archive, and what an open page costs the relay."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import aiohttp
import psutil

from sender.clock import Clock
from sender.domain.money import parse_amount
from sender.durations import SECOND
from sender.invoices import Order
from sender.store import reads
from sender.store.engine import open_database
from sender.subscriptions import NewEndpoint
from tests.bench.api import serving
from tests.bench.parts import Figure, fill, fill_database, receiver, simulator

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from sender.simulator import Simulator

    Drain = Callable[[int], Awaitable[float]]

ARCHIVE = 100_000
HOURS_17 = 17 * 3_600 * SECOND
LOOKS = 31
EVENTS, PAIRS = 20_000, 7
RATE, SECONDS = 500, 8


async def archive(database_url: str) -> AsyncIterator[Figure]:
    """Fetch pages of ``serve`` over an archive of delivered events, each with its attempt, against fixed times."""
    with receiver() as base:
        async with simulator(f"{base}/accept", database_url) as sim:
            await fill(sim, ARCHIVE)
            sim.relays.wake()
            await sim.conductor.quiet()
            failed = await _failed(sim, f"{base}/refuse")
    async with serving(database_url) as (ours, _), aiohttp.ClientSession(ours) as session:
        for name, path, limit in (
            ("first page", "/", 300),
            ("page behind the middle", f"/?before={ARCHIVE // 2}", 300),
            ("page of the failed", "/?state=failed", 300),
            ("page of an event, 11 attempts", f"/events/{failed}", 150),
            ("page of an event, 1 attempt", f"/events/evt_{ARCHIVE // 2:022}", 150),
        ):
            took = 1e3 * median([await _fetched(session, path) for _ in range(LOOKS)])
            yield Figure(f"{name}, among {ARCHIVE:,}", f"{took:.1f} ms", f"{limit} ms", took / limit, "≤1")


async def _failed(sim: Simulator, url: str) -> str:
    """Let one event fail for good at an endpoint of its own; return its id."""
    endpoint = await sim.subscriptions.add(NewEndpoint(url=url))
    amount = parse_amount("10.00", "USD", "amount")
    order = Order(project_id="prj_bench", external_id="order-1", amount=amount, currency="USD")
    made = await sim.invoices.cancel((await sim.invoices.create(order)).resource.id, "bench")
    await sim.conductor.advance_by(HOURS_17)
    async with sim.database.read() as session:
        found = [one for one in await reads.events(session, made.resource.id) if one.endpoint_id == endpoint.id]
    return found[0].event_id


async def _fetched(session: aiohttp.ClientSession, path: str) -> float:
    start = time.perf_counter()
    async with session.get(path) as answer:
        assert answer.status == 200
        await answer.read()
    return time.perf_counter() - start


async def live(database_url: str) -> AsyncIterator[Figure]:
    """Deliver with and without a page open, by turns, and count what it is told; everything in processes of its own."""
    with receiver() as base:
        async with _delivering(database_url, f"{base}/accept") as (ours, drain):
            await drain(EVENTS)
            pairs = [await _pair(ours, drain, page_first=bool(number % 2)) for number in range(PAIRS)]
            alone, beside = median(one.rate for one, _ in pairs), median(two.rate for _, two in pairs)
            yield Figure("deliveries with a page open", f"{beside:,.0f}/s", f"without: {alone:,.0f}/s",
                         median(two.rate / one.rate for one, two in pairs), "≥0.95")  # fmt: skip
            share = median((two.cpu - one.cpu) / two.took for one, two in pairs)
            yield Figure("CPU that an open page takes of serve", f"{share:.3f}", "one core", share, "≤0.05")
        async for figure in _steadily(f"{database_url}-steady", f"{base}/accept"):
            yield figure


class Drained(NamedTuple):
    """Real seconds and those of CPU, of ``serve`` with its relay, that it took to deliver all."""

    took: float
    cpu: float

    @property
    def rate(self) -> float:
        """Deliveries a second."""
        return EVENTS / self.took


async def _pair(ours: str, drain: Drain, *, page_first: bool) -> tuple[Drained, Drained]:
    """Return what it takes to deliver without a page and with one."""
    serve = _serve()

    async def alone() -> Drained:
        before = _cpu(serve)
        return Drained(await drain(EVENTS), _cpu(serve) - before)

    async def beside() -> Drained:
        async with _open_page(ours):
            return await alone()

    if page_first:
        first = await beside()
        return await alone(), first
    return await alone(), await beside()


def _serve() -> list[psutil.Process]:
    """Return the process of ``serve`` and those below it."""
    (parent,) = [one for one in psutil.Process().children() if "serve" in one.cmdline()]
    return [parent, *parent.children(recursive=True)]


def _cpu(processes: list[psutil.Process]) -> float:
    return sum(sum(one.cpu_times()[:2]) for one in processes)


@asynccontextmanager
async def _delivering(database_url: str, url: str) -> AsyncIterator[tuple[str, Drain]]:
    """Run ``serve`` on a manual clock; give its base URL and what delivers so many events, in how many seconds."""
    options = ("--clock", "manual", "--endpoint", url, "--log-level", "warning")
    async with serving(database_url, *options) as (ours, _), aiohttp.ClientSession(ours) as session:
        database = open_database(database_url, Clock())

        async def drain(count: int) -> float:
            await fill_database(database, count, due_at=0)
            start = time.perf_counter()
            async with session.post("/_sim/v1/clock", json={"by": "0"}) as answer:
                assert answer.status == 200, await answer.text()
            return time.perf_counter() - start

        yield ours, drain
        await database.close()


@asynccontextmanager
async def _open_page(base: str) -> AsyncIterator[Callable[[], Awaitable[dict[str, int]]]]:
    """Open a page; give what returns its counts since it was asked last."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.page", base, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert await process.stdout.readline() == b"follows\n"

    async def counts() -> dict[str, int]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"\n")
        told: dict[str, int] = json.loads(await process.stdout.readline())
        return told

    yield counts
    process.stdin.close()
    await process.wait()


async def _steadily(database_url: str, url: str) -> AsyncIterator[Figure]:
    """Keep 500 deliveries a second coming; count what an open page is told and how often it looks."""
    async with _delivering(database_url, url) as (ours, drain), _open_page(ours) as counts:
        await drain(RATE)
        await counts()
        began = time.perf_counter()
        for number in range(1, 4 * SECONDS + 1):
            await drain(RATE // 4)
            late = time.perf_counter() - began - number / 4
            # The pace of the deliveries, and no wait for something: it is what is measured.
            await asyncio.sleep(max(-late, 0))
        took = time.perf_counter() - began
        told = await counts()
    rate = f"{RATE * SECONDS / took:,.0f} deliveries/s"
    yield Figure("messages to an open page", f"{told['messages'] / took:.1f}/s", rate, told["messages"] / took, "≤5")
    yield Figure("looks of an open page", f"{told['looks'] / took:.2f}/s", rate, told["looks"] / took, "≤1.1")
    yield Figure("bytes to an open page", f"{told['bytes'] / took:,.0f}/s", rate, told["bytes"] / took / 1000, "≤2")
