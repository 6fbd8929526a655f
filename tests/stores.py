"""Databases for the tests of the store: opened, prepared, and filled with rows that need no simulator."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from sender.attempt import Exchange, settlement
from sender.clock import Clock, start_timeline
from sender.domain.delivery import Reason, queued
from sender.domain.endpoint import Endpoint
from sender.providers.paymos import Paymos
from sender.store import outbox, settings, world
from sender.store.engine import open_database
from sender.store.outbox import Claimed, Lease, Queued, Settlement
from sender.store.schema import attempts
from sender.store.schema import outbox as outbox_table
from sender.transport import Answer, Outgoing
from tests.simulators import LADDER, START

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from sender.durations import Instant
    from sender.store.engine import Database

PAYMOS = Paymos()
FOREVER = 2**60
"""A real instant at which no lease has run out."""


@asynccontextmanager
async def opened(url: str, *, endpoints: Iterable[str] = ("a",)) -> AsyncIterator[Database]:
    """Open a database, prepared, with these endpoints."""
    database = open_database(url, Clock())
    try:
        await world.prepare(database, 1, start_timeline("manual", 0, START))
        async with database.write() as session:
            for name in endpoints:
                await settings.add_endpoint(session, endpoint(name))
        yield database
    finally:
        await database.close()


def endpoint(name: str = "a", **changes: Any) -> Endpoint:
    """Return an endpoint."""
    return replace(Endpoint(name, f"http://127.0.0.1:9/{name}", f"whsec_{name}", created_at=START), **changes)


def row(seq: int, endpoint_id: str = "a", due: Instant = START, **changes: Any) -> Queued:
    """Return a row to queue; its body is its own."""
    made = Queued(seq, f"evt_{seq}", "invoice.paid", f"inv_{seq}", endpoint_id, queued(due), f"body {seq}".encode())
    return replace(made, **changes)


async def queue(database: Database, *rows: Queued) -> None:
    """Commit rows."""
    async with database.write() as session:
        await outbox.queue(session, rows)


async def claim(
    database: Database, owner: str = "relay", *, endpoint_id: str = "a", now: Instant = START, limit: int = 100,
    until: Instant = FOREVER,
) -> list[Claimed]:  # fmt: skip
    """Claim rows in a transaction of its own; the token is the owner's name and the endpoint's."""
    async with database.write() as session:
        return await outbox.claim(session, endpoint_id, now, limit, Lease(owner, f"{owner}:{endpoint_id}", until))


def outcome(claimed: Claimed, status: int | None = 500, at: Instant = START) -> Settlement:
    """Return what an instant attempt with this answer makes of a row; no status is a refused connection."""
    answer = Answer(status, None if status else Reason.REFUSED, "detail")
    exchange = Exchange(Outgoing("http://127.0.0.1:9/a", (("X-A", "b"),), claimed.body), answer, at, at)
    return settlement(claimed, exchange, PAYMOS, LADDER)


async def settle(database: Database, *settlements: Settlement) -> set[int]:
    """Settle in a transaction of its own; return the rows that moved."""
    async with database.write() as session:
        lost = await outbox.settle(session, settlements)
    return {one.row.seq for one in settlements if one not in lost}


async def rows_of(database: Database) -> dict[int, Any]:
    """Return every outbox row by its number."""
    async with database.read() as session:
        return {each.seq: each for each in await session.rows(select(outbox_table).order_by(outbox_table.c.seq))}


async def records_of(database: Database) -> list[Any]:
    """Return every attempt in the order of recording."""
    async with database.read() as session:
        return list(await session.rows(select(attempts).order_by(attempts.c.seq)))


def seqs(rows: Iterable[Any]) -> list[int]:
    """Return the numbers of rows."""
    return [each.seq for each in rows]
