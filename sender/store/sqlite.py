"""SQLite: inline in the event loop, one writer at a time, readers that never wait.

One statement takes microseconds, and handing it to a thread costs more than it takes, because the interpreter lock has
to come back from a busy loop. The one thing that may last, another process's write lock, is waited for with the loop
free. Writers begin IMMEDIATE: a transaction that reads first and then writes fails at once in WAL mode, whatever the
busy timeout says.
"""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import asynccontextmanager, suppress
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote

from sqlalchemy import create_engine, create_mock_engine, insert, inspect
from sqlalchemy.dialects import sqlite as sqlite_dialect
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import StaticPool

from sender.durations import SECOND, Duration
from sender.errors import NotAvailable, StoreError
from sender.paths import is_folder
from sender.store.prepared import Shelf
from sender.store.schema import metadata

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from sqlalchemy import Connection, Dialect, Executable, Table

    from sender.clock import Clock
    from sender.store.engine import Params, Session

OLDEST = (3, 38, 0)
"""The first SQLite with UPDATE … FROM, RETURNING and the ``->>`` operator together."""

LOCK_PATIENCE: Duration = 30 * SECOND
"""How long a writer waits for another process's write transaction, in real time."""

LOG_LIMIT = 16 * 2**20
"""Bytes to which the write-ahead log is cut once everybody has read past its end.

A reader that holds a transaction open (a shell that somebody forgot) lets it grow without bound, and the file would
keep that size. In peace it ends at a quarter of this, so the cut costs nothing.
"""

WAL_TRIES = 20
"""How often a file is turned to WAL before the failure is one; each try waits for whoever is at it."""

LOCK_PAUSE = 0.001
"""Real seconds between two tries for the write lock; a transaction of the relay takes about as long."""


_FAULTS = (SQLAlchemyError, sqlite3.Error)


class SqliteSession:
    """The statements of one transaction, run inline."""

    def __init__(self, connection: Connection, raw: sqlite3.Connection) -> None:
        self._connection = connection
        self._raw = raw
        self._shelf = Shelf(connection.dialect)

    async def rows(self, statement: Executable, params: Params | None = None) -> Sequence[Any]:
        """Run a statement and return its rows."""
        prepared = self._shelf.find(statement, params)
        if prepared is None:
            return self._connection.execute(statement, params).all()
        found = self._raw.execute(prepared.sql, prepared.values(cast("Mapping[str, Any]", params)))
        return [prepared.as_row(values) for values in found.fetchall()]

    async def run(self, statement: Executable, params: Params | None = None) -> int:
        """Run a statement; return how many rows it touched."""
        prepared = self._shelf.find(statement, params)
        if prepared is None:
            return self._connection.execute(statement, params).rowcount
        return self._raw.execute(prepared.sql, prepared.values(cast("Mapping[str, Any]", params))).rowcount

    async def add(self, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows that all have the same columns."""
        sql, in_order = _insertion(self._connection.dialect, table, tuple(rows[0]))
        self._raw.executemany(sql, [in_order(row) for row in rows])

    async def create_tables(self) -> None:
        """Create every table of the schema."""
        for statement in _creation():
            self._raw.execute(statement)

    async def has_tables(self) -> bool:
        """Tell whether the schema is there."""
        return inspect(self._connection).has_table("instance")

    async def announce(self) -> None:
        """Do nothing: the processes that share a file are told over their pipes."""


@cache
def _creation() -> tuple[str, ...]:
    """Return the statements that make the schema; to compile them costs ten times what they cost."""
    statements: list[str] = []
    dialect = sqlite_dialect.dialect()
    engine = create_mock_engine("sqlite://", lambda sql, *_: statements.append(str(sql.compile(dialect=dialect))))
    metadata.create_all(engine, checkfirst=False)
    return tuple(statements)


class _Handle:
    """One connection with the lock that keeps its transactions apart."""

    def __init__(self, path: str, synchronous: str) -> None:
        self.raw = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        self._engine = create_engine(
            "sqlite+pysqlite://",
            creator=lambda: self.raw,
            isolation_level="AUTOCOMMIT",
            poolclass=StaticPool,
        )
        self.connection = self._engine.connect()
        self.session = SqliteSession(self.connection, self.raw)
        self.turn = asyncio.Lock()
        # Patience is for what SQLite cannot avoid: turning a new file to WAL, and its recovery after a crash.
        self.raw.execute("PRAGMA busy_timeout=5000")
        _turn_to_wal(self.raw)
        for pragma in (f"synchronous={synchronous}", "foreign_keys=ON", f"journal_size_limit={LOG_LIMIT}"):
            self.raw.execute(f"PRAGMA {pragma}")

    def close(self) -> None:
        self.connection.close()
        self._engine.dispose()


class SqliteDatabase:
    """A SQLite file, or memory that lasts as long as this object."""

    def __init__(self, url: str, clock: Clock, *, durable: bool = False) -> None:
        if sqlite3.sqlite_version_info < OLDEST:
            message = f"SQLite {sqlite3.sqlite_version} is too old; 3.38 or later is needed (a newer Python brings it)"
            raise NotAvailable(message)
        self.url = url
        self._clock = clock
        path = _path(url)
        synchronous = "FULL" if durable else "NORMAL"
        try:
            self._writer = _Handle(path, synchronous)
            # The writer's own waiting for the lock is _begin, with the loop free.
            self._writer.raw.execute("PRAGMA busy_timeout=0")
            self._reader = self._writer if path == ":memory:" else _Handle(path, synchronous)
        except (sqlite3.Error, SQLAlchemyError) as error:
            message = f"the database file {path} cannot be opened: {_plain(error)}"
            raise NotAvailable(message) from None

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Session]:
        """Open a transaction that writes."""
        handle = self._writer
        async with handle.turn:
            await self._begin()
            try:
                yield handle.session
                handle.raw.execute("COMMIT")
            except _FAULTS as error:
                raise _translated(error) from error
            finally:
                _roll_back(handle.raw)

    async def _begin(self) -> None:
        deadline = self._clock.monotonic() + LOCK_PATIENCE
        while True:
            try:
                self._writer.raw.execute("BEGIN IMMEDIATE")
            except sqlite3.Error as error:
                if not _is_busy(error) or self._clock.monotonic() > deadline:
                    raise _translated(error) from error
            else:
                return
            await self._clock.sleep(LOCK_PAUSE)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Session]:
        """Open a transaction that reads one consistent state."""
        handle = self._reader
        async with handle.turn:
            try:
                handle.raw.execute("BEGIN")
                yield handle.session
            except _FAULTS as error:
                raise _translated(error) from error
            finally:
                _roll_back(handle.raw)

    async def listen(self, heard: Callable[[], None]) -> None:
        """Return at once: a file tells nobody."""

    async def close(self) -> None:
        """Close both connections."""
        self._reader.close()
        if self._writer is not self._reader:
            self._writer.close()


def _path(url: str) -> str:
    if url == "memory":
        return ":memory:"
    path = unquote(url.removeprefix("sqlite:///").removeprefix("sqlite://"))
    if path in {"", ":memory:"}:
        return ":memory:"
    if not is_folder(Path(path).parent):
        message = f"the database file {path} cannot be opened: its folder does not exist"
        raise NotAvailable(message)
    return path


@cache
def _insertion(
    dialect: Dialect, table: Table, columns: tuple[str, ...]
) -> tuple[str, Callable[[Mapping[str, Any]], tuple[Any, ...]]]:
    """Return an INSERT as the driver takes it, and what puts a row into its order.

    SQLAlchemy compiles it, and the driver runs it: preparing each parameter set again costs more than SQLite takes.
    """
    compiled = insert(table).inline().compile(dialect=dialect, column_keys=columns)
    return compiled.string, itemgetter(*(compiled.positiontup or ()))


def _turn_to_wal(raw: sqlite3.Connection) -> None:
    """Turn the file to WAL, also while other processes do the same to a new one.

    The turn itself fails at once when it meets another one, whatever the busy timeout says; a transaction does wait.
    """
    for _ in range(WAL_TRIES):
        with suppress(sqlite3.OperationalError):
            raw.execute("PRAGMA journal_mode=WAL")
            return
        raw.execute("BEGIN IMMEDIATE")
        raw.execute("COMMIT")
    raw.execute("PRAGMA journal_mode=WAL")


def _roll_back(raw: sqlite3.Connection) -> None:
    # What SQLite cannot roll back (a full disk, a closed file) it has rolled back by itself.
    with suppress(sqlite3.Error):
        if raw.in_transaction:
            raw.execute("ROLLBACK")


def _is_busy(error: sqlite3.Error) -> bool:
    # Errors of Python's own, such as a closed connection, have no name; another process's recovery has one of its own.
    return getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")


def _translated(error: Exception) -> StoreError:
    return StoreError(f"the SQLite database failed: {_plain(error)}")


def _plain(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error)
