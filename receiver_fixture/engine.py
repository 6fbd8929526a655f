"""Open the database: the only module that asks which one it is.

Both engines are synchronous. On SQLite a statement takes microseconds and runs in the event loop, where it is faster
than any hand-over to a thread; PostgreSQL waits for a network and runs on a thread of its own (``lane``).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from receiver_fixture.errors import CannotStart
from receiver_fixture.lane import InlineLane, Lane, ThreadLane
from receiver_fixture.schema import metadata

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from sqlalchemy import Insert

# Below the provider's 10 s, so that a database that hangs becomes a 500 and not a silent timeout.
_PATIENCE_MS = 5_000


def open_database(database: str) -> tuple[Engine, Lane]:
    """Open a file, ``:memory:`` or ``postgresql://…``, create what is missing, and say where its calls must run.

    Raises ``CannotStart``; the message shows no password.
    """
    url = _url(database)
    shown = url.render_as_string(hide_password=True)
    try:
        engine = _postgres(url) if url.drivername.startswith("postgresql") else _sqlite(url)
        _create_tables(engine)
    except ModuleNotFoundError as error:
        raise CannotStart(f"database {shown} needs the package {error.name}; install it, or give a file") from error
    except SQLAlchemyError as error:
        remedy = "give a writable file, or postgresql://…"
        raise CannotStart(f"database {shown} cannot be used: {first_line(error)}; {remedy}") from error
    return engine, ThreadLane() if engine.dialect.name == "postgresql" else InlineLane()


def _create_tables(engine: Engine) -> None:
    try:
        with engine.execution_options(writes=True).begin() as connection:
            metadata.create_all(connection)
    except SQLAlchemyError:
        engine.dispose()
        raise


def insert_once(connection: Connection, table: Table, row: Mapping[str, object]) -> bool:
    """Insert ``on conflict do nothing``; tell whether the row is new (no row returned: it was there before)."""
    return connection.execute(_insert_once(connection.dialect.name, table), dict(row)).first() is not None


@cache
def _insert_once(dialect: str, table: Table) -> Insert:
    # Kept, because putting a statement together costs several times what running it does.
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 (a tenth of the start-up, and seldom needed)

        return postgresql.insert(table).on_conflict_do_nothing().returning(*table.primary_key)
    from sqlalchemy.dialects import sqlite  # noqa: PLC0415 (the same)

    return sqlite.insert(table).on_conflict_do_nothing().returning(*table.primary_key)


def _url(database: str) -> URL:
    if "://" not in database:
        return URL.create("sqlite", database=None if database == ":memory:" else database)
    scheme, rest = database.split("://", 1)
    drivers = {
        "sqlite": "sqlite",
        "postgres": "postgresql+psycopg",
        "postgresql": "postgresql+psycopg",
        "postgresql+psycopg": "postgresql+psycopg",
    }
    if scheme not in drivers:
        raise CannotStart(f"database scheme {scheme!r} is not known; give a file, :memory: or postgresql://…")
    try:
        return make_url(f"{drivers[scheme]}://{rest}")
    except (ArgumentError, ValueError) as error:
        shape = f"{scheme}://user:password@host:port/name"
        raise CannotStart(f"the {scheme} URL cannot be read; it looks like {shape}") from error


def _postgres(url: URL) -> Engine:
    options = {} if "options" in url.query else {"options": f"-c statement_timeout={_PATIENCE_MS}"}
    return create_engine(url, pool_size=1, max_overflow=0, connect_args={"connect_timeout": 5, **options})


def _sqlite(url: URL) -> Engine:
    # No isolation level: the driver's own implicit BEGIN takes the write lock too late, in the middle.
    arguments = {"isolation_level": None, "check_same_thread": False, "timeout": _PATIENCE_MS / 1_000}
    if url.database in {None, "", ":memory:"}:
        engine = create_engine(url, connect_args=arguments, poolclass=StaticPool)
    else:
        engine = create_engine(url, connect_args=arguments)
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin)
    return engine


def _set_pragmas(connection: sqlite3.Connection, _record: object) -> None:
    # NORMAL survives the death of any process; only a power cut may take the last commits.
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def first_line(error: SQLAlchemyError) -> str:
    """Say in one line what the database said, without the statement and its parameters."""
    cause = getattr(error, "orig", None) or error
    lines = str(cause).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(cause).__name__
