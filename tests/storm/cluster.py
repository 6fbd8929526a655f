"""A PostgreSQL that can be stopped at once and started again, on the same data and at the same address.

Unlike the product's own throw-away server it waits for its log at each commit, so that what was committed survives an
immediate stop. It goes away with this process, as that one does.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from sender.store.unprivileged import reachable_binaries, temporary_folder, unprivileged
from tests.postgres import find_binaries
from tests.storm.chronicle import PATIENCE

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator
    from pathlib import Path

_SHELL = """
exec 3<&0
"$@" 3<&- &
server=$!
{ read -r line <&3; kill -INT "$server"; } >/dev/null 2>&1 &
watch=$!
wait "$server"
kill "$watch" 2>/dev/null
"""


class Cluster:
    """One server; its folder is the owner's."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._data = base / "data"
        self._owner = unprivileged()
        self._binaries = reachable_binaries(find_binaries(), base, self._owner)
        self._server: Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self.url = f"postgresql://postgres@/postgres?host={quote(str(base), safe='')}&port=5432"

    async def make(self) -> None:
        """Make an empty cluster."""
        command = (str(self._binaries / "initdb"), "-D", str(self._data), "-U", "postgres", "-A", "trust", "-N")
        made = await self._run(*command, "-E", "UTF8", "--no-locale")
        output, _ = await made.communicate()
        assert made.returncode == 0, output.decode()

    async def start(self) -> None:
        """Start, and return when connections are accepted."""
        options = ("-k", str(self._base), "-c", "listen_addresses=", "-c", "fsync=off")
        server = (str(self._binaries / "postgres"), "-D", str(self._data), *options)
        self._server = await self._run("/bin/sh", "-c", _SHELL, "storm", *server)
        ready = asyncio.Event()
        self._reader = asyncio.create_task(self._read(ready))
        await asyncio.wait_for(ready.wait(), PATIENCE)

    async def crash(self) -> None:
        """Stop at once: every connection is cut, nothing is written, and the next start has to recover."""
        await self._end(signal.SIGQUIT)

    async def stop(self) -> None:
        """Stop in order."""
        await self._end(signal.SIGINT)

    async def _end(self, number: int) -> None:
        assert self._server is not None
        assert self._reader is not None
        os.kill(int((self._data / "postmaster.pid").read_text().splitlines()[0]), number)
        await asyncio.wait_for(self._server.wait(), PATIENCE)
        await self._reader

    async def _read(self, ready: asyncio.Event) -> None:
        assert self._server is not None
        assert self._server.stdout is not None
        while line := await self._server.stdout.readline():
            if b"ready to accept connections" in line:
                ready.set()

    async def _run(self, *command: str) -> Process:
        owner: dict[str, Any] = {}
        if self._owner is not None:
            owner = {"user": self._owner.uid, "group": self._owner.gid, "extra_groups": []}
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=self._base,
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            start_new_session=True,
            **owner,
        )


@asynccontextmanager
async def clustered() -> AsyncIterator[Cluster]:
    """Run a new cluster."""
    base = temporary_folder(unprivileged())
    try:
        cluster = Cluster(base)
        await cluster.make()
        await cluster.start()
        try:
            yield cluster
        finally:
            await cluster.stop()
    finally:
        shutil.rmtree(base, ignore_errors=True)
