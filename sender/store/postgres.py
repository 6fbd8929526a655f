"""PostgreSQL: SQLAlchemy's asyncio engine on psycopg, and the wake-up that crosses hosts.

A pooler that lends a server connection for one transaction (PgBouncer in transaction mode) may stand between. What is
prepared in one transaction is then not there in the next, and what is listened for is heard by nobody, so neither is
done where a pooler is met; relays on other hosts find their work by looking for it.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import event, func, insert, inspect, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine

from sender.errors import StoreError, UsageError
from sender.store.schema import metadata

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from sqlalchemy import Connection, Dialect, Executable, Table
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from sender.store.engine import Params, Session

CHANNEL = "paymos_sim"
"""The channel of LISTEN and NOTIFY; what it says is only ever "look", so its 8,000 byte limit cannot matter."""

_SCHEMA_LOCK = 7_291_107
"""The advisory lock under which the schema is made, so that two processes may start at once."""

_ANNOUNCE = select(func.pg_notify(CHANNEL, ""))

_WHO = "SELECT pg_backend_pid()"


# What breaks with a connection comes out as an error of ours; the driver would write it between the lines of our log.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


class PostgresSession:
    """The statements of one transaction."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def rows(self, statement: Executable, params: Params | None = None) -> Sequence[Any]:
        """Run a statement and return its rows."""
        return (await self._connection.execute(statement, params)).all()

    async def run(self, statement: Executable, params: Params | None = None) -> int:
        """Run a statement; return how many rows it touched."""
        return (await self._connection.execute(statement, params)).rowcount

    async def add(self, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows that all have the same columns."""
        await self._connection.exec_driver_sql(_insertion(self._connection.dialect, table, tuple(rows[0])), list(rows))

    async def create_tables(self) -> None:
        """Create every table of the schema."""
        await self._connection.run_sync(metadata.create_all)

    async def has_tables(self) -> bool:
        """Tell whether the schema is there; the answer stays true until this transaction ends."""
        await self._connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _SCHEMA_LOCK})
        return await self._connection.run_sync(_has_instance)

    async def announce(self) -> None:
        """Wake relays on other hosts once this commits."""
        await self._connection.execute(_ANNOUNCE)


class PostgresDatabase:
    """A PostgreSQL database behind a small pool."""

    def __init__(self, url: str, *, pool_size: int) -> None:
        try:
            address = make_url(url).set(drivername="postgresql+psycopg")
        except (ArgumentError, ValueError):
            message = "the database URL cannot be read; write postgresql://USER:PASSWORD@HOST:PORT/NAME"
            raise UsageError(message) from None
        self.url = url
        self._address = address.set(drivername="postgresql").render_as_string(hide_password=False)
        # Every transaction here ends in a commit or a rollback of its own, so the pool's would be a wasted round trip.
        self._engine = create_async_engine(
            address,
            pool_size=pool_size,
            max_overflow=0,
            pool_reset_on_return=None,
            connect_args={"connect_timeout": 10},
        )
        self._returning: set[asyncio.Task[None]] = set()
        event.listen(self._engine.sync_engine, "connect", _prepare_nothing_behind_a_pooler)
        # What is due and what is in flight must be one picture, or a row between the two is in neither.
        self._snapshots = self._engine.execution_options(isolation_level="REPEATABLE READ")

    def write(self) -> AbstractAsyncContextManager[Session]:
        """Open a transaction; it commits when the block ends."""
        return self._transaction(self._engine)

    def read(self) -> AbstractAsyncContextManager[Session]:
        """Open a transaction that sees one consistent state."""
        return self._transaction(self._snapshots)

    @asynccontextmanager
    async def _transaction(self, engine: AsyncEngine) -> AsyncIterator[Session]:
        connection = await self._connected(engine)
        try:
            yield PostgresSession(connection)
            await connection.commit()
        except SQLAlchemyError as error:
            raise _translated(error) from error
        finally:
            await connection.close()

    async def _connected(self, engine: AsyncEngine) -> AsyncConnection:
        """Return a connection. Whoever is cancelled while it is made leaves it to be given back, not half made."""
        connecting = asyncio.create_task(_connect(engine))
        try:
            return await asyncio.shield(connecting)
        except asyncio.CancelledError:
            returning = asyncio.create_task(_give_back(connecting))
            self._returning.add(returning)
            returning.add_done_callback(self._returning.discard)
            raise

    async def listen(self, heard: Callable[[], None]) -> None:
        """Call ``heard`` for every announcement, for as long as the connection holds.

        Also once as soon as it is listened: what was announced before then went unheard. Returns at once behind a
        pooler, through which nothing is heard.
        """
        import psycopg  # noqa: PLC0415 - only relays listen

        try:
            async with await psycopg.AsyncConnection.connect(self._address, autocommit=True) as connection:
                ((serving,),) = await (await connection.execute(_WHO)).fetchall()
                if serving != connection.info.backend_pid:
                    return
                await connection.execute(f"LISTEN {CHANNEL}")
                heard()
                async for _ in connection.notifies():
                    heard()
        except psycopg.Error as error:
            message = f"the connection that listens for work is gone: {error}"
            raise StoreError(message) from error

    async def close(self) -> None:
        """Close the pool, once it has back what is on its way."""
        await asyncio.gather(*self._returning)
        await self._engine.dispose()


def _prepare_nothing_behind_a_pooler(connection: DBAPIConnection, _record: object) -> None:
    """Stop the driver from preparing what it runs often, where another process answers than the one that was called."""
    driver: Any = connection.driver_connection
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute(_WHO)
    ((serving,),) = cursor.fetchall()
    cursor.close()
    connection.autocommit = False
    if serving != driver.info.backend_pid:
        driver.prepare_threshold = None


@cache
def _insertion(dialect: Dialect, table: Table, columns: tuple[str, ...]) -> str:
    """Return an INSERT as the driver takes it: compiled by SQLAlchemy, run without preparing each row again."""
    return insert(table).inline().compile(dialect=dialect, column_keys=columns).string


async def _connect(engine: AsyncEngine) -> AsyncConnection:
    try:
        return await engine.connect()
    except (SQLAlchemyError, OSError) as error:
        raise _translated(error) from error


async def _give_back(connecting: asyncio.Task[AsyncConnection]) -> None:
    with suppress(StoreError):
        await (await connecting).close()


def _has_instance(connection: Connection) -> bool:
    return inspect(connection).has_table("instance")


def _translated(error: Exception) -> StoreError:
    return StoreError(f"the PostgreSQL database failed: {getattr(error, 'orig', None) or error}")
