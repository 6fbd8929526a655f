"""The reference receiver as a process that is killed and comes back, and how it misbehaves."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sender.errors import NotAvailable
from sender.scenario.receiver_client import ReceiverClient
from tests.commands import ROOT
from tests.simulators import SECRET
from tests.storm.chronicle import PATIENCE

if TYPE_CHECKING:
    import random
    from asyncio.subprocess import Process
    from collections import Counter
    from pathlib import Path

MISCHIEF: dict[str, dict[str, Any]] = {
    "500": {"status": 500, "times": 3},
    "503, applied": {"status": 503, "times": 2, "process": True},
    "timeout": {"fault": "timeout", "times": 1},
    "timeout, applied": {"fault": "timeout", "times": 1, "process": True},
    "reset, applied": {"fault": "reset_peer", "times": 2, "process": True},
    "garbage": {"fault": "garbage", "times": 1},
    "slow": {"status": 200, "delay": "100ms", "times": 2},
    "closed": {"fault": "close", "times": 2},
}


class Shop:
    """A receiver at one address, with one ledger, over as many lives as it takes."""

    def __init__(self, folder: Path, mischief: Counter[str]) -> None:
        self._ledger = str(folder / "ledger")
        self._mischief = mischief
        self._process: Process | None = None
        self.port = 0

    @property
    def client(self) -> ReceiverClient:
        """Return who asks it."""
        return ReceiverClient(f"http://127.0.0.1:{self.port}/webhook")

    async def start(self) -> None:
        """Start it and wait until it listens."""
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "receiver_fixture", "--port", str(self.port), "--database", self._ledger),
            cwd=ROOT,
            env={"RECEIVER_SECRET": SECRET},
            stdout=asyncio.subprocess.PIPE,
        )
        assert self._process.stdout is not None
        line = await asyncio.wait_for(self._process.stdout.readline(), PATIENCE)
        self.port = int(line.decode().rpartition(":")[2].partition("/")[0])

    async def kill(self) -> None:
        """Kill it, at once; it may be dead already."""
        assert self._process is not None
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.communicate()

    async def misbehave(self, chance: random.Random) -> None:
        """Let the next answers be wrong ones."""
        for name in chance.sample(sorted(MISCHIEF), 2):
            with suppress(NotAvailable):
                await self.client.script(MISCHIEF[name])
                self._mischief[name] += 1
