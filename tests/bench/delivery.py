"""Figures of the relay: rates and latencies beside a bare session that posts to the same receiver process."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from sender.domain.money import parse_amount
from sender.durations import SECOND
from sender.invoices import Order
from sender.store import reads
from tests.bench.parts import Figure, bare_posts, fill, receiver, simulator
from tests.bench.receiver import Sink

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sender.simulator import Simulator

EVENTS, LADDERS = 20_000, 1_000
HOURS_17 = 17 * 3_600 * SECOND


def _order(number: int) -> Order:
    return Order(
        project_id="prj_bench",
        external_id=f"order-{number}",
        amount=parse_amount("10.00", "USD", "amount"),
        currency="USD",
    )


async def ladders(database_url: str) -> AsyncIterator[Figure]:
    """One ladder in process and through a child, against eleven bare POSTs one after another."""
    with receiver() as base:
        for name, in_process, aim in (("in process", True, "≤15"), ("relay as a child", False, "≤30")):
            async with simulator(f"{base}/refuse", f"{database_url}-{in_process}", in_process=in_process) as sim:
                await _ladder(sim)
                ours, bare = [], []
                for _ in range(7):
                    bare.append(await bare_posts(f"{base}/refuse", 11, 1))
                    ours.append(await _ladder(sim))
            yield _figure(f"one event, 11 refusals, {name}", sorted(ours)[3], sorted(bare)[3], "11 bare POSTs", aim)


async def _ladder(sim: Simulator) -> float:
    await fill(sim, 1, due_at=await sim.now())
    start = time.perf_counter()
    sim.relays.wake()
    await sim.conductor.advance_by(HOURS_17)
    return time.perf_counter() - start


def _figure(name: str, ours: float, bare: float, against: str, aim: str) -> Figure:
    return Figure(name, f"{1e3 * ours:.1f} ms", f"{against}: {1e3 * bare:.1f} ms", ours / bare, aim)


async def rates(database_url: str, database: str, aim: str) -> AsyncIterator[Figure]:
    """Events accepted at once, against the same number of bare POSTs, 64 at once, before and after."""
    with receiver() as base:
        before = EVENTS / await bare_posts(f"{base}/accept", EVENTS, 64)
        async with simulator(f"{base}/accept", database_url) as sim:
            await fill(sim, EVENTS)
            busy = _Spent(sim)
            rate = EVENTS / await busy.drain()
            assert await _delivered(sim) == EVENTS
        bare = (before + EVENTS / await bare_posts(f"{base}/accept", EVENTS, 64)) / 2
        against = f"bare session: {bare:,.0f}/s"
        yield Figure(f"{EVENTS:,} events accepted, {database}", f"{rate:,.0f}/s", against, rate / bare, aim)
        if database == "SQLite":
            yield Figure(
                "commits per delivery", f"{busy.commits}", f"{EVENTS} deliveries", busy.commits / EVENTS, "≤0.05"
            )
            yield Figure(
                "share of CPU in the database",
                f"{busy.inside:.2f} s",
                f"{busy.cpu:.2f} s",
                busy.inside / busy.cpu,
                "≤0.2",
            )


async def many_ladders(database_url: str) -> AsyncIterator[Figure]:
    """Run a thousand ladders side by side, against as many bare POSTs."""
    with receiver() as base:
        before = 11 * LADDERS / await bare_posts(f"{base}/refuse", 11 * LADDERS, 64)
        async with simulator(f"{base}/refuse", database_url) as sim:
            await fill(sim, LADDERS)
            start = time.perf_counter()
            sim.relays.wake()
            await sim.conductor.advance_by(HOURS_17)
            rate = 11 * LADDERS / (time.perf_counter() - start)
        bare = (before + 11 * LADDERS / await bare_posts(f"{base}/refuse", 11 * LADDERS, 64)) / 2
        yield Figure(
            "1,000 events, 11 refusals each", f"{rate:,.0f}/s", f"bare session: {bare:,.0f}/s", rate / bare, "≥0.65"
        )


async def latency(database_url: str) -> AsyncIterator[Figure]:
    """Commit until the receiver has answered, with a child that idles, against one commit and one bare POST."""
    answered = asyncio.Event()

    class Noting(Sink):
        """Answers in this loop, and says so."""

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            answered.set()

    server = await asyncio.get_running_loop().create_server(Noting, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/accept"
    async with server, simulator(url, database_url, in_process=False) as sim:
        ours, bare = [], []
        for number in range(60):
            bare.append(await bare_posts(url, 1, 1) + await _bare_commit(sim))
            receipt = await sim.invoices.create(_order(number))
            answered.clear()
            start = time.perf_counter()
            await sim.invoices.cancel(receipt.resource.id, "bench")
            await answered.wait()
            ours.append(time.perf_counter() - start)
            await sim.conductor.quiet()
    yield _figure("idle relay: commit → answered, p50", sorted(ours)[30], sorted(bare)[30], "commit + POST", "≤8")


async def _bare_commit(sim: Simulator) -> float:
    start = time.perf_counter()
    async with sim.database.write() as session:
        await session.announce()
    return time.perf_counter() - start


async def _delivered(sim: Simulator) -> int:
    async with sim.database.read() as session:
        return (await reads.counts(session)).get("delivered", 0)


class _Spent:
    """Counts the transactions of a simulator, and the CPU time inside and outside them."""

    def __init__(self, sim: Simulator) -> None:
        self._sim = sim
        self.commits = 0
        self.inside = 0.0
        self.cpu = 0.0
        write = sim.database.write

        def counted() -> object:
            self.commits += 1
            return _Timed(write(), self)

        sim.database.write = counted  # type: ignore[method-assign,assignment]

    async def drain(self) -> float:
        """Deliver everything that is due; return the real seconds."""
        start, cpu = time.perf_counter(), time.process_time()
        self._sim.relays.wake()
        await self._sim.conductor.quiet()
        self.cpu = time.process_time() - cpu
        return time.perf_counter() - start


class _Timed:
    """A transaction whose CPU time is added up; on SQLite nothing else runs inside one."""

    def __init__(self, transaction: object, spent: _Spent) -> None:
        self._transaction = transaction
        self._spent = spent

    async def __aenter__(self) -> object:
        session = await self._transaction.__aenter__()  # type: ignore[attr-defined]
        self._begun = time.thread_time()
        return session

    async def __aexit__(self, *details: object) -> object:
        left = await self._transaction.__aexit__(*details)  # type: ignore[attr-defined]
        self._spent.inside += time.thread_time() - self._begun
        return left
