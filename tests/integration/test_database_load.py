"""A SQLite file under everything at once: writers, relays, the dashboard, and somebody's shell that holds a read open.

``PAYMOS_SIM_TEST_LOAD_SECONDS`` is how long the load lasts, in real seconds (default 2; ``make soak`` takes 60).
"""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from contextlib import closing
from itertools import cycle
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from sender.clock import Clock
from sender.durations import SECOND
from sender.store.sqlite import LOG_LIMIT
from tests.commands import PATIENCE, served
from tests.receivers import accept, receiving
from tests.simulators import SECRET

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands import Served

SECONDS = float(os.environ.get("PAYMOS_SIM_TEST_LOAD_SECONDS", "2"))
WRITERS = 20
PAUSE = 0.1
"""Real seconds between two pages: a person's browser, or several."""

PAGES = ("/", "/endpoints", "/clock", "/faults", "/console", "/_sim/v1/health", "/_sim/v1/events", "/_sim/v1/metrics")

_COUNT = "SELECT count(*) FROM outbox"
SLACK = 48 * 2**20
"""Bytes by which the log may be over its limit for a while, on a machine that does other things."""


class Load:
    """Writers and a dashboard at one server; keeps what was made and what was refused."""

    def __init__(self, server: Served, session: aiohttp.ClientSession) -> None:
        self._server = server
        self._session = session
        self._clock = Clock()
        self._deadline = self._clock.monotonic() + int(SECONDS * SECOND)
        self.invoices: list[str] = []
        self.refused: list[tuple[str, int, str]] = []

    @property
    def goes_on(self) -> bool:
        """Whether there is time left."""
        return self._clock.monotonic() < self._deadline

    async def most(self) -> None:
        """Wait until little time is left."""
        await self._clock.sleep(SECONDS * 3 / 4)

    async def write(self, number: int) -> None:
        """Be a merchant whose orders are cancelled at once: one event each."""
        while self.goes_on:
            order = {"project_id": self._server.ready["project"], "amount": "10.00", "currency": "USD"}
            order["external_order_id"] = f"order-{number}-{len(self.invoices)}"
            made = await self._call("POST", "/v1/invoices", order)
            if made is not None:
                self.invoices.append(made["invoice_id"])
                await self._call("POST", f"/v1/invoices/{made['invoice_id']}/cancel", {"reason": "changed my mind"})

    async def look(self) -> None:
        """Be a dashboard that somebody looks at."""
        for page in cycle(PAGES):
            if not self.goes_on:
                return
            await self._call("GET", page)
            await self._clock.sleep(PAUSE)

    async def _call(self, method: str, target: str, body: object = None) -> Any:
        async with self._session.request(method, self._server.url + target, json=body) as answer:
            text = await answer.text()
            if answer.status >= 300:
                self.refused.append((target, answer.status, text))
                return None
            return await answer.json() if method == "POST" else None


@pytest.mark.timeout(120 + 4 * SECONDS)
async def test_a_file_under_everything_at_once(tmp_path: Path) -> None:
    """Twenty writers, two relays, a dashboard and a foreign read: every call succeeds, every event arrives once."""
    file = tmp_path / "shop.db"
    async with receiving(accept) as receiver, aiohttp.ClientSession() as session:
        with served(*_words(file, receiver.url())) as server:
            load = Load(server, session)
            async with asyncio.TaskGroup() as group:
                for number in range(WRITERS):
                    group.create_task(load.write(number))
                group.create_task(load.look())
                with closing(sqlite3.connect(file)) as shell:
                    shell.execute("BEGIN")
                    seen = shell.execute(_COUNT).fetchall()
                    await load.most()
                    assert shell.execute(_COUNT).fetchall() == seen
            assert load.refused == []
            await receiver.received(len(load.invoices))
            left = (tmp_path / "shop.db-wal").stat().st_size
            server.process.send_signal(signal.SIGTERM)
            _, complaint = await asyncio.to_thread(server.process.communicate, timeout=PATIENCE)
    assert complaint == ""
    _judge(file, load.invoices)
    assert set(receiver.counts.values()) == {1}
    assert left < LOG_LIMIT + SLACK


def _judge(file: Path, invoices: list[str]) -> None:
    """See that each order has its one event, and each event its one attempt, which was taken."""
    assert len(invoices) > WRITERS
    with closing(sqlite3.connect(file)) as shell:
        rows = shell.execute("SELECT resource_id, state, attempts FROM outbox").fetchall()
        made = shell.execute("SELECT outcome, status, counted, count(*) FROM attempts GROUP BY 1, 2, 3").fetchall()
    assert sorted(rows) == sorted((invoice, "delivered", 1) for invoice in invoices)
    assert made == [("delivered", 204, 1, len(invoices))]


def _words(file: Path, url: str) -> tuple[str, ...]:
    return ("--no-auth", "--relays", "2", "--endpoint", url, "--secret", SECRET, "--log-level", "warning",
            "--database-url", f"sqlite:///{file}")  # fmt: skip
