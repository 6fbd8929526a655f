"""Scenario runs that somebody asks a server for: each a process of its own, with a database that is gone afterwards.

A run is ``paymos-sim run --json``: what it prints, one object a line, is what is followed. A story that kills its
relay, or hangs, hurts nobody but itself. How many run at once and how many are remembered is bounded.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from sender.errors import Conflict, NotFound
from sender.runtime import Bell
from sender.schedules import find, names

if TYPE_CHECKING:
    from sender.clock import Clock
    from sender.durations import Instant

AT_ONCE = 2
"""How many runs go on at the same time; a story has three processes."""
REMEMBERED = 50
MOST_LINES = 20_000
LONGEST_LINE = 1024 * 1024
_CHILD_PATIENCE = 5.0

_STATES = {0: "passed", 1: "failed"}
_PREFIX = "PAYMOS_SIM_"


@dataclass(eq=False)
class Run:
    """One run: which story, where it stands, and every line it printed; times are real.

    ``state`` is running, passed, failed, could_not_run or stopped.
    """

    id: str
    story: str
    started_at: Instant
    bell: Bell
    state: str = "running"
    finished_at: Instant | None = None
    problem: str = ""
    lines: list[dict[str, Any]] = field(default_factory=list)
    cut: bool = False
    process: asyncio.subprocess.Process | None = None
    task: asyncio.Task[None] | None = None


class ScenarioRuns:
    """Starts, follows and stops runs."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._runs: OrderedDict[str, Run] = OrderedDict()
        self._count = 0

    def stories(self) -> list[str]:
        """Return the names of the stories that ship."""
        return names("scenarios")

    async def start(self, *, name: str | None = None, story: str | None = None) -> Run:
        """Start a story that ships, by its name, or one that is given as text.

        Raises ``NotFound`` for a name that is none, and ``Conflict`` while as many run as may.
        """
        if name is not None and name not in self.stories():
            raise NotFound(f"there is no story {name[:64]!r}", code="story_not_found")
        if sum(run.state == "running" for run in self._runs.values()) >= AT_ONCE:
            raise Conflict(f"{AT_ONCE} runs are under way; wait for one or stop it", code="too_many_runs")
        self._count += 1
        run = Run(f"run_{self._count}", name or "given", self._clock.real_now(), Bell(self._clock))
        self._runs[run.id] = run
        self._forget_some()
        run.task = asyncio.create_task(self._play(run, story))
        return run

    def all(self) -> list[Run]:
        """Return the runs that are remembered, newest first."""
        return list(reversed(self._runs.values()))

    def get(self, run_id: str) -> Run:
        """Return a run. Raises ``NotFound``."""
        if run_id not in self._runs:
            raise NotFound(f"there is no run {run_id[:64]!r}", code="run_not_found")
        return self._runs[run_id]

    async def follow(self, run_id: str, after: int, seconds: float) -> Run:
        """Return a run once it has printed more than ``after`` lines or ended, at the latest after real seconds."""
        run = self.get(run_id)
        deadline = self._clock.monotonic() + round(seconds * 1_000_000)
        while run.state == "running" and len(run.lines) <= after:
            left = (deadline - self._clock.monotonic()) / 1_000_000
            if left <= 0 or not await run.bell.wait(left):
                break
        return run

    async def stop(self, run_id: str) -> Run:
        """End a run that goes on; one that has ended stays as it is. Raises ``NotFound``."""
        run = self.get(run_id)
        if run.state == "running":
            run.state = "stopped"
            if run.process is not None:
                with suppress(ProcessLookupError):
                    run.process.terminate()
            if run.task is not None:
                await self._clock.wait(asyncio.shield(run.task), _CHILD_PATIENCE)
        return run

    async def close(self) -> None:
        """End every run."""
        for run in list(self._runs.values()):
            await self.stop(run.id)

    def _forget_some(self) -> None:
        ended = [run.id for run in self._runs.values() if run.state != "running"]
        for run_id in ended[: max(len(self._runs) - REMEMBERED, 0)]:
            del self._runs[run_id]

    async def _play(self, run: Run, story: str | None) -> None:
        code = -1
        with TemporaryDirectory(prefix="paymos-sim-run-", ignore_cleanup_errors=True) as folder:
            path = find("scenarios", run.story) if story is None else Path(folder) / "story.yaml"
            if story is not None:
                path.write_text(story, encoding="utf-8")
            try:
                code = await self._child(run, str(path), folder)
            except OSError as error:
                run.problem = f"the run could not be started: {error.strerror}"
        if run.state == "running":
            run.state = _STATES.get(code, "could_not_run")
        run.finished_at = self._clock.real_now()
        run.bell.ring()

    async def _child(self, run: Run, path: str, folder: str) -> int:
        run.process = process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "sender", "run", "--json", path,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            cwd=folder, env=_environment(), limit=LONGEST_LINE,
        )  # fmt: skip
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        assert process.stderr is not None  # noqa: S101
        complaints = asyncio.create_task(process.stderr.read())
        async for line in process.stdout:
            self._take(run, line)
        told = (await complaints)[-4096:].decode(errors="replace").strip()
        run.problem = told.replace(folder + os.sep, "")
        return await process.wait()

    def _take(self, run: Run, line: bytes) -> None:
        if len(run.lines) >= MOST_LINES:
            run.cut = True
            return
        with suppress(ValueError):
            run.lines.append(json.loads(line))
            run.bell.ring()


def _environment() -> dict[str, str]:
    """Return our environment without what would change a run: options of the server are variables too."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(_PREFIX)}
    # The child runs in a folder of its own, and has to find the program where this process found it.
    return {**ours, "PYTHONPATH": os.pathsep.join(part for part in sys.path if part)}
