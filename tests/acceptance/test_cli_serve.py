"""``paymos-sim serve``: ready when it says so, in order when it stops, and nothing left when it is killed."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
from typing import TYPE_CHECKING
from urllib.error import HTTPError

import pytest

from sender.clock import Clock
from sender.domain.access import make_project
from sender.durations import SECOND
from sender.scenario.receiver_client import ReceiverClient
from sender.scenario.receiver_process import ReceiverProcess
from tests.commands import PATIENCE, Served, end, served, start

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

STOP_SECONDS = 2
HALF_A_SECOND = 0.5
"""What the stop of an idle server takes of these two."""
SECRET = "whsec_test_of_the_shop"


@pytest.fixture
def shop() -> Iterator[ReceiverClient]:
    """Give a reference receiver that believes ``SECRET``."""
    with ReceiverProcess() as process:
        receiver = ReceiverClient(asyncio.run(process.ready()))
        asyncio.run(receiver.trust([SECRET]))
        yield receiver


def stopped(process: subprocess.Popen[str], number: int, *, group: bool = False) -> float:
    """Send a signal; return after how many real seconds the process was gone, and everybody who held its output too."""
    clock = Clock()
    began = clock.monotonic()
    (os.killpg if group else os.kill)(process.pid, number)
    process.wait(PATIENCE)
    gone = clock.monotonic()
    process.communicate(timeout=PATIENCE)
    return (gone - began) / SECOND


def test_ready_line_for_people() -> None:
    """People get a block to copy from; its last line says that everything works, and where."""
    process = start("serve", "--port", "0")
    try:
        assert process.stdout is not None
        lines: list[str] = []
        while not lines or (lines[-1] and not lines[-1].startswith("ready ")):
            lines.append(process.stdout.readline())
        assert re.fullmatch(r"ready url=http://127\.0\.0\.1:[0-9]+\n", lines[-1])
        shown = {line[2:18].strip() for line in lines}
        assert {"merchant API", "control API", "database", "payment key", "webhook secret"} <= shown
    finally:
        end(process)


def test_ready_means_that_it_works() -> None:
    """When the ready line is there, API, database and relay work."""
    with served() as server:
        health = server.control("GET", "/health")
    assert health == {"status": "ok", "api": True, "database": True, "relay": True, "lag": "0s"}


def test_webhooks_arrive_signed(shop: ReceiverClient) -> None:
    """What the API changes is delivered to the endpoint of the command line, signed with the secret given."""
    with served("--endpoint", shop.url, "--secret", SECRET, "--clock", "manual", "--no-auth") as server:
        invoice_id = server.cancelled_invoice()
        server.control("POST", "/clock", {"until": "idle"})
    (received,) = asyncio.run(shop.received()).values()
    assert (received["resource_id"], received["event_type"]) == (invoice_id, "invoice.cancelled")
    assert (received["received"], received["accepted"]) == (1, 1)


@pytest.mark.parametrize("group", [False, True], ids=["alone", "whole group"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stops_in_order(number: signal.Signals, *, group: bool) -> None:
    """SIGTERM and Ctrl-C stop everything within two seconds, also when every process gets the signal: exit 0."""
    with served() as server:
        assert stopped(server.process, number, group=group) < STOP_SECONDS
        assert server.process.returncode == 0


def test_stops_while_an_attempt_hangs() -> None:
    """A receiver that never answers holds the stop up for a second and no longer."""
    with served() as idle:
        without = stopped(idle.process, signal.SIGTERM)
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        served("--endpoint", f"http://127.0.0.1:{silent.getsockname()[1]}/x", "--no-auth") as server,
    ):
        server.cancelled_invoice()
        connection, _ = silent.accept()
        with connection:
            assert stopped(server.process, signal.SIGTERM) - without < STOP_SECONDS - HALF_A_SECOND
            assert server.process.returncode == 0


def test_kill_leaves_no_process(tmp_path: Path) -> None:
    """When the server is killed, its relay and the fork server end by themselves."""
    with served(TMPDIR=str(tmp_path)) as server:
        stopped(server.process, signal.SIGKILL)
        assert server.process.returncode == -signal.SIGKILL


def test_second_start_goes_on(shop: ReceiverClient, tmp_path: Path) -> None:
    """A second start on the same database knows the events and the time, and does not subscribe the endpoint twice."""
    words = ("--database-url", f"sqlite:///{tmp_path / 'kept.db'}", "--endpoint", shop.url, "--no-auth")
    with served(*words, "--clock", "manual", "--secret", "whsec_first") as server:
        server.cancelled_invoice()
        server.control("POST", "/clock", {"by": "90m"})
        before = server.control("GET", "/clock")
        stopped(server.process, signal.SIGTERM)
    with served(*words, "--secret", SECRET) as server:
        assert server.control("GET", "/clock") == before
        assert len(server.control("GET", "/events")["items"]) == 1
        assert len(_active_endpoints(server)) == 1
        assert server.ready["webhook_secret"] == SECRET


def test_clock_of_a_database_is_set_when_asked(tmp_path: Path) -> None:
    """Time goes on from where it stands; the mode is changed only when the command line names one."""
    words = ("--database-url", f"sqlite:///{tmp_path / 'kept.db'}")
    with served(*words, "--clock", "manual"):
        pass
    with served(*words, "--clock", "scale:60") as server:
        assert server.control("GET", "/clock")["mode"] == "scale"


def test_control_api_asks_for_the_token() -> None:
    """With a token the control API asks for it, except to say whether everything works."""
    with served("--token", "open-sesame") as server:
        assert server.control("GET", "/health")["status"] == "ok"
        with pytest.raises(HTTPError, match="401"):
            server.control("GET", "/clock")
        assert server.control("GET", "/clock", Authorization="Bearer open-sesame")["mode"] == "real"


def test_live_lines(shop: ReceiverClient) -> None:
    """Each attempt is told on standard error in the two lines that everybody knows."""
    process = start("serve", "--port", "0", "--endpoint", shop.url, "--secret", SECRET, "--no-auth")
    try:
        assert process.stdout is not None
        ready = next(line for line in process.stdout if line.startswith("ready "))
        server = Served(process, {"url": ready.split("=")[1].strip(), "project": make_project(1, 0).id})
        server.cancelled_invoice()
        assert process.stderr is not None
        lines = [next(line for line in process.stderr if line.startswith("--> ")), process.stderr.readline()]
    finally:
        end(process)
    assert re.fullmatch(r"--> invoice\.cancelled \[evt_\w{22}\]\n", lines[0])
    assert re.fullmatch(rf"<-- \[200\] POST {re.escape(shop.url)} \[evt_\w{{22}}\] \(\d+ ms\)\n", lines[1])


def _active_endpoints(server: Served) -> list[object]:
    return [one for one in server.control("GET", "/endpoints")["items"] if one["status"] == "active"]
