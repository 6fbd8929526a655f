"""What is particular to PostgreSQL: snapshots, wake-ups, lost connections, and transactions that end early."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import types
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from sqlalchemy import text

from sender.clock import Clock
from sender.errors import StoreError, UsageError
from sender.store import outbox, world
from sender.store.engine import open_database
from sender.store.postgres import PostgresDatabase
from tests.receivers import PATIENCE
from tests.stores import opened, queue, row, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator
    from contextlib import AbstractAsyncContextManager

    from sender.store.engine import Database, Session

MOMENTS_OF_CONNECTING = 3
"""How often a transaction waits for something before its first statement, at least."""

_BACKENDS = """
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


async def _until(url: str, question: str, answer: Callable[[list[Any]], bool]) -> list[Any]:
    """Ask the server until the answer is right."""
    async with asyncio.timeout(PATIENCE), await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        while True:
            found = await (await connection.execute(question)).fetchall()
            if answer(found):
                return found
            await connection.execute("SELECT pg_sleep(0.005)")


async def _kill_all(url: str) -> None:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(f"SELECT pg_terminate_backend(pid) FROM ({_BACKENDS}) AS found")
    await _until(url, _BACKENDS, lambda found: not found)


async def test_a_read_is_one_consistent_state(postgres_url: str) -> None:
    """What is committed during a read transaction is not seen in it: due and in flight are one picture."""
    async with opened(postgres_url) as database, database.read() as session:
        assert await outbox.heads(session) == {"a": None}
        await queue(database, row(1))
        assert await outbox.heads(session) == {"a": None}


@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt, asyncio.CancelledError])
async def test_whatever_is_raised_inside_rolls_back(postgres_url: str, kind: type[BaseException]) -> None:
    """After any exception nothing of the transaction is there, no lock is kept, and the connection is good again."""
    async with opened(postgres_url) as database:
        with pytest.raises(kind):
            await _reserve_and_raise(database, kind)
        async with asyncio.timeout(PATIENCE), database.write() as session:
            assert (await world.reserve(session, 1)).first == 1


async def _reserve_and_raise(database: Database, kind: type[BaseException]) -> None:
    async with database.write() as session:
        await world.reserve(session, 5)
        raise kind


async def test_a_transaction_cancelled_while_it_waits_leaves_nothing_behind(postgres_url: str) -> None:
    """Cancelling whoever waits for a lock gives back its connection, and no idle transaction stays on the server."""
    async with opened(postgres_url) as database:
        async with database.write() as session:
            await world.reserve(session, 1)
            waiting = asyncio.create_task(_reserve_and_raise(database, RuntimeError))
            await _until(postgres_url, f"{_BACKENDS} AND wait_event_type = 'Lock'", bool)
            waiting.cancel()
            with suppress(asyncio.CancelledError):
                await waiting
        await _until(postgres_url, f"{_BACKENDS} AND state <> 'idle'", lambda found: not found)
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*(_reserve(database) for _ in range(10)))


async def _reserve(database: Database) -> None:
    async with database.write() as session:
        await world.reserve(session, 1)


async def test_the_loss_of_every_connection_is_an_error_once(postgres_url: str) -> None:
    """When the server drops all connections the next transaction fails as ours; later ones find new connections."""
    async with opened(postgres_url) as database:
        await queue(database, row(1))
        await _kill_all(postgres_url)
        for _ in range(5):
            with suppress(StoreError):
                await queue(database, row(2))
                break
        assert set(await rows_of(database)) == {1, 2}


async def test_a_connection_lost_in_a_transaction_is_ours_to_report(postgres_url: str) -> None:
    """The error is one of the tree, names the database, and nothing was written."""
    async with opened(postgres_url) as database:
        with pytest.raises(StoreError, match="the PostgreSQL database failed"):
            await _queue_and_lose(database, postgres_url)
        async with database.read() as session:
            ((count,),) = await session.rows(text("SELECT count(*) FROM outbox"))
        assert count == 0


@pytest.mark.parametrize("kind", ["read", "write"])
async def test_a_transaction_cancelled_at_any_moment_leaves_no_connection_behind(postgres_url: str, kind: str) -> None:
    """Wherever it waits when it is cancelled, while it connects too, closing the database closes every connection."""
    for moment in count():
        database = open_database(postgres_url, Clock())
        begun = asyncio.create_task(_cancelled_at(moment, _begin(getattr(database, kind)())))
        cancelled = (await asyncio.gather(begun, return_exceptions=True))[0] is not None
        await database.close()
        await _until(postgres_url, _BACKENDS, lambda found: not found)
        if not cancelled:
            break
    assert moment > MOMENTS_OF_CONNECTING
    gc.collect()  # a connection that nobody closed complains here


async def _begin(transaction: AbstractAsyncContextManager[Session]) -> None:
    async with transaction as session:
        await session.rows(text("SELECT 1"))


@types.coroutine
def _cancelled_at(moment: int, work: Coroutine[Any, Any, None]) -> Generator[Any, Any, None]:
    """Run a coroutine, and cancel it where it waits for something after so many times, if it comes so far."""
    for _ in range(moment):
        try:
            waited = work.send(None)
        except StopIteration:
            return
        yield waited
    yield from _thrown(work)


def _thrown(work: Coroutine[Any, Any, None]) -> Generator[Any, Any, None]:
    waited = work.throw(asyncio.CancelledError())
    while True:
        yield waited
        waited = work.send(None)


async def _queue_and_lose(database: Database, url: str) -> None:
    async with database.write() as session:
        await outbox.queue(session, [row(1)])
        await _kill_all(url)
        await world.reserve(session, 1)


async def test_an_announcement_is_heard_when_it_commits_and_not_before(postgres_url: str) -> None:
    """Another connection hears what is to be done once it is there, once at its start, and never a rolled back one."""
    async with opened(postgres_url) as database:
        heard = asyncio.Event()
        other = open_database(postgres_url, Clock())
        listening = asyncio.create_task(other.listen(heard.set))
        async with asyncio.timeout(PATIENCE):
            await heard.wait()
        heard.clear()
        with pytest.raises(RuntimeError):
            await _announce_and_raise(database)
        assert not heard.is_set()
        await queue(database, row(1, body=b"x" * 9_000))
        async with asyncio.timeout(PATIENCE):
            await heard.wait()
        await _kill_all(postgres_url)
        with pytest.raises(StoreError, match="listens for work is gone"):
            await asyncio.wait_for(listening, PATIENCE)
        await other.close()


async def _announce_and_raise(database: Database) -> None:
    async with database.write() as session:
        await session.announce()
        raise RuntimeError


async def test_a_pool_that_is_used_up_waits_its_turn(postgres_url: str) -> None:
    """More transactions at once than connections: each gets its turn."""
    async with opened(postgres_url), asyncio.timeout(PATIENCE):
        small = PostgresDatabase(postgres_url, pool_size=1)
        await asyncio.gather(*(_reserve(small) for _ in range(8)))
        await small.close()


async def test_a_server_that_is_not_there_is_an_error_of_ours(tmp_path: Any) -> None:
    """Nobody at the address is told in a sentence; a password in the URL is not repeated."""
    database = open_database(f"postgresql://me:s3cret@/x?host={tmp_path}", Clock())
    with pytest.raises(StoreError, match="the PostgreSQL database failed") as caught:
        await _reserve(database)
    assert "s3cret" not in str(caught.value)
    await database.close()


@pytest.mark.parametrize("address", ["host:port/x", "[host/x", "host:99999999999999999999/x"])
async def test_a_url_that_cannot_be_used_is_refused_without_repeating_it(address: str) -> None:
    """An error of ours says so, at once or at the first transaction, and does not show what may hold a password."""
    with pytest.raises((UsageError, StoreError)) as caught:
        await _open_and_reserve(f"postgresql://me:s3cret@{address}")
    assert "s3cret" not in str(caught.value)


async def _open_and_reserve(url: str) -> None:
    database = open_database(url, Clock())
    try:
        await _reserve(database)
    finally:
        await database.close()


def test_the_driver_does_not_write_into_our_log() -> None:
    """What the driver has to say of a broken connection does not stand between the lines of standard error."""
    said = "import logging, sender.store.postgres; logging.getLogger('psycopg').warning('the connection is lost')"
    assert subprocess.run([sys.executable, "-c", said], capture_output=True, check=True).stderr == b""
