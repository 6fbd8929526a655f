"""Somebody else's database, for a probe: one question at a time, and nothing is ever changed.

It stands in this room because SQL does. Whatever SQLAlchemy has a driver for can be asked; calls run on a thread, since
not every driver can wait without blocking.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from sender.errors import NotAvailable, UsageError
from sender.paths import is_file

if TYPE_CHECKING:
    from sqlalchemy import URL, Engine

_MOST_ROWS = 2
_PLAIN_POSTGRES = frozenset({"postgres", "postgresql"})


class ForeignDatabase:
    """A database by its URL. Raises ``UsageError`` for a URL that none can have; no message shows a password."""

    def __init__(self, url: str) -> None:
        self._engine = _engine(_address(url))

    async def rows(self, statement: str, **parameters: str) -> list[tuple[object, ...]]:
        """Return the first two rows; what the statement may have changed is rolled back. Raises ``NotAvailable``."""
        return await asyncio.to_thread(self._rows, statement, parameters)

    def _rows(self, statement: str, parameters: dict[str, str]) -> list[tuple[object, ...]]:
        try:
            with self._engine.connect() as connection:
                found = connection.execute(text(statement), parameters).fetchmany(_MOST_ROWS)
                connection.rollback()
        except SQLAlchemyError as error:
            raise NotAvailable(_first_line(error)) from None
        return [tuple(row) for row in found]

    async def close(self) -> None:
        """Close the connections."""
        await asyncio.to_thread(self._engine.dispose)


def _address(url: str) -> URL:
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        message = "the database URL cannot be read; write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME"
        raise UsageError(message) from None
    if address.drivername in _PLAIN_POSTGRES:
        return address.set(drivername="postgresql+psycopg")
    file = address.database
    if address.drivername.startswith("sqlite") and (file is None or not is_file(file)):
        # SQLite would make an empty one, in which nothing is ever seen.
        raise UsageError(
            f"there is no database file {file or ''!r}; sqlite:///shop.db is a relative path, four slashes are absolute"
        )
    return address


def _engine(address: URL) -> Engine:
    try:
        # Kept connections would hold a snapshot, or the file, of a receiver that is about to be killed.
        return create_engine(address, poolclass=NullPool)
    except (ImportError, NoSuchModuleError) as error:
        what = getattr(error, "name", None) or address.drivername
        message = f"the database {address.drivername} needs the Python package {what}; install it, or use another probe"
        raise UsageError(message) from None


def _first_line(error: SQLAlchemyError) -> str:
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
