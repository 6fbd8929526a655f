"""Figures of the pytest fixture: a whole test, and the fixture alone, each beside the least that it could cost."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from statistics import median
from typing import TYPE_CHECKING

from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from sender.store.schema import metadata
from sender.testing import Paymos
from sender.testing.thread import LoopThread
from tests.bench.parts import Figure, bare_posts, receiver

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ROUNDS = 15
REQUESTS = 12
"""What a test sends: one event that is taken, and one that is refused eleven times; each is refused here."""


async def whole_tests() -> AsyncIterator[Figure]:
    """Measure a test that creates, pays, lets the ladder run out and asserts, against as many bare POSTs one by one."""
    ours, bare, around = [], [], []
    with receiver() as base:
        for _ in range(ROUNDS):
            seconds, open_and_close = await asyncio.to_thread(_test, f"{base}/refuse")
            ours.append(seconds)
            around.append(open_and_close)
            bare.append(await bare_posts(f"{base}/refuse", 2 * (REQUESTS - 1), 1))
    least = [await asyncio.to_thread(_least) for _ in range(ROUNDS)]
    yield _figure("a pytest test: create, pay, two ladders, assert", ours, bare, "22 bare POSTs", "≤20")
    yield _figure("the fixture's set-up and tear-down", around, least, "thread, loop, tables", "≤20")


def _test(url: str) -> tuple[float, float]:
    began = time.perf_counter()
    with Paymos() as paymos:
        opened = time.perf_counter()
        paymos.receiver(url)
        invoice = paymos.create_invoice(amount="10.00")
        paymos.pay(invoice)
        paymos.advance(hours=17)
        paymos.expect(invoice, "invoice.paid", state="failed", attempts=11)
        asserted = time.perf_counter()
    return asserted - opened, opened - began + time.perf_counter() - asserted


def _least() -> float:
    """Return the seconds for a thread with a loop, and the tables in a database in memory."""
    dialect = sqlite.dialect()
    tables = list(metadata.tables.values())
    statements = [str(CreateTable(one).compile(dialect=dialect)) for one in tables]
    statements += [str(CreateIndex(index).compile(dialect=dialect)) for one in tables for index in one.indexes]
    began = time.perf_counter()
    thread = LoopThread("bare")
    thread.start()
    connection = sqlite3.connect(":memory:")
    for statement in statements:
        connection.execute(statement)
    connection.close()
    thread.stop()
    return time.perf_counter() - began


def _figure(name: str, ours: list[float], least: list[float], against: str, aim: str) -> Figure:
    mine, other = median(ours), median(least)
    return Figure(name, f"{1e3 * mine:.1f} ms", f"{against}: {1e3 * other:.1f} ms", mine / other, aim)
