"""The command as a process, for acceptance tests: run to its end, or served and stopped."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.request import Request, urlopen

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 60
"""Real seconds that a command gets; a machine that does other things imports slowly."""

ROOT = Path(__file__).parents[1]
STORIES = sorted(path.stem for path in (ROOT / "schedules" / "scenarios").glob("*.yaml"))


class Result(NamedTuple):
    """What a command left: its exit code, what it printed, and what it complained of."""

    code: int
    printed: str
    complaint: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Return what was printed with ``--json``."""
        return [json.loads(line) for line in self.printed.splitlines()]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the events of one kind."""
        return [line for line in self.lines if line["kind"] == kind]


def start(*words: str, folder: Path = ROOT, **variables: str) -> subprocess.Popen[str]:
    """Start a command in a group of its own, without the variables of whoever runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAYMOS_SIM_")}
    return subprocess.Popen(
        [sys.executable, "-m", "sender", *words],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT), "COLUMNS": "120", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def command(*words: str, folder: Path = ROOT, **variables: str) -> Result:
    """Run a command to its end."""
    process = start(*words, folder=folder, **variables)
    try:
        printed, complaint = process.communicate(timeout=PATIENCE)
    finally:
        end(process)
    return Result(process.returncode, printed, complaint)


class Served(NamedTuple):
    """A simulator that serves: its process and the object that ``--json`` printed."""

    process: subprocess.Popen[str]
    ready: dict[str, Any]

    @property
    def url(self) -> str:
        """Return where it listens."""
        return str(self.ready["url"])

    def control(self, method: str, path: str, document: object = None) -> Any:
        """Call the control API."""
        body = None if document is None else json.dumps(document).encode()
        headers = {"Content-Type": "application/json"}
        request = Request(f"{self.url}/_sim/v1{path}", body, headers, method=method)
        with urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to stop; return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextmanager
def served(*words: str, **variables: str) -> Iterator[Served]:
    """Serve on a free port until the end of the block."""
    process = start("serve", "--port", "0", "--json", *words, folder=ROOT, **variables)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate(timeout=PATIENCE)[1]
        yield Served(process, json.loads(line))
    finally:
        end(process)


def end(process: subprocess.Popen[str]) -> None:
    """Kill a command, if it still runs, and wait for it."""
    if process.poll() is None:
        process.kill()
    process.communicate()


def descendants(pid: int) -> set[int]:
    """Return the ids of all processes below one."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    children: dict[int, list[int]] = {}
    for child, parent in re.findall(r"(\d+) +(\d+)", listed):
        children.setdefault(int(parent), []).append(int(child))
    found, waiting = set(), [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found.update(below)
        waiting += below
    return found


def is_alive(pid: int) -> bool:
    """Tell whether a process is there and no zombie."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return state.strip() not in {"", "Z"} and not state.startswith("Z")
