"""Figures of a large backlog: the cost of a claim, and the memory of the relay and of its parent."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from typing import TYPE_CHECKING

import psutil

from sender.durations import HOUR
from sender.store import outbox
from sender.supervisor import Supervisor
from tests.bench.parts import Figure, fill, receiver, simulator

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sender.simulator import Simulator

SMALL, LARGE = 10_000, 1_000_000


async def claims(small_url: str, large_url: str, database: str) -> AsyncIterator[Figure]:
    """Claim 100 rows beside a million settled and a million pending ones, against ten thousand of each."""
    small, large = await _claim(small_url, SMALL), await _claim(large_url, LARGE)
    against = f"beside 10 k: {1e3 * small:.2f} ms"
    yield Figure(f"claim of 100 beside 1 M settled + 1 M pending, {database}", f"{1e3 * large:.2f} ms", against,
                 large / small, "≤1.3")  # fmt: skip


async def _claim(database_url: str, count: int) -> float:
    async with simulator("http://127.0.0.1:9/", database_url) as sim:
        await sim.relays.stop()
        await fill(sim, count, due_at=HOUR, settled=True)
        await fill(sim, count, due_at=HOUR)
        (endpoint, *_) = await sim.subscriptions.all()
        times = []
        for number in range(25):
            lease = outbox.Lease("bench", f"bench:{number}", 0)
            async with sim.database.write() as session:
                start = time.perf_counter()
                await outbox.heads(session)
                rows = await outbox.claim(session, endpoint.id, HOUR, 100, lease)
                times.append(time.perf_counter() - start)
            assert len(rows) == 100
        return sorted(times)[12]


async def memory(small_url: str, large_url: str) -> AsyncIterator[Figure]:
    """Resident memory of relay and parent with a million rows pending, against a thousand."""
    small, large = await _resident(small_url, 1_000), await _resident(large_url, LARGE)
    for name, few, many in zip(("relay", "parent"), small, large, strict=True):
        yield Figure(
            f"memory of the {name} at 1 M pending", f"{many:.0f} MB", f"at 1 k: {few:.0f} MB", many / few, "≤1.2"
        )


async def _resident(database_url: str, count: int) -> tuple[float, float]:
    with receiver() as base:
        async with simulator(f"{base}/accept", database_url, in_process=False) as sim:
            await _fill_elsewhere(sim, count)
            sim.relays.wake()
            await fill(sim, 500)
            sim.relays.wake()
            await sim.conductor.quiet()
            assert isinstance(sim.relays, Supervisor)
            return tuple(psutil.Process(pid).memory_info().rss / 1e6 for pid in (*sim.relays.processes, os.getpid()))  # type: ignore[return-value]


async def _fill_elsewhere(sim: Simulator, count: int) -> None:
    """Queue rows from another process, so that making them does not count as the parent's memory."""
    code = f"from tests.bench.parts import fill_file; fill_file({sim.settings.database_url!r}, {count}, {HOUR})"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    assert await process.wait() == 0
