"""``paymos-sim run``: verdict and exit code, the report, the stream, other people's receivers, and a clean end."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sqlite3
from typing import TYPE_CHECKING

import pytest

from sender.scenario.receiver_client import ReceiverClient
from sender.scenario.receiver_process import ReceiverProcess
from tests.commands import PATIENCE, command, end, start

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ATTEMPT = {
    *("kind", "virtual_time", "event_id", "event_type", "resource_id", "endpoint", "number", "trigger"),
    *("due_at", "started_at", "finished_at", "outcome", "reason", "status", "duration_ms"),
}
CREATE = '  - create_invoice: {as: order, amount: "11.05", currency: USD}\n'
PAID = CREATE + "  - pay: {invoice: order}\n  - advance: {until: idle}\n"

REPORT = """\
crash-after-send: the receiver has it, the sender dies before writing it down
seed 1, clock manual, ladder paymos, sqlite, relay as a process

      +0s  create_invoice  order, 100.00 USD
      +0s  crash           relay.after_send on invoice.paid
      +0s  pay             order, paid
      +0s  ! the relay died at relay.after_send (exit code 137); another one takes over 1 delivery
      +0s  advance         until idle
      +0s  expect          invoice.paid of order
                           ok  state delivered
                           ok  attempts 1
                           ok  received 2
                           ok  applied 1
      +0s  expect          order
                           ok  order paid
                           ok  invoice_status paid

invoice.confirming of order to default  delivered, 1 attempt, received 1, applied 1

invoice.paid of order to default  delivered, 1 attempt, received 2, applied 1
  evt_EyXfy187baATW2Nv8jqJE2, due 2026-03-02T09:00:00Z
               +0s  ! the relay died at relay.after_send
     1         +0s  o 200       N ms
  1 request more than attempts on record: sent, and never written down

PASSED  crash-after-send: 6 of 6 expectations and 12 of 12 laws hold; N s for 0s

"""


@pytest.fixture
def shop() -> Iterator[ReceiverClient]:
    """Give somebody's own receiver, which knows nothing of the story."""
    with ReceiverProcess() as process:
        yield ReceiverClient(asyncio.run(process.ready()))


def write(folder: Path, steps: str, head: str = "") -> str:
    """Write a story; return the name of its file."""
    (folder / "mine.yaml").write_text(f"name: mine\n{head}steps:\n{steps}")
    return "mine.yaml"


def test_report_of_a_crash() -> None:
    """The report shows each step, the death, what was found, and the request that no attempt accounts for."""
    result = command("run", "crash-after-send")
    printed = re.sub(r"\d+\.\d+ s for", "N s for", re.sub(r"\b\d+ ms", "N ms", result.printed))
    assert (result.code, printed) == (0, REPORT)
    assert result.complaint == ""


def test_report_of_a_ladder() -> None:
    """Eleven attempts in sixteen hours stand on one time line, each with its place in time."""
    printed = command("run", "ladder-to-the-end", "--in-process").printed
    assert re.search(r"^  x(-+x){10}$", printed, re.MULTILINE)
    assert re.search(r"^  0 +1m +3m +7m +15m +31m +1h3m +2h3m +4h3m +8h3m +16h3m$", printed, re.MULTILINE)
    assert "invoice.paid of order to default  failed, 11 attempts, received 11, applied 0" in printed
    assert len(re.findall(r"^ +\d+ +\+\w+  x 503 ", printed, re.MULTILINE)) == 11


def test_attempts_in_the_stream() -> None:
    """Each attempt is an object on a line of its own, with instants in Unix seconds and real time in milliseconds."""
    result = command("run", "lost-answer", "--in-process", "--json")
    first, second = (one for one in result.of("attempt.finished") if one["event_type"] == "invoice.paid")
    assert first.keys() >= ATTEMPT
    assert (first["outcome"], first["reason"], first["status"], first["faults"]) == (
        *("failed", "timeout", None),
        ["lose_response"],
    )
    assert first["finished_at"] - first["started_at"] == 10
    assert second["due_at"] - first["due_at"] == 70
    assert (second["number"], second["outcome"], second["status"]) == (2, "delivered", 200)
    assert result.of("run.finished")[0]["verdict"] == "passed"


def test_failed_expectation(tmp_path: Path) -> None:
    """What is not as it was expected fails the run with exit 1, and is named with its line, wish and finding."""
    steps = PAID + "  - expect: {invoice: order, event: invoice.paid, state: failed, attempts: 1, received: 2}\n"
    result = command("run", write(tmp_path, steps), "--in-process", folder=tmp_path)
    assert result.code == 1
    assert "line 6, step 4: invoice.paid of order: state is delivered, not failed\n" in result.printed
    assert "line 6, step 4: invoice.paid of order: received is 1, not 2\n" in result.printed
    assert "FAILED  mine: 1 of 3 expectations and 12 of 12 laws hold" in result.printed


def test_several_stories(tmp_path: Path) -> None:
    """One story that fails fails the run; the others are played all the same, and the last line says which it was."""
    steps = PAID + "  - expect: {invoice: order, invoice_status: expired}\n"
    result = command("run", write(tmp_path, steps), "happy-path", "--in-process", folder=tmp_path)
    assert result.code == 1
    assert result.printed.endswith("2 stories: 1 passed, 1 failed: mine\n")


def test_own_receiver(shop: ReceiverClient, tmp_path: Path) -> None:
    """With ``--target`` a story is played against somebody's own receiver, signed with its secret."""
    asyncio.run(shop.trust(["whsec_of_the_shop"]))
    steps = PAID + "  - expect: {invoice: order, event: invoice.paid, state: delivered, attempts: 1}\n"
    words = ("--target", shop.url, "--secret", "whsec_of_the_shop")
    result = command("run", write(tmp_path, steps), *words, folder=tmp_path)
    assert result.code == 0, result
    assert "8 of 8 laws hold" in result.printed
    received = asyncio.run(shop.received()).values()
    assert [(one["event_type"], one["accepted"]) for one in received] == [
        ("invoice.confirming", 1),
        ("invoice.paid", 1),
    ]


def test_own_receiver_with_another_secret(shop: ReceiverClient, tmp_path: Path) -> None:
    """A receiver that refuses every delivery is reported as what it is."""
    asyncio.run(shop.trust(["whsec_another"]))
    steps = PAID + "  - expect: {invoice: order, event: invoice.paid, state: delivered}\n"
    result = command("run", write(tmp_path, steps), "--target", shop.url, "--json", folder=tmp_path)
    assert result.code == 1
    assert {one["status"] for one in result.of("attempt.finished")} == {401}
    assert result.of("expectation.failed")[0]["found"] == "failed"


@pytest.mark.parametrize(
    ("words", "head", "rungs"),
    [
        ((), "", 11),
        ((), "ladder: short.yaml\n", 2),
        (("--ladder", "paymos"), "ladder: short.yaml\n", 11),
        (("--ladder", "short.yaml"), "", 2),
    ],
    ids=["default", "of the story", "flag over story", "flag"],
)
def test_ladder_of_a_run(words: tuple[str, ...], head: str, rungs: int, tmp_path: Path) -> None:
    """The command line decides the ladder, then the story, then the provider's own."""
    (tmp_path / "short.yaml").write_text("timeout: 10s\ngaps: [5m]\n")
    steps = CREATE + "  - receiver: {status: 500}\n  - cancel: {invoice: order}\n  - advance: {until: idle}\n"
    result = command("run", write(tmp_path, steps, head), "--in-process", "--json", *words, folder=tmp_path)
    assert len(result.of("attempt.finished")) == rungs


def test_database_of_a_story_is_kept_when_named(tmp_path: Path) -> None:
    """A story leaves nothing behind, but for the SQLite file that was asked for; that one is not played on twice."""
    words = ("run", "happy-path", "--database-url", "sqlite:///kept.db")
    assert command(*words, folder=tmp_path, TMPDIR=str(tmp_path)).code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["kept.db"]
    with sqlite3.connect(tmp_path / "kept.db") as kept:
        assert kept.execute("SELECT count(*) FROM outbox").fetchone() == (2,)
    again = command(*words, folder=tmp_path)
    assert again.code == 2
    assert "is there already" in again.complaint


def test_story_leaves_nothing_in_a_shared_database(postgres_url: str) -> None:
    """On PostgreSQL each story has a schema of its own, which is gone afterwards."""
    import psycopg  # noqa: PLC0415 - only here

    assert command("run", "happy-path", "--in-process", "--database-url", postgres_url).code == 0
    with psycopg.connect(postgres_url) as connection:
        found = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'paymos%'").fetchall()
        tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert (found, tables) == ([], [(0,)])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_cleans_up(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C in the middle of a story ends every process and removes what was temporary; no traceback is shown."""
    steps = CREATE + "  - receiver: {fault: timeout}\n  - cancel: {invoice: order}\n  - advance: {until: idle}\n"
    process = start("run", write(tmp_path, steps), "--json", folder=tmp_path, TMPDIR=str(tmp_path))
    try:
        assert process.stdout is not None
        next(line for line in process.stdout if '"verb": "cancel"' in line)
        os.killpg(process.pid, number) if number is signal.SIGINT else process.send_signal(number)
        # Returns only when everybody who holds the output, children of children too, is gone.
        _, complaint = process.communicate(timeout=PATIENCE)
    finally:
        end(process)
    assert process.returncode == 128 + number
    assert "Traceback" not in complaint
    assert [path.name for path in tmp_path.iterdir()] == ["mine.yaml"]


def test_killed_run_leaves_no_process(tmp_path: Path) -> None:
    """Even when the run itself is killed, relay and receiver end by themselves."""
    steps = CREATE + "  - receiver: {fault: timeout}\n  - cancel: {invoice: order}\n  - advance: {until: idle}\n"
    process = start("run", write(tmp_path, steps), "--json", folder=tmp_path, TMPDIR=str(tmp_path))
    try:
        assert process.stdout is not None
        next(line for line in process.stdout if '"verb": "cancel"' in line)
        process.kill()
        process.communicate(timeout=PATIENCE)
    finally:
        end(process)
    assert process.returncode == -signal.SIGKILL


def test_expiry_at_a_crash_point(tmp_path: Path) -> None:
    """When the API dies of what expires on the way, time goes on afterwards to where it was sent."""
    steps = (
        CREATE
        + "  - crash: {at: dispatch.before_commit, on: {event: invoice.expired}}\n"
        + "  - advance: 45m\n"
        + "  - expect: {invoice: order, event: invoice.expired, state: delivered, attempts: 1}\n"
    )
    result = command("run", write(tmp_path, steps), "--in-process", "--json", folder=tmp_path)
    assert result.code == 0, result
    assert [line["point"] for line in result.of("api.died")] == ["dispatch.before_commit"]
    began, ended = result.of("run.started")[0], result.of("run.finished")[0]
    assert ended["virtual_time"] - began["virtual_time"] == 45 * 60
