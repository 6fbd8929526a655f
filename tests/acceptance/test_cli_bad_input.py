"""Bad input: exit 2, one clear message with place and remedy, no traceback, and nothing half-written."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from sender.cli import main
from tests.commands import Result, command

if TYPE_CHECKING:
    from pathlib import Path

LADDER = "timeout: 10s\ngaps: [1m, -2m]\n"
STORY = """\
name: everything wrong
steps:
  - create_invoice: {as: order, amount: "1.00", currency: USD}
  - crash: {at: relay.after_snd}
  - advance: {by: 5}
  - pya: {invoice: order}
  - pay: {invoice: order, amont: "1"}
"""

AT_ONCE: dict[str, tuple[list[str], str]] = {
    "no command": ([], "a command is missing"),
    "unknown command": (["serv"], "did you mean 'serve'?"),
    "unknown option": (["serve", "--prot", "1"], "did you mean '--port'?"),
    "no such port": (["serve", "--port", "99999"], "from 0 to 65535"),
    "no connections": (["serve", "--pool-size", "0"], "from 1 to 100"),
    "no such authority": (
        ["serve", "--trust", "ca.pem"],
        "--trust: the certificate file 'ca.pem' cannot be used: No such",
    ),
    "no authority": (
        ["check", "--target", "https://h/", "--secret", "s", "--trust", "mine.yaml"],
        "no PEM certificate",
    ),
    "unknown clock": (["serve", "--clock", "fast"], "write real, manual, skip or scale:N"),
    "no such ladder": (["serve", "--ladder", "paymoss"], "did you mean 'paymos'?"),
    "negative gap": (["serve", "--ladder", "ladder.yaml"], "ladder.yaml:2:12: gaps, entry 2: '-2m' is negative"),
    "no unit": (["serve", "--attempt-timeout", "5"], "write 5s, 5m or 5h"),
    "open to all": (["serve", "--host", "0.0.0.0"], "choose a --token"),
    "other database": (["serve", "--database-url", "mysql://u:hidden@h/d"], "write sqlite:///FILE"),
    "memory and a child": (["serve", "--database-url", "memory"], "leave it out"),
    "relay of nothing": (["relay"], "--database-url is missing"),
    "no story": (["run"], "FILE|NAME"),
    "no such name": (["validate", "a" * 400], "is neither one of the shipped scenarios nor a path"),
    "no such path": (["validate", "a/" * 4_000 + "b"], "the file cannot be read (File name too long)"),
    "no such folder": (["serve", "--database-url", f"sqlite:///{'a' * 400}/b"], "its folder does not exist"),
    "one file, two stories": (["run", "happy-path", "lost-answer", "--database-url", "sqlite:///a.db"], "one by one"),
    "bad variable": (["run", "happy-path"], "PAYMOS_SIM_RELAYS: 'many' is not a number of relays"),
}
"""Refused before anything is started."""

ON_THE_WAY: dict[str, tuple[list[str], str]] = {
    "no folder": (["serve", "--database-url", "sqlite:////no/where/a.db"], "its folder does not exist"),
    "nobody there": (["serve", "--database-url", "postgresql://u:hidden@127.0.0.1:1/x"], "check --database-url"),
    "relay of no file": (["relay", "--database-url", "sqlite:///new.db"], "there is no file new.db"),
    "relay, nobody there": (["relay", "--database-url", "postgresql://127.0.0.1:1/x"], "check --database-url"),
    "unknown story": (["run", "crash-after-sent"], "did you mean 'crash-after-send'?"),
    "no target": (["run", "mine.yaml", "--target", "http://127.0.0.1:1/x"], "nobody listens at 127.0.0.1 port 1"),
    "target and receiver": (["run", "happy-path", "--target", "http://127.0.0.1:1/x"], "needs the reference receiver"),
    "database of a story": (["run", "happy-path", "--database-url", "postgresql://127.0.0.1:1/x"], "check --database"),
}
"""Refused when what was started first is already on its way."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with a bad ladder, a bad story and a good one."""
    (tmp_path / "ladder.yaml").write_text(LADDER)
    (tmp_path / "wrong.yaml").write_text(STORY)
    (tmp_path / "mine.yaml").write_text("name: mine\nsteps:\n  - advance: 1m\n")
    return tmp_path


def refused(result: Result, folder: Path) -> str:
    """Require exit 2, no output, no traceback and no new file; return the message."""
    assert (result.code, result.printed) == (2, ""), result
    assert "Traceback" not in result.complaint
    assert sorted(path.name for path in folder.iterdir()) == ["ladder.yaml", "mine.yaml", "wrong.yaml"]
    return result.complaint


@pytest.mark.parametrize("case", AT_ONCE)
def test_refused_at_once(
    case: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever is wrong with a command line is said in one line that says what would be right."""
    words, expected = AT_ONCE[case]
    monkeypatch.chdir(folder)
    if case == "bad variable":
        monkeypatch.setenv("PAYMOS_SIM_RELAYS", "many")
    code = main(words)
    message = refused(Result(code, *capsys.readouterr()), folder)
    assert expected in message
    assert "hidden" not in message
    assert message.count("\n") == 1


@pytest.mark.parametrize("case", ON_THE_WAY)
def test_refused_on_the_way(case: str, folder: Path) -> None:
    """What only shows once processes are started is said in the same way, and no process is left."""
    words, expected = ON_THE_WAY[case]
    message = refused(command(*words, folder=folder), folder)
    assert expected in message
    assert "hidden" not in message
    if case != "target and receiver":
        assert message.count("\n") == 1


@pytest.mark.parametrize("verb", ["run", "validate"])
def test_every_problem_of_a_story(verb: str, folder: Path) -> None:
    """All that is wrong with a story is said in one go, each with its line, column and step."""
    message = refused(command(verb, "wrong.yaml", folder=folder), folder)
    places = [line.split(": ", 2)[1] for line in message.splitlines()]
    assert places == ["wrong.yaml:4:17", "wrong.yaml:5:19", "wrong.yaml:6:5", "wrong.yaml:7:27"]
    assert "did you mean 'relay.after_send'?" in message
    assert "write 5s, 5m or 5h" in message
    assert "did you mean 'pay'?" in message
    assert "did you mean 'amount'?" in message


@pytest.mark.parametrize("words", [["validate"], ["run", "--dry-run"]], ids=" ".join)
def test_a_hostile_story_moves_no_cursor(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the name of a story, nor that of its file, nor what is wrong in it is more than text on a terminal."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a\x1b[2J\x1b]0;owned\x07\u202e.yaml"
    path.write_text(r'name: "x \e[2J\e]0;owned\a\u202e"' + "\nsteps:\n  - advance: 1m\n")
    assert main([*words, path.name]) == 0
    path.write_text(r'{name: "\e[2J", steps: [{"\e[2J": {"\e]0;x\a\u202e": ~}}]}' + "\n")
    assert main([*words, path.name]) == 2
    printed = "".join(capsys.readouterr())
    assert {char for char in printed if not char.isprintable()} == {"\n"}
    assert "a\\x1b[2J\\x1b]0;owned\\x07\\u202e" in printed


def test_port_in_use(folder: Path) -> None:
    """A port that is taken is refused before any database is made."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = command("serve", "--port", port, "--database-url", "sqlite:///new.db", folder=folder)
    assert f"port {port} of 127.0.0.1 cannot be had" in refused(result, folder)
    assert "or 0 for any" in result.complaint


def test_step_that_is_refused(folder: Path) -> None:
    """A step that the provider refuses ends the run with its place and the provider's reason."""
    story = folder / "mine.yaml"
    story.write_text(
        'name: x\nsteps:\n  - create_invoice: {as: a, amount: "1.00", currency: USD}\n'
        '  - pay: {invoice: a, amount: "0.5"}\n'
        "  - confirm_payment: {invoice: a, currency: USDT, network: TRC20}\n"
    )
    result = command("run", "mine.yaml", "--in-process", folder=folder)
    assert result.code == 2
    assert "mine.yaml:5: step 3 (confirm_payment): invoice inv_" in result.complaint
    assert "is underpaid_waiting" in result.complaint
    assert "Traceback" not in result.complaint


def test_other_version_of_the_database(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A SQLite file that is no database is refused with the reason."""
    file = tmp_path_factory.mktemp("other") / "notes.txt"
    file.write_text("this is no database, it is a text that is longer than the header of one would be " * 20)
    message = refused(command("serve", "--port", "0", "--database-url", f"sqlite:///{file}", folder=folder), folder)
    assert "file is not a database" in message
