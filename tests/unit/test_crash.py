"""Crash points: a closed list, each at one line, free while nothing is armed."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from sender.crash import EXIT_CODE, Crashed, CrashPoint, CrashSwitch

SENDER = Path(__file__).parents[2] / "sender"
POINTS = ("dispatch.before_commit", "dispatch.after_commit", "relay.after_claim", "relay.after_send",
          "relay.before_commit", "relay.after_commit")  # fmt: skip


def test_there_are_six_points() -> None:
    """The six of design §6, by name."""
    assert tuple(CrashPoint) == POINTS


def test_each_point_is_hit_at_exactly_one_line() -> None:
    """Every point has one call in the product and no more, so that its meaning is a place."""
    calls: Counter[str] = Counter()
    for path in SENDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "hit":
                calls[ast.unparse(node.args[0])] += 1
    assert calls == Counter(f"CrashPoint.{point.name}" for point in CrashPoint)


@pytest.mark.parametrize("armed", [[], [CrashPoint.RELAY_AFTER_SEND]])
def test_what_is_not_armed_does_not_strike(armed: list[CrashPoint]) -> None:
    """A point passes by while it is not among the armed ones."""
    CrashSwitch().hit(CrashPoint.RELAY_AFTER_CLAIM, armed)


def test_in_process_a_crash_cannot_be_handled_as_an_error() -> None:
    """The death of a part passes through ``except Exception`` as a real one would, and says where it struck."""
    with pytest.raises(Crashed) as caught:
        _careless()
    assert caught.value.point is CrashPoint.RELAY_AFTER_SEND


def _careless() -> None:
    try:
        CrashSwitch().hit(CrashPoint.RELAY_AFTER_SEND, [CrashPoint.RELAY_AFTER_SEND])
    except Exception:  # noqa: BLE001 - what is shown is that this does not catch it
        pytest.fail("a crash was handled as an error")


def test_a_real_crash_leaves_nothing_but_its_exit_code() -> None:
    """In a child no ``finally`` runs and no buffer is flushed; the code is that of a kill."""
    code = (
        "import sys\nfrom sender.crash import CrashPoint, CrashSwitch, die_for_real\n"
        "try:\n    sys.stdout.write('buffered')\n"
        "    CrashSwitch(die_for_real).hit(CrashPoint.RELAY_AFTER_SEND, [CrashPoint.RELAY_AFTER_SEND])\n"
        "finally:\n    sys.stderr.write('finally')\n    sys.stderr.flush()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, cwd=SENDER.parent, env={})
    assert (done.returncode, done.stdout, done.stderr) == (EXIT_CODE, b"", b"")
    assert EXIT_CODE == 137
