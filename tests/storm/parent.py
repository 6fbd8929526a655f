"""The simulator as users run it, killed and started again at one port and on one database; and a relay elsewhere."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

import psutil

from sender.clock import Clock
from sender.durations import SECOND
from tests.commands import ROOT
from tests.simulators import SECRET
from tests.storm.chronicle import LONGEST_LINE, PATIENCE, Chronicle

if TYPE_CHECKING:
    from collections.abc import Sequence

RELAYS = 3
ATTEMPT_TIMEOUT = ("--attempt-timeout", "300ms")


@dataclass
class Life:
    """One process from start to death, with the relays that it is known to have: process id and owner of leases."""

    process: subprocess.Popen[bytes]
    relays: dict[int, str] = field(default_factory=dict)
    dead: set[str] = field(default_factory=set)
    alone: int = 0
    """How many relays died of our hand while their parent lived."""
    follower: asyncio.Task[None] | None = None
    told: int = 0
    """How many deaths of relays it told of."""
    descendants: list[psutil.Process] = field(default_factory=list)
    farewell: float = 0.0

    def hear(self, line: dict[str, Any]) -> None:
        """Learn from a line of the log."""
        if line["event"] == "relay.started":
            self.relays[line["process"]] = line["owner"]
        if line["event"] == "relay.died" and "exit_code" in line:
            self.told += 1

    def kill_relay(self, process: int) -> None:
        """Kill one of its relays; where the parent lives, it will tell of that unless it dies first."""
        self.dead.add(self.relays.pop(process))
        self.alone += self.process.returncode is None
        os.kill(process, signal.SIGKILL)


async def spawn(words: Sequence[str], chronicle: Chronicle) -> tuple[Life, str]:
    """Start a command of the product; return its life and the first line that it printed."""
    # Not asyncio's own: what that one waits for is the end of everybody who holds the pipes, children too.
    process = subprocess.Popen(  # noqa: ASYNC220 - starting is quick
        [sys.executable, "-m", "sender", *words, "--json"],
        cwd=ROOT,
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    life = Life(process)
    life.follower = asyncio.create_task(chronicle.follow(await _reader(process.stderr), life.hear))
    line = await asyncio.wait_for((await _reader(process.stdout)).readline(), PATIENCE)
    assert line, chronicle.complaints
    return life, line.decode()


class Parent:
    """``paymos-sim serve`` over as many lives as it takes. ``up`` is set while it can be called."""

    def __init__(self, database_url: str, webhook_url: str, chronicle: Chronicle) -> None:
        self._chronicle = chronicle
        self._port = _free_port()
        self._words = (
            *("serve", "--port", str(self._port), "--database-url", database_url, "--relays", str(RELAYS)),
            *("--clock", "scale:60", "--endpoint", webhook_url, "--secret", SECRET, *ATTEMPT_TIMEOUT),
        )
        self._lives: list[Life] = []
        self._endings: list[asyncio.Task[None]] = []
        self.up = asyncio.Event()
        self.ready: dict[str, Any] = {}

    @property
    def url(self) -> str:
        """Return where it is called."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def life(self) -> Life:
        """Return the present life."""
        return self._lives[-1]

    async def start(self) -> None:
        """Start it, and return when API, database and relays work."""
        life, line = await spawn(self._words, self._chronicle)
        self._lives.append(life)
        self.ready = json.loads(line)
        self.up.set()

    async def working(self) -> list[int]:
        """Return the process ids of relays that work, once there are any."""
        await self._chronicle.until(lambda: bool(self.life.relays))
        return sorted(self.life.relays)

    async def kill(self, *, with_relays: bool = False) -> None:
        """Kill it at once, and its relays with it or not; what is left of it has to end by itself."""
        life = self.life
        self.up.clear()
        life.descendants = psutil.Process(life.process.pid).children(recursive=True)
        life.process.kill()
        await asyncio.to_thread(life.process.wait)
        for relay in list(life.relays) if with_relays else ():
            with suppress(ProcessLookupError):
                life.kill_relay(relay)
        self._endings.append(asyncio.create_task(_bury(life)))

    async def buried(self) -> float:
        """Wait for the end of every child of a dead parent; return the longest time that one took."""
        await asyncio.gather(*self._endings)
        dead = [life for life in self._lives if life.process.returncode is not None]
        left = [one for life in dead for one in life.descendants if _lives(one)]
        assert left == [], "children of a dead parent live on"
        return max((life.farewell for life in dead), default=0.0)

    @property
    def dead_owners(self) -> set[str]:
        """Return in whose name no living relay of its holds leases, once the dead are buried."""
        ended = [life for life in self._lives if life.process.returncode is not None]
        gone = {owner for life in ended for owner in life.relays.values()}
        return gone.union(*(life.dead for life in self._lives))

    @property
    def untold(self) -> int:
        """Return how many relays were killed whose death no parent lived to tell."""
        return sum(max(life.alone - life.told, 0) for life in self._lives)

    async def stop(self) -> None:
        """Stop it in order."""
        life = self.life
        assert life.follower is not None
        life.process.terminate()
        assert await asyncio.to_thread(life.process.wait, PATIENCE) == 0, self._chronicle.complaints
        await asyncio.wait_for(life.follower, PATIENCE)

    def abort(self) -> None:
        """Kill what is left, where a storm has failed."""
        for life in self._lives:
            life.process.kill()
            life.process.wait()


class Elsewhere:
    """``paymos-sim relay`` on another host, as far as anybody can tell; its leases run out in real time."""

    def __init__(self, database_url: str, chronicle: Chronicle) -> None:
        self._words = ("relay", "--database-url", database_url, *ATTEMPT_TIMEOUT)
        self._chronicle = chronicle
        self._life: Life | None = None
        self.dead_owners: set[str] = set()

    async def start(self) -> None:
        """Start it, and return when it delivers."""
        self._life, _ = await spawn(self._words, self._chronicle)
        await self._chronicle.until(lambda: bool(self._life and self._life.relays))

    async def kill(self) -> None:
        """Kill it at once."""
        life = await self._ended(signal.SIGKILL)
        self.dead_owners.update(life.relays.values())

    async def stop(self) -> None:
        """Stop it in order."""
        life = await self._ended(signal.SIGTERM)
        assert life.process.returncode == 0, self._chronicle.complaints

    def abort(self) -> None:
        """Kill it, where a storm has failed."""
        if self._life is not None:
            self._life.process.kill()
            self._life.process.wait()

    async def _ended(self, number: int) -> Life:
        life = self._life
        assert life is not None
        assert life.follower is not None
        life.process.send_signal(number)
        await asyncio.to_thread(life.process.wait, PATIENCE)
        await asyncio.wait_for(life.follower, PATIENCE)
        return life


async def _bury(life: Life) -> None:
    """Wait until nobody holds the standard error any more that a parent has shared with all its children."""
    clock = Clock()
    assert life.follower is not None
    began = clock.monotonic()
    await asyncio.wait_for(life.follower, PATIENCE)
    life.farewell = (clock.monotonic() - began) / SECOND


async def _reader(pipe: IO[bytes] | None) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return reader


def _environment() -> dict[str, str]:
    # A process that has to compile what it imports takes three times as long to come back.
    left_out = ("PAYMOS_SIM_", "PYTHONDONTWRITEBYTECODE")
    return {name: value for name, value in os.environ.items() if not name.startswith(left_out)}


def _lives(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])
