"""The tools that talk to a simulator that runs: what they print, how they end, and what they say when none is there."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from sender.cli import main
from sender.cli.remote import Remote
from sender.harmless import plain
from sender.web.parts import ApiOptions
from tests.api import serving_beside
from tests.receivers import receiving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sender.simulator import Simulator
    from tests.api import Beside

SECRET = "whsec_test_of_the_tools"
HOSTILE = (
    b"HTTP/1.1 500 Scripted\r\nContent-Length: 24\r\nX-Note: \x1b[2J\xe2\x80\xae\r\n\r\n"
    b"\x1b]0;owned\x07<img\xe2\x80\xaex>\x00 b"
)


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("URL", "TOKEN", "SECRET", "JSON"):
        monkeypatch.delenv(f"PAYMOS_SIM_{name}", raising=False)


@pytest.fixture
def beside() -> Iterator[Beside]:
    """Give a running API in a thread."""
    with serving_beside() as running:
        yield running


@pytest.fixture
def run(beside: Beside, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Give what runs a tool against it: exit code, and what was printed."""

    def tool(*words: str) -> tuple[int, str]:
        code = main([*words, "--url", beside.base])
        return code, capsys.readouterr().out

    return tool


def control(beside: Beside, method: str, path: str, body: Any = None) -> Any:
    """Call the control API."""
    return Remote(beside.base).call(method, path, body)


def test_an_event_is_triggered_listed_shown_and_resent(run: Callable[..., tuple[int, str]], beside: Beside) -> None:
    """From nothing to a second attempt by hand, each step in words and in JSON."""
    assert run("events", "list") == (0, "no events; 'paymos-sim trigger invoice.paid' makes one\n")
    assert "nobody is subscribed" in run("trigger", "invoice.cancelled")[1]
    control(beside, "POST", "/endpoints", {"url": "http://127.0.0.1:9/"})
    code, printed = run("trigger", "invoice.paid", "--override", "amount=7.50", "--override", "currency=EUR", "--json")
    (event_id,) = json.loads(printed)["event_ids"]
    assert code == 0
    assert run("clock", "--until-idle")[0] == 0
    code, listed = run("events", "list", "--state", "failed", "--type", "invoice.paid")
    assert [word in listed for word in (event_id, "refused", "CREATED")] == [True] * 3
    assert json.loads(run("events", "list", "--limit", "1", "--json")[1])[0]["event_id"] == event_id
    shown = run("events", "show", event_id)[1]
    assert (shown.count("-->"), shown.count("<-- [refused] POST http://127.0.0.1:9/")) == (11, 11)
    assert '"amount": "7.50"' in run("events", "show", event_id, "-v")[1]
    assert run("events", "resend", event_id) == (0, f"--> [{event_id}] is sent again\n")
    run("clock", "--by", "0")
    assert "by hand" in run("events", "show", event_id)[1]
    assert event_id in run("events", "resend", "--failed")[1]
    code, told = run("events", "resend", "evt_nobody")
    assert (code, "there is no event evt_nobody" in told) == (1, True)


def test_listen_shows_two_lines_for_each_attempt(
    run: Callable[..., tuple[int, str]], beside: Beside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the events that are wanted, until so many were shown; JSON is one object a line."""
    monkeypatch.setattr("sender.cli.listen._messages", lambda remote, query: remote.stream(query, "0-0-0"))
    control(beside, "POST", "/endpoints", {"url": "http://127.0.0.1:9/"})
    control(beside, "POST", "/trigger", {"event_type": "invoice.paid"})
    control(beside, "POST", "/clock", {"by": "0"})
    first, second = run("listen", "--events", "invoice.p*", "--count", "1")[1].splitlines()
    assert " --> invoice.paid [evt_" in first
    assert " <-- [refused] POST http://127.0.0.1:9/ [evt_" in second
    assert second.endswith("ms)")
    (line,) = run("listen", "--format", "json", "--count", "1")[1].splitlines()
    assert json.loads(line)["event_type"] == "invoice.confirming"
    assert "X-Webhook-Signature: t=" in run("listen", "-v", "--count", "1")[1]


async def _subscribe_hostile(simulator: Simulator) -> list[str]:
    from tests.simulators import cancelled, subscribe  # noqa: PLC0415 - in the simulator's own loop

    async with receiving(lambda _: HOSTILE) as receiver:
        await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator)
        await simulator.conductor.quiet()
        return [event_id]


def test_what_a_receiver_answers_moves_no_cursor(run: Callable[..., tuple[int, str]], beside: Beside) -> None:
    """Escape sequences, NUL and marks that turn text round are shown as what they are."""
    (event_id,) = beside.run(_subscribe_hostile)
    printed = run("events", "show", event_id, "-v")[1]
    assert [char for char in printed if not char.isprintable() and char != "\n"] == []
    assert [part in printed for part in ("\\x1b]0;owned\\x07<img\\u202ex>\\x00 b",)] == [True]
    assert plain("a\x1b[31m\u202e\U000e0001\nb") == "a\\x1b[31m\\u202e\\U000e0001\\x0ab"


def test_the_clock_is_shown_moved_and_set(run: Callable[..., tuple[int, str]], beside: Beside) -> None:
    """Where time stands and what comes next."""
    control(beside, "POST", "/endpoints", {"url": "http://127.0.0.1:9/"})
    control(beside, "POST", "/trigger", {"event_type": "invoice.cancelled"})
    assert run("clock", "--to", "2100-01-01T00:00:00Z")[1].splitlines()[0] == "2100-01-01 00:00:00 UTC, manual"
    assert json.loads(run("clock", "--mode", "scale:60", "--json")[1])["rate"] == 60
    assert "60 virtual seconds in a real one" in run("clock")[1]


def test_reset_says_what_was_cleared(run: Callable[..., tuple[int, str]]) -> None:
    """State and faults unless more is named."""
    assert run("reset") == (0, "cleared state, faults\n")
    assert run("reset", "--scopes", "state,endpoints", "--patience", "1s")[1] == "cleared state, endpoints\n"
    assert json.loads(run("reset", "--json")[1]) == {"waited_for": 0, "dropped": 0}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["events", "lits"], "did you mean 'list'?"),
        (["events", "show"], "events show takes the id of one event"),
        (["events", "resend"], "or --failed"),
        (["events", "list", "--limit", "0"], "--limit: '0' is not a number of events"),
        (["events", "list", "--state", "sent"], "state"),
        (["trigger", "invoice.payed"], "did you mean 'invoice.paid'?"),
        (["trigger", "invoice.paid", "--override", "amount"], "write NAME=VALUE"),
        (["clock", "--by", "1h", "--mode", "real"], "clock takes one of"),
        (["clock", "--by", "600"], "has no unit"),
        (["reset", "--scopes", "everything"], "scopes"),
        (["listen", "--format", "xml"], "write text or json"),
    ],
)
def test_bad_words_are_one_sentence_and_exit_two(
    beside: Beside, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    """Whatever cannot be used is named with what would be right."""
    assert main([*words, "--url", beside.base]) == 2
    complaint = capsys.readouterr().err
    assert says in complaint
    assert complaint.count("\n") == 1


@pytest.mark.parametrize("words", [["events", "list"], ["listen"], ["clock"], ["trigger", "invoice.paid"], ["reset"]])
def test_where_nobody_serves_the_remedy_is_named(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    """Exit code 2, with how to start a simulator or name another."""
    assert main([*words, "--url", "http://127.0.0.1:9"]) == 2
    assert "start one with 'paymos-sim serve'" in capsys.readouterr().err
    assert main([*words, "--url", "nowhere"]) == 2
    assert "is not an address" in capsys.readouterr().err


def test_the_token_is_given_by_option_or_variable(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it the message says how; address and token may be variables."""
    with serving_beside(options=ApiOptions(control_token="opensesame")) as beside:
        assert main(["clock", "--url", beside.base]) == 2
        assert "--token or PAYMOS_SIM_TOKEN" in capsys.readouterr().err
        monkeypatch.setenv("PAYMOS_SIM_URL", beside.base)
        monkeypatch.setenv("PAYMOS_SIM_TOKEN", "opensesame")
        assert main(["clock"]) == 0


def test_what_is_signed_verifies(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """From a file or standard input; a wrong secret is exit code 1 with its word, a missing part exit code 2."""
    body = tmp_path / "body.json"
    body.write_bytes(b'{"a": 1}\n')
    assert main(["sign", "--secret", SECRET, "--body", str(body), "--timestamp", "1767225600"]) == 0
    header = capsys.readouterr().out.strip()
    assert header.startswith("t=1767225600,v1=")
    check = ["verify", "--signature", header, "--now", "1767225601", "--body", str(body)]
    assert main([*check, "--secret", SECRET]) == 0
    assert main([*check, "--secret", "whsec_test_other"]) == 1
    assert "wrong_secret: " in capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a": 1}')))
    assert main([*check[:5], "--secret", SECRET]) == 1
    assert "reencoded_body: " in capsys.readouterr().out
    for words, says in [(check[:1], "--signature is missing"), (check, "--secret is missing"),
                        ([*check[:-1], "/nowhere", "--secret", SECRET], "cannot be read")]:  # fmt: skip
        assert main(words) == 2
        assert says in capsys.readouterr().err
