"""``paymos-sim check`` as a process, against the reference receiver as a process that is killed and started again."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import xml.etree.ElementTree as ET
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.commands import ROOT, command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECRET = "whsec_test_of_a_process"

RESTART = """
import os, signal, subprocess, sys
pid_file, words = sys.argv[1], sys.argv[2:]
if os.path.exists(pid_file):
    os.kill(int(open(pid_file).read()), signal.SIGKILL)
child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
open(pid_file, "w").write(str(child.pid))
child.stdout.readline()
"""


def free_port() -> int:
    """Return a port that nobody has at the moment."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


class Running:
    """A receiver as a process: its URL, and the command that kills and restarts it."""

    def __init__(self, folder: Path, *flaw: str) -> None:
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        self.pid_file = folder / "pid"
        script = folder / "restart.py"
        script.write_text(RESTART)
        receiver = [sys.executable, "-m", "receiver_fixture", "--port", str(port), "--secret", SECRET]
        words = [*receiver, "--database", str(folder / "shop.db"), *flaw]
        self.restart = [sys.executable, str(script), str(self.pid_file), *words]

    def kill(self) -> None:
        """End it."""
        os.kill(int(self.pid_file.read_text()), signal.SIGKILL)


@contextmanager
def receiver(folder: Path, *flaw: str) -> Iterator[Running]:
    """Run a receiver."""
    running = Running(folder, *flaw)
    subprocess.run(running.restart, check=True, cwd=ROOT)
    try:
        yield running
    finally:
        running.kill()


def check(running: Running, *words: str) -> tuple[int, str, str]:
    """Check a receiver with its probe."""
    target = ("--target", f"{running.base}/webhook", "--secret", SECRET, "--probe", f"orders:{running.base}")
    return command("check", *target, *words)


def test_killed_for_real(tmp_path: Path) -> None:
    """A receiver that answers before it stores loses what it acknowledged when it is killed; one check sees it."""
    with receiver(tmp_path, "--flaw", "ack-before-store", "--flaw-delay", "1s") as running:
        restart = " ".join(f"'{word}'" for word in running.restart)
        chosen = ("--only", "killed-after-2xx,restart-forgets", "--restart-cmd", restart)
        code, printed, complaint = check(running, *chosen, "--report", f"json={tmp_path / 'r.json'}")
    assert (code, complaint) == (1, "")
    assert "FAIL  killed-after-2xx" in printed
    assert "ok    restart-forgets" in printed
    assert "3 of 3 orders were never fulfilled" in " ".join(printed.split())
    assert json.loads((tmp_path / "r.json").read_text())["exit_code"] == 1


def test_reports_and_api(tmp_path: Path) -> None:
    """Files are written in three formats, none holds the secret, and what needs more than was given is skipped."""
    files = {name: tmp_path / f"report.{name}" for name in ("junit", "json", "html")}
    with receiver(tmp_path) as running:
        words = ("--only", "identity,restart-forgets,re-read", "--api-base", f"http://127.0.0.1:{free_port()}")
        code, printed, _ = check(
            running, *words, "--report", ",".join(f"{name}={path}" for name, path in files.items())
        )
    assert code == 0
    assert "6 passed, 1 noted, 1 not checked" in printed
    assert "It was not read." in printed
    suite = ET.parse(files["junit"]).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("8", "0", "1")
    assert not any(SECRET in path.read_text() for path in files.values())


def test_lines_of_json(tmp_path: Path) -> None:
    """Programs follow a run line by line."""
    with receiver(tmp_path) as running:
        code, printed, _ = check(running, "--only", "unsigned,old-secret", "--json")
    lines = [json.loads(line) for line in printed.splitlines()]
    assert [line["kind"] for line in lines] == ["planned", "started", "finished", "started", "finished", "ended"]
    assert [line["verdict"] for line in lines if line["kind"] == "finished"] == ["passed", "not_checked"]
    assert (code, lines[-1]["exit_code"]) == (0, 0)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "--target is missing; give the webhook URL of your receiver"),
        (("--target", "http://127.0.0.1:1/x"), "--secret is missing; give the webhook secret"),
        (("--target", "http://127.0.0.1:1/x", "--secret", "s"), "--target: "),
        (("--target", "localhost", "--secret", "s"), "--target: 'localhost' is not an address"),
        (("--target", "http://x/", "--secret", "s", "--probe", "x:y"), "--probe: 'x' is no kind of probe"),
        (("--target", "http://x/", "--secret", "s", "--restart-cmd", "a 'b"), "--restart-cmd: the command cannot be"),
        (("--explain", "nothing"), "there is no check 'nothing'"),
        (("--only", "nothing"), "there is no check or group 'nothing'"),
    ],
)
def test_what_cannot_be_run(words: tuple[str, ...], complaint: str) -> None:
    """A run that cannot be made ends with 2 and one sentence."""
    code, printed, said = command("check", *words)
    assert (code, printed) == (2, "")
    assert complaint in said
    assert len(said.splitlines()) == 1
