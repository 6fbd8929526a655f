"""The command as a process, for acceptance tests: run to its end, or served and stopped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.request import Request, urlopen

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 100
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

    def control(self, method: str, path: str, document: object = None, **headers: str) -> Any:
        """Call the control API; raises ``HTTPError`` for a refusal."""
        return self.call(method, f"/_sim/v1{path}", document, **headers)

    def call(self, method: str, path: str, document: object = None, **headers: str) -> Any:
        """Call any path; raises ``HTTPError`` for a refusal."""
        body = None if document is None else json.dumps(document).encode()
        request = Request(self.url + path, body, {"Content-Type": "application/json", **headers}, method=method)
        with urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def cancelled_invoice(self, order_id: str = "order-1") -> str:
        """Make the smallest story with one event, by the merchant API without signatures; return the invoice's id."""
        wanted = {"external_order_id": order_id, "amount": "10.00", "currency": "USD"}
        wanted["project_id"] = self.ready["project"]
        made = self.call("POST", "/v1/invoices", wanted)["invoice_id"]
        self.call("POST", f"/v1/invoices/{made}/cancel", {"reason": "changed my mind"})
        return str(made)


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
    """Stop a command, if it still runs, so that it clears up; kill it when it does not listen."""
    if process.poll() is None:
        process.terminate()
    try:
        process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
