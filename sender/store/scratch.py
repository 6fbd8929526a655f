"""A place of its own in a database that others use too: every story plays alone, and leaves nothing behind.

On PostgreSQL that is a schema, which every connection to the URL that is given finds first and uses alone; on SQLite a
file that must not be there yet, and stays.
"""

from __future__ import annotations

import uuid
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from sender.errors import NotAvailable, StoreError
from sender.paths import exists

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@asynccontextmanager
async def scratch(url: str) -> AsyncIterator[str]:
    """Give the URL of an empty place in the database at ``url``.

    Raises ``NotAvailable`` for a SQLite file that is there already, and ``StoreError`` for a PostgreSQL that does not
    answer.
    """
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        _require_new(url)
    if parts.scheme not in {"postgresql", "postgres", "postgresql+psycopg"}:
        yield url
        return
    name = f"paymos_sim_{uuid.uuid4().hex[:12]}"
    await _administer(url, f"CREATE SCHEMA {name}")
    try:
        joint = "&" if parts.query else "?"
        yield f"{url}{joint}options=-csearch_path%3D{name}"
    finally:
        await _administer(url, f"DROP SCHEMA {name} CASCADE")


def _require_new(url: str) -> None:
    if exists(unquote(url.removeprefix("sqlite:///"))):
        message = f"{url} is there already, and a story needs a database of its own; name a new file, or none"
        raise NotAvailable(message)


async def _administer(url: str, statement: str) -> None:
    import psycopg  # noqa: PLC0415 - only where there is a PostgreSQL

    plain = url.replace("postgresql+psycopg://", "postgresql://", 1)
    try:
        async with await psycopg.AsyncConnection.connect(plain, autocommit=True, connect_timeout=10) as connection:
            await connection.execute(statement.encode())
    except psycopg.Error as error:
        message = f"the PostgreSQL database failed: {error}"
        raise StoreError(message) from error
