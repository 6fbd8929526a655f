"""Figures of whole processes: start, the demo story, help, and a relay's successor after a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sender.domain.money import parse_amount
from sender.invoices import Order
from sender.supervisor import Supervisor
from tests.bench.parts import Figure, receiver, simulator, timed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

LIBRARIES = (
    "import sqlalchemy, sqlalchemy.ext.asyncio, psycopg, aiohttp, apscheduler.schedulers.asyncio, structlog, "
    "pydantic, yaml"
)
"""The libraries that carry the product, imported and nothing else."""

COMMAND = str(Path(sys.executable).with_name("paymos-sim"))


def starts() -> Iterator[Figure]:
    """Whole processes beside a process that only imports."""
    imports = timed([sys.executable, "-c", LIBRARIES])
    bare = timed([sys.executable, "-c", "pass"], 9)
    story = timed([COMMAND, "run", "ladder-to-the-end"])
    ready = sorted(_ready() for _ in range(5))[2]
    helped = timed([COMMAND, "--help"], 9)
    yield _figure("run of the whole ladder story", story, imports, "imports", "≤2")
    yield _figure("serve until ready", ready, imports, "imports", "≤2")
    yield _figure("--help", helped, bare, "python -c pass", "≤12")
    yield _figure("--version", timed([COMMAND, "--version"], 9), bare, "python -c pass", "≤12")


def _figure(name: str, ours: float, other: float, against: str, aim: str) -> Figure:
    return Figure(name, f"{1e3 * ours:.0f} ms", f"{against}: {1e3 * other:.0f} ms", ours / other, aim)


def _ready() -> float:
    start = time.perf_counter()
    command = [COMMAND, "serve", "--port", "0", "--log-level", "warning"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("ready"):
            break
    took = time.perf_counter() - start
    process.send_signal(signal.SIGTERM)
    process.communicate()
    return took


async def succession(database_url: str) -> AsyncIterator[Figure]:
    """Kill a relay; measure until its successor's first POST is recorded."""
    imports = timed([sys.executable, "-c", LIBRARIES])
    with receiver() as base:
        async with simulator(f"{base}/accept", database_url, in_process=False) as sim:
            relays = sim.relays
            assert isinstance(relays, Supervisor)
            took = []
            for number in range(7):
                receipt = await sim.invoices.create(_order(number))
                (process,) = relays.processes
                start = time.perf_counter()
                os.kill(process, signal.SIGKILL)
                await sim.invoices.cancel(receipt.resource.id, "bench")
                await sim.conductor.quiet()
                took.append(time.perf_counter() - start)
    yield _figure("relay killed → successor's first POST", sorted(took)[3], imports, "imports", "≤0.3")


def _order(number: int) -> Order:
    amount = parse_amount("10.00", "USD", "amount")
    return Order(project_id="prj_bench", external_id=f"order-{number}", amount=amount, currency="USD")
