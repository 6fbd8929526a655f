"""``paymos-sim serve``: ready when it says so, in order when it stops, and nothing left when it is killed."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from receiver_fixture.clock import SystemClock
from receiver_fixture.settings import Settings
from sender.clock import Clock
from sender.durations import SECOND
from tests.commands import command, descendants, end, is_alive, served, start

if TYPE_CHECKING:
    from pathlib import Path

STOP_SECONDS = 2
SECRET = "whsec_test_of_the_shop"


def until(holds: Any, seconds: float) -> float:
    """Return after how many real seconds a condition came true; it has to within ``seconds``."""
    clock = Clock()
    began = clock.monotonic()
    while not holds():
        assert clock.monotonic() - began < seconds * SECOND, "it never came true"
    return (clock.monotonic() - began) / SECOND


def test_ready_means_that_it_works() -> None:
    """The ready line comes when API, database and relay work; it is the last line on standard output."""
    process = start("serve", "--port", "0", "--log-level", "warning")
    try:
        assert process.stdout is not None
        lines = list(iter(process.stdout.readline, ""))[:0] or read_until_ready(process.stdout)
        assert lines[0].startswith("paymos-sim ")
        assert {"merchant API", "control API", "database", "webhook secret"} <= {line[2:18].strip() for line in lines}
    finally:
        end(process)


def read_until_ready(stream: Any) -> list[str]:
    """Return the lines up to the ready line."""
    lines: list[str] = []
    while not lines or not lines[-1].startswith("ready url=http://127.0.0.1:"):
        line = stream.readline()
        assert line, lines
        lines.append(line)
    return lines
