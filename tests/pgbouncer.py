"""PgBouncer in transaction mode before a test's database: what many companies have between themselves and PostgreSQL.

It lends one of ``SERVERS`` connections for a transaction, so what a client leaves on one is found by another.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from psycopg.conninfo import conninfo_to_dict

from sender.store.unprivileged import temporary_folder, unprivileged

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sender.store.unprivileged import Owner

HOW = "no PgBouncer: install it (apt-get install pgbouncer, or brew install pgbouncer)"
PORT = 6432
"""Part of the socket's name; nothing listens on TCP."""

SERVERS = 2

_SETTINGS = """
[databases]
* = host={host} port={port} user={user}
[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
listen_port = {own_port}
auth_type = any
pool_mode = transaction
default_pool_size = {servers}
max_client_conn = 200
log_connections = 0
log_disconnections = 0
log_stats = 0
"""


@pytest.fixture
def pooled_url(postgres_url: str) -> Iterator[str]:
    """Give the URL of an empty database behind a PgBouncer; where there is none, say how to get one."""
    # Debian keeps it where only root's PATH leads.
    program = shutil.which("pgbouncer", path=os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin"]))
    if program is None:
        pytest.skip(HOW)
    owner = unprivileged()
    folder = temporary_folder(owner)
    try:
        with _running(program, _settings(folder, postgres_url), owner):
            name = conninfo_to_dict(postgres_url)["dbname"]
            yield f"postgresql://postgres@/{name}?host={quote(str(folder), safe='')}&port={PORT}"
    finally:
        shutil.rmtree(folder)


def _settings(folder: Path, url: str) -> Path:
    behind = conninfo_to_dict(url)
    file = folder / "pgbouncer.ini"
    told = {"host": behind["host"], "port": behind["port"], "user": behind["user"]}
    file.write_text(_SETTINGS.format(folder=folder, own_port=PORT, servers=SERVERS, **told))
    return file


@contextmanager
def _running(program: str, settings: Path, owner: Owner | None) -> Iterator[None]:
    process = subprocess.Popen(
        [program, str(settings)],
        stderr=subprocess.PIPE,
        text=True,
        user=owner.uid if owner else None,
        group=owner.gid if owner else None,
        extra_groups=[] if owner else None,
    )
    try:
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            if "process up" in line:
                break
        else:
            pytest.fail(f"PgBouncer did not start; it said:\n{''.join(said)}", pytrace=False)
        yield
    finally:
        # At once: it would wait for clients that are gone.
        process.kill()
        process.communicate()
