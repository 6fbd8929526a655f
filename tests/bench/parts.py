"""What the figures are made of: the receiver as a process, the bare client, simulators with a given backlog."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import aiohttp

from sender.clock import Clock
from sender.config import RelaySettings, Settings
from sender.domain.delivery import Delivery, queued, succeeded
from sender.ladderfile import load_ladder
from sender.simulator import Simulator
from sender.store import outbox, settings, world
from sender.store.engine import Database, open_database
from sender.subscriptions import NewEndpoint

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

BODY = (
    b'{"event_id":"evt_bench","event_type":"invoice.paid","version":1,"occurred_at":1700000000,"data":{"note":"%s"}}'
    % (b"x" * 1000)
)
HEADERS = {
    "Content-Type": "application/json; charset=utf-8",
    "X-Webhook-Id": "evt_bench",
    "X-Webhook-Timestamp": "1700000000",
    "X-Webhook-Signature": "t=1700000000,v1=" + "0" * 64,
}


@dataclass(frozen=True)
class Figure:
    """One line of the table; ``aim`` is ``≤ n`` or ``≥ n`` for the ratio."""

    name: str
    measured: str
    against: str
    ratio: float
    aim: str

    @property
    def holds(self) -> bool:
        """Whether the ratio is within the aim."""
        bound = float(self.aim[1:])
        return self.ratio <= bound if self.aim[0] == "≤" else self.ratio >= bound


@contextmanager
def receiver() -> Iterator[str]:
    """Run the receiver as a process; give its base URL."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.receiver"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    port = process.stdout.readline().strip()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.communicate()


async def bare_posts(url: str, count: int, at_once: int) -> float:
    """Return the seconds that a bare session needs for ``count`` POSTs, ``at_once`` at a time."""
    left = iter(range(count))

    async def one() -> None:
        for _ in left:
            async with session.post(url, data=BODY, headers=HEADERS) as response:
                await response.read()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await (await session.post(url, data=BODY, headers=HEADERS)).read()
        start = time.perf_counter()
        await asyncio.gather(*(one() for _ in range(at_once)))
        return time.perf_counter() - start


@asynccontextmanager
async def simulator(
    url: str, database_url: str, *, in_process: bool = True, relays: int = 1
) -> AsyncIterator[Simulator]:
    """Run a simulator on a manual clock with one endpoint."""
    options = Settings(
        relay=RelaySettings(ladder=load_ladder("paymos")), database_url=database_url, in_process=in_process, start=0,
        relays=relays,
    )  # fmt: skip
    async with Simulator(options) as sim:
        await sim.subscriptions.add(NewEndpoint(url=url, secret="whsec_test_bench"))
        yield sim


async def fill(sim: Simulator, count: int, *, due_at: int = 0, settled: bool = False) -> None:
    """Queue ``count`` deliveries without waking anybody."""
    await fill_database(sim.database, count, due_at=due_at, settled=settled)


async def fill_database(database: Database, count: int, *, due_at: int, settled: bool = False) -> None:
    """Queue ``count`` deliveries for the first endpoint, ten thousand a transaction."""
    delivery = succeeded(queued(due_at)) if settled else queued(due_at)
    for begin in range(0, count, 10_000):
        size = min(10_000, count - begin)
        async with database.write() as session:
            (endpoint, *_) = await settings.read_endpoints(session)
            first = (await world.reserve(session, size)).first
            await outbox.queue(session, [_row(first + place, endpoint.id, delivery) for place in range(size)])


def fill_file(database_url: str, count: int, due_at: int) -> None:
    """Queue deliveries from a process of its own."""

    async def main() -> None:
        database = open_database(database_url, Clock())
        await fill_database(database, count, due_at=due_at)
        await database.close()

    asyncio.run(main())


def _row(seq: int, endpoint_id: str, delivery: Delivery) -> outbox.Queued:
    return outbox.Queued(seq, f"evt_{seq:022}", "invoice.paid", "inv_bench", endpoint_id, delivery, BODY)


def timed(command: Sequence[str], repeats: int = 5) -> float:
    """Return the median seconds of a whole process."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2]
