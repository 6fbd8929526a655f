"""The receiver as a real process: ready line, signals, refusals to start, and what survives its death."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from receiver_fixture.clock import SECOND, SystemClock
from receiver_fixture.errors import CannotStart
from receiver_fixture.receiver import Receiver
from receiver_fixture.settings import Settings
from tests.receiver import PATIENCE, SECRET, StillClock, client, encode, invoice_event, running, sign

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator

ROOT = Path(__file__).parents[2]


async def launch(*options: str, secret: str = SECRET) -> Process:
    """Start a receiver process; its secret comes by the environment, as in a container."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "receiver_fixture", *options),
        cwd=ROOT,
        env={"RECEIVER_SECRET": secret},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


@asynccontextmanager
async def launched(*options: str) -> AsyncIterator[tuple[Process, str]]:
    """Start a receiver process and give it with the URL of its ready line; kill it in the end."""
    process = await launch(*options)
    try:
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), PATIENCE)
        found = re.fullmatch(rb"receiver ready url=(http://127\.0\.0\.1:\d+/webhook)\n", line)
        assert found, line
        yield process, found[1].decode()
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def refusal(*options: str, secret: str = SECRET) -> str:
    """Start a receiver that cannot start and return its one sentence."""
    process = await launch(*options, secret=secret)
    printed, complaint = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert (process.returncode, printed) == (2, b"")
    lines = complaint.decode().splitlines()
    assert len(lines) == 1
    return lines[0]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_cleanly(number: signal.Signals) -> None:
    """It serves, and ends with 0 and without a word within two seconds of a signal, whatever hangs on it."""
    async with launched() as (process, url), client(url) as talk:
        assert await talk.get("/healthz") == {"status": "ok"}
        await talk.script(fault="slow_close", delay="1h")
        async with talk.raw(encode(invoice_event())) as reader:
            await asyncio.wait_for(reader.readuntil(b"scripted\n"), PATIENCE)
            process.send_signal(number)
            _, complaint = await asyncio.wait_for(process.communicate(), 2)
    assert (process.returncode, complaint) == (0, b"")


@pytest.mark.parametrize("delay", ["0s", "1h"])
async def test_a_kill_right_after_the_answer_loses_nothing(delay: str, database_url: str) -> None:
    """Killed for real as soon as its 200 is out, applied or not, the event is applied once after the restart."""
    event, stamp = invoice_event(), SystemClock().now() // SECOND
    async with launched("--database", database_url, "--apply-delay", delay) as (process, url), client(url) as talk:
        assert await talk.deliver(event, stamp=stamp) == 200
        process.kill()
        await process.wait()
    assert process.returncode == -signal.SIGKILL
    async with launched("--database", database_url) as (_, url), client(url) as talk:
        await talk.get("/_idle")
        assert await talk.deliver(event, stamp=stamp) == 200
        await talk.get("/_idle")
        summary = await talk.get("/received/evt_1")
        order = await talk.get("/orders/order-inv_1")
    assert (summary["received"], summary["accepted"], summary["applied"]) == (2, 2, 1)
    assert (order["paid"], order["fulfilled"]) == (True, 1)


async def test_a_restart_between_answer_and_application_loses_nothing(database_url: str) -> None:
    """What was acknowledged and not yet applied when it stopped is applied by the next start."""
    async with running(StillClock(), database=database_url, apply_delay=3600 * SECOND) as (_, talk):
        assert await talk.deliver(invoice_event()) == 200
        await talk.get("/orders/order-inv_1", status=404)
        assert (await talk.get("/_stats"))["pending"] == 1
    async with running(database=database_url) as (receiver, talk):
        await receiver.idle()
        assert (await talk.get("/orders/order-inv_1"))["fulfilled"] == 1


async def test_a_port_in_use_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    """The sentence names the port, and no database file has been made."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        sentence = await refusal("--port", str(port), "--database", str(tmp_path / "receiver.db"))
    assert sentence.startswith(f"receiver: cannot listen on 127.0.0.1 port {port}: ")
    assert names(tmp_path) == []


def names(folder: Path) -> list[str]:
    """Say what lies in a folder."""
    return [path.name for path in folder.iterdir()]


@pytest.mark.parametrize(
    ("database", "reason"),
    [
        ("{folder}/missing/receiver.db", "unable to open database file"),
        ("{folder}/notes.txt", "file is not a database"),
        ("mysql://root:hidden@localhost/shop", "scheme 'mysql' is not known"),
        ("postgresql://root:hidden@localhost:many/shop", "cannot be read"),
        ("postgresql://root:hidden@127.0.0.1:1/shop", "cannot be used"),
    ],
)
async def test_a_bad_database_is_refused_in_one_sentence(database: str, reason: str, tmp_path: Path) -> None:
    """The sentence says what is wrong and keeps the password to itself."""
    (tmp_path / "notes.txt").write_text("not a database at all, but long enough to be one" * 20)
    sentence = await refusal("--database", database.format(folder=tmp_path))
    assert reason in sentence
    assert "hidden" not in sentence


async def test_without_a_secret_it_does_not_start() -> None:
    """A receiver that believes everybody is not offered."""
    assert "needs a webhook secret" in await refusal(secret="")


async def test_a_wrong_option_is_answered_without_loading_anything_heavy() -> None:
    """Neither the web server nor the database library is imported to refuse an option."""
    code = (
        "import sys; from receiver_fixture.__main__ import main; code = main(['--nope']);"
        "print(code, {'aiohttp', 'sqlalchemy'} & set(sys.modules))"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    printed, _ = await process.communicate()
    assert printed == b"2 set()\n"


async def test_a_start_that_fails_can_be_tried_again(tmp_path: Path) -> None:
    """A failed start leaves nothing open: the same port is free again."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    receiver = Receiver(Settings(secrets=(SECRET,), port=port, database=str(tmp_path / "missing" / "receiver.db")))
    with pytest.raises(CannotStart):
        await receiver.start()
    (tmp_path / "missing").mkdir()
    assert await receiver.start() == f"http://127.0.0.1:{port}/webhook"
    await receiver.stop()
    await receiver.stop()


async def test_idle_needs_a_running_receiver() -> None:
    """Waiting for a receiver that does not run would never end, so it is an error."""
    with pytest.raises(RuntimeError, match="not running"):
        await Receiver(Settings(secrets=(SECRET,))).idle()


async def test_path_and_tolerance_are_settings() -> None:
    """The webhook can live at another path, and old signatures can be let in."""
    event = encode(invoice_event())
    async with running(path="/hooks/paymos", tolerance=600) as (receiver, talk):
        assert receiver.url.endswith("/hooks/paymos")
        assert await talk.deliver(event, sign(event, stamp=1_700_000_000 - 600)) == 200
        assert await talk.deliver(event, sign(event, stamp=1_700_000_000 - 601)) == 401
