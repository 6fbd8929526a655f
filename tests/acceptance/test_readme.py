"""The README tells the truth: every command in it is run, and what it prints is what stands there.

A block fenced as ``console`` is one shell session. Lines that start with ``$ `` are typed, the lines below are what
comes back; ``…`` stands for anything, alone on a line for any number of lines. What differs from run to run (ids,
secrets, ports, real times) is not compared. ``README_UPDATE=1`` writes what the commands print into the README instead.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.acceptance.test_stories import CRASHES

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
NOT_RUN = "<!-- not run -->"
MAY_STAY_UNRUN = re.compile(r"git clone |cd |make test$|(python3? -m )?pip install |python3 -m venv ")

VARYING = {
    r"\x1b\[[0-9;]*m": "",
    r"\b(whsec|sk|pk)_(test|live)_\w+": r"\1_\2_<secret>",
    r"\b([a-z]+)_[0-9A-Za-z]{22}\b": r"\1_<id>",
    r"(127\.0\.0\.1|localhost):\d+": r"\1:<port>",
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?": "<time>",
    r"\b\d+(\.\d+)? ms\b": "<real> ms",
    r"\b\d+\.\d+ s\b": "<real> s",
    r"[ \t]+$": "",
}


@dataclass(frozen=True)
class Block:
    """One shell session of the README."""

    text: str
    line: int
    run: bool

    @property
    def exchanges(self) -> list[tuple[str, str]]:
        """Return each command with the output below it."""
        parts = re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]
        return [(command, output.strip("\n")) for command, _, output in (part.partition("\n") for part in parts)]


def _blocks() -> list[Block]:
    source = README.read_text()
    found = re.finditer(rf"({NOT_RUN}\s*\n)?^```console\n(.*?)^```$", source, re.MULTILINE | re.DOTALL)
    return [Block(part[2], source.count("\n", 0, part.start(2)), run=part[1] is None) for part in found]


def _name(block: Block) -> str:
    return f"line {block.line}"


@pytest.mark.parametrize("block", [block for block in _blocks() if block.run], ids=_name)
def test_commands_print_what_stands_there(block: Block, tmp_path: Path) -> None:
    """Every command of a block ends well and prints the lines that stand below it."""
    checkout = tmp_path / "paymos-sim"
    shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(".*", "__pycache__", "build", "dist"))
    results = _session([command for command, _ in block.exchanges], checkout)
    if os.environ.get("README_UPDATE"):
        _rewrite(block, [output for output, _ in results])
        return
    for (command, expected), (output, status) in zip(block.exchanges, results, strict=True):
        assert _matches(expected, output), _difference(command, expected, output)
        assert status == 0, f"{command} ended with {status}"


@pytest.mark.parametrize("block", [block for block in _blocks() if not block.run], ids=_name)
def test_only_installation_is_not_run(block: Block) -> None:
    """What is not run is installation or the tests themselves."""
    assert [command for command, _ in block.exchanges if not MAY_STAY_UNRUN.match(command)] == []


def _session(commands: list[str], folder: Path) -> list[tuple[str, int]]:
    """Run the commands in one shell; return what each printed and its exit status."""
    mark = "--- end of command"
    script = "\n".join(f"{_without_make(command)}\nprintf '\\n{mark} %s\\n' $?" for command in commands)
    bin_folder = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "120"}
    transcript = folder.with_name("transcript")
    with transcript.open("w") as out:
        shell = subprocess.Popen(
            ["bash", "-c", script], cwd=folder, env=environment, stdout=out, stderr=out, start_new_session=True
        )
        try:
            shell.wait(100)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)  # a server that a block leaves running, too
            shell.wait()
    parts = re.split(rf"\n{mark} (\d+)\n", transcript.read_text())
    return [(output, int(status)) for output, status in zip(parts[::2], parts[1::2], strict=False)]


def _without_make(command: str) -> str:
    """Replace ``make demo`` by what the Makefile does for it once everything is installed."""
    if not command.startswith("make "):
        return command
    plan = ["make", "--dry-run", "--no-print-directory", *command.split()[1:]]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    printed = subprocess.run(plan, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
    steps = re.findall(r"^\.venv/bin/(paymos-sim .*)$", printed, re.MULTILINE)
    assert steps, f"the Makefile runs no paymos-sim for {command}"
    return " && ".join(steps)


def _normal(text: str) -> str:
    for pattern, replacement in VARYING.items():
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text.strip("\n")


def _matches(expected: str, output: str) -> bool:
    lines = [re.escape(line).replace("…", ".*") + "\n" for line in _normal(expected).split("\n")]
    pattern = "".join("(?:.*\n)*?" if line == ".*\n" else line for line in lines)
    return re.fullmatch(pattern, _normal(output) + "\n") is not None


def _difference(command: str, expected: str, output: str) -> str:
    lines = difflib.unified_diff(
        _normal(expected).split("\n"), _normal(output).split("\n"), "README.md", command, lineterm="", n=1
    )
    return "\n".join([f"README.md does not show what `{command}` prints:", *lines])


def _rewrite(block: Block, outputs: list[str]) -> None:
    commands = [command for command, _ in block.exchanges]
    session = "".join(f"$ {command}\n{output.strip()}\n" for command, output in zip(commands, outputs, strict=True))
    README.write_text(README.read_text().replace(f"```console\n{block.text}```", f"```console\n{session}```"))


def test_the_crash_table_is_the_one_that_the_stories_hold() -> None:
    """Received, recorded and final state of each crash point stand in the README as the stories prove them."""
    row = re.compile(r"^\| `(\w+)\.(\w+)` \| (\d+) \| (\d+) \| (\w+) \|", re.MULTILINE)
    shown = {}
    for process, point, received, recorded, state in row.findall(README.read_text()):
        name = f"{process}-{point}" if process == "dispatch" else point
        shown[f"crash-{name.replace('_', '-')}"] = (state, int(recorded), int(received))
    assert shown == {story: outcome[:3] for story, outcome in CRASHES.items()}
