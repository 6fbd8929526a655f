"""What is particular to SQLite: one writer at a time, readers that never wait, waiting with the loop free."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from sender.clock import Clock
from sender.errors import NotAvailable, StoreError, UsageError
from sender.store import sqlite, world
from sender.store.engine import open_database
from sender.store.sqlite import LOG_LIMIT, WAL_TRIES, _turn_to_wal
from tests.receivers import PATIENCE
from tests.stores import opened, queue, row, rows_of

if TYPE_CHECKING:
    from sender.store.engine import Database, Session


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Give the URL of an empty file."""
    return f"sqlite:///{tmp_path / 'a file.sqlite3'}"


def _file(url: str) -> sqlite3.Connection:
    return sqlite3.connect(url.removeprefix("sqlite:///"), timeout=0, isolation_level=None)


def _log_size(url: str) -> int:
    return Path(f"{url.removeprefix('sqlite:///')}-wal").stat().st_size


class _Counted(Clock):
    """A clock whose sleeps are counted and announced."""

    def __init__(self) -> None:
        self.slept = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.slept.set()
        await super().sleep(seconds)


async def test_a_writer_waits_for_another_process_with_the_loop_free(url: str) -> None:
    """While somebody else holds the write lock the loop goes on, and the transaction begins when the lock is free."""
    clock = _Counted()
    async with opened(url):
        database = open_database(url, clock)
        other = _file(url)
        other.execute("BEGIN IMMEDIATE")
        writing = asyncio.create_task(_reserve(database))
        async with asyncio.timeout(PATIENCE):
            await clock.slept.wait()
            assert not writing.done()
            other.execute("ROLLBACK")
            assert await writing == 1
        other.close()
        await database.close()


async def _reserve(database: Database) -> int:
    async with database.write() as session:
        return (await world.reserve(session, 1)).first


async def test_a_lock_that_is_never_released_is_given_up(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wait ends with an error of ours, and the database works once the lock is gone."""
    async with opened(url) as database:
        monkeypatch.setattr(sqlite, "LOCK_PATIENCE", 0)
        other = _file(url)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked"):
            await _reserve(database)
        other.close()
        assert await _reserve(database) == 1


async def test_readers_never_wait_for_a_writer_and_see_what_was_committed(url: str) -> None:
    """A reader beside an open write transaction sees the state before it, at once; a new one sees it afterwards."""
    async with opened(url) as database, asyncio.timeout(PATIENCE):
        async with database.write() as writer:
            await world.reserve(writer, 5)
            assert await _issued(database) == 0
        assert await _issued(database) == 5


async def _issued(database: Database) -> int:
    async with database.read() as session:
        ((issued,),) = await session.rows(text("SELECT issued FROM instance"))
        return int(issued)


async def test_a_read_is_one_consistent_state(url: str) -> None:
    """What another process commits during a read transaction is not seen in it."""
    async with opened(url) as database, database.read() as session:
        ((before,),) = await session.rows(text("SELECT issued FROM instance"))
        other = _file(url)
        other.execute("UPDATE instance SET issued = 99")
        other.close()
        assert await session.rows(text("SELECT issued FROM instance")) == [(before,)]


async def test_the_log_is_cut_once_a_foreign_read_has_ended(url: str) -> None:
    """It grows while another process holds a read open, and is small again soon after, though nothing is closed."""
    async with opened(url) as database:
        with closing(_file(url)) as shell:
            shell.execute("BEGIN")
            shell.execute("SELECT count(*) FROM outbox").fetchall()
            for number in range(40):
                await queue(database, row(number, body=b"x" * 2**20))
            assert _log_size(url) > 2 * LOG_LIMIT
        for number in range(40, 44):
            await queue(database, row(number))
        assert _log_size(url) <= LOG_LIMIT


async def test_reading_first_and_writing_then_never_fails_as_locked(url: str) -> None:
    """Twenty transactions over two connections that read and then write all commit, one after the other."""
    async with opened(url) as one:
        two = open_database(url, Clock())
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*(_read_then_write(each) for each in [one, two] * 10))
        assert await _issued(two) == 20
        await two.close()


async def _read_then_write(database: Database) -> None:
    async with database.write() as session:
        ((issued,),) = await session.rows(text("SELECT issued FROM instance"))
        await asyncio.get_running_loop().run_in_executor(None, lambda: None)
        await session.run(text("UPDATE instance SET issued = :value"), {"value": issued + 1})


@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt, asyncio.CancelledError])
async def test_whatever_is_raised_inside_rolls_back(url: str, kind: type[BaseException]) -> None:
    """After any exception, also one that is no error, nothing of the transaction is there and the next one works."""
    async with opened(url) as database:
        with pytest.raises(kind):
            await _queue_and_raise(database, kind)
        assert await rows_of(database) == {}
        await queue(database, row(1))
        assert list(await rows_of(database)) == [1]


async def _queue_and_raise(database: Database, kind: type[BaseException]) -> None:
    async with database.write() as session:
        await session.run(text("UPDATE instance SET issued = 7"))
        raise kind


async def test_a_closed_database_says_so_as_ours(url: str) -> None:
    """Whatever is asked of it afterwards ends in an error of the tree, not in one of the driver's."""
    async with opened(url) as database:
        other = open_database(url, Clock())
        await other.close()
        for transaction in (other.write, other.read):
            with pytest.raises(StoreError):
                await _enter(transaction())
        assert await _issued(database) == 0


async def _enter(transaction: Any) -> None:
    async with transaction:
        pass


async def test_memory_is_private_and_lasts_as_long_as_its_object() -> None:
    """Two databases in memory share nothing."""
    async with opened("memory") as one, opened("memory") as two:
        await queue(one, row(1))
        assert list(await rows_of(one)) == [1]
        assert await rows_of(two) == {}


@pytest.mark.parametrize(("durable", "synchronous"), [(False, 1), (True, 2)])
async def test_durable_waits_for_the_disk_at_every_commit(url: str, *, durable: bool, synchronous: int) -> None:
    """NORMAL by default, FULL when asked for; WAL and foreign keys always."""
    database = open_database(url, Clock(), durable=durable)
    async with database.write() as session:
        assert await _pragmas(session) == ["wal", synchronous, 1]
    await database.close()


async def _pragmas(session: Session) -> list[Any]:
    return [
        (await session.rows(text(f"PRAGMA {name}")))[0][0] for name in ("journal_mode", "synchronous", "foreign_keys")
    ]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A file in a missing folder, and a folder in place of a file, are refused in a sentence."""
    with pytest.raises(NotAvailable, match=r"missing/x\.db cannot be opened: its folder does not exist"):
        open_database(f"sqlite:///{tmp_path}/missing/x.db", Clock())
    with pytest.raises(NotAvailable, match=r"cannot be opened: unable to open database file"):
        open_database(f"sqlite:///{tmp_path}", Clock())


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    """Nothing is written over what was there."""
    file = tmp_path / "notes.txt"
    file.write_text("remember the milk\n" * 100)
    with pytest.raises(NotAvailable, match="not a database"):
        open_database(f"sqlite:///{file}", Clock())
    assert file.read_text().startswith("remember the milk")


@pytest.mark.parametrize("text_", ["", "mysql://x", "sqlite3:///x", "MEMORY", "file.db"])
def test_another_kind_of_url_is_refused_with_the_choice(text_: str) -> None:
    """What is not a database URL is quoted beside those that are."""
    with pytest.raises(UsageError, match=r"sqlite:///FILE, memory, postgresql://HOST/NAME"):
        open_database(text_, Clock())


class _Busy(sqlite3.Connection):
    """Refuses to turn to WAL for some time, as SQLite does when it meets another turn."""

    refusals = 0

    def execute(self, statement: str, *rest: Any) -> sqlite3.Cursor:
        if "journal_mode" in statement and self.refusals:
            self.refusals -= 1
            message = "database is locked"
            raise sqlite3.OperationalError(message)
        return super().execute(statement, *rest)


@pytest.mark.parametrize("refusals", [1, WAL_TRIES])
def test_the_turn_to_wal_is_tried_again(tmp_path: Path, refusals: int) -> None:
    """Two processes that make one file at the same time both get it: the turn that failed is repeated."""
    raw = sqlite3.connect(tmp_path / "x", isolation_level=None, factory=_Busy)
    raw.refusals = refusals
    _turn_to_wal(raw)
    assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    raw.refusals = WAL_TRIES + 1
    with pytest.raises(sqlite3.OperationalError):
        _turn_to_wal(raw)
    raw.close()
