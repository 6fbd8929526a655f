"""What a database is to the rest: transactions, sessions, and rows handed to a statement as one parameter.

``open_database`` chooses between the two kinds by the URL; ``store/sqlite.py`` and ``store/postgres.py`` hold every
difference between them, and nothing outside this room knows which one runs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from sqlalchemy import Text, bindparam, cast, literal_column, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from sender.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from sqlalchemy import Executable, Subquery, Table
    from sqlalchemy.sql.compiler import SQLCompiler
    from sqlalchemy.types import TypeEngine

    from sender.clock import Clock

    Params: TypeAlias = Mapping[str, Any] | Sequence[Mapping[str, Any]]


class Session(Protocol):
    """One open transaction."""

    async def rows(self, statement: Executable, params: Params | None = None) -> Sequence[Any]:
        """Run a statement and return its rows."""

    async def run(self, statement: Executable, params: Params | None = None) -> int:
        """Run a statement, once or for each of several parameter sets; return how many rows it touched."""

    async def add(self, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows, at least one, that all have the same columns and values as the driver takes them."""

    async def create_tables(self) -> None:
        """Create every table of the schema."""

    async def has_tables(self) -> bool:
        """Tell whether the schema is there, in whatever version."""

    async def announce(self) -> None:
        """Tell relays on other hosts, once this commits, that something may be due."""


class Database(Protocol):
    """A database that is open. Every failure of its own comes out as ``StoreError``."""

    url: str

    def write(self) -> AbstractAsyncContextManager[Session]:
        """Open a transaction that writes; it commits when the block ends and rolls back when the block raises."""

    def read(self) -> AbstractAsyncContextManager[Session]:
        """Open a transaction that reads one consistent state and never waits for a writer."""

    async def listen(self, heard: Callable[[], None]) -> None:
        """Call ``heard`` whenever another process announces something; returns at once where nobody can."""

    async def close(self) -> None:
        """Give every connection back."""


def open_database(url: str, clock: Clock, *, durable: bool = False, pool_size: int = 5) -> Database:
    """Return the database at ``url``: ``memory``, ``sqlite:///FILE``, ``postgresql://…``.

    ``durable`` makes SQLite wait for the disk at every commit, so that a power cut loses nothing either; PostgreSQL
    does so anyway. ``pool_size`` is how many connections to PostgreSQL there are at most. Raises ``UsageError`` for
    another kind of URL.
    """
    scheme = url.partition(":")[0]
    if url == "memory" or scheme == "sqlite":
        from sender.store.sqlite import SqliteDatabase  # noqa: PLC0415 - only what is used is imported

        return SqliteDatabase(url, clock, durable=durable)
    if scheme in {"postgresql", "postgres", "postgresql+psycopg"}:
        from sender.store.postgres import PostgresDatabase  # noqa: PLC0415

        return PostgresDatabase(url, pool_size=pool_size)
    message = (
        f"{url!r} is not a database URL; write sqlite:///FILE, memory, postgresql://HOST/NAME or embedded-postgres"
    )
    raise UsageError(message)


class _JsonRows(FunctionElement[Any]):
    """A parameter holding a JSON array, as a table with one column ``value``: a batch in one statement."""

    name = "json_rows"
    inherit_cache = True


@compiles(_JsonRows, "sqlite")
def _json_rows_sqlite(element: _JsonRows, compiler: SQLCompiler, **kw: Any) -> str:
    return f"json_each({compiler.process(element.clauses, **kw)})"


@compiles(_JsonRows, "postgresql")
def _json_rows_postgresql(element: _JsonRows, compiler: SQLCompiler, **kw: Any) -> str:
    return f"jsonb_array_elements(CAST({compiler.process(element.clauses, **kw)} AS jsonb))"


def batch(**columns: TypeEngine[Any]) -> Subquery:
    """Return the parameter ``batch`` as a table: one JSON array a row, its places named and typed by ``columns``."""
    source = _JsonRows(bindparam("batch", type_=Text)).table_valued("value")
    places = [
        cast(source.c.value.op("->>")(literal_column(str(place))), kind).label(name)
        for place, (name, kind) in enumerate(columns.items())
    ]
    return select(*places).subquery("batch")


def batch_of(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as the text that the parameter ``batch`` takes."""
    return json.dumps(list(rows))
