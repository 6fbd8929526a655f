"""Scripts, delays, settings and the command line: what is taken and what is refused, in words."""

from __future__ import annotations

from typing import Any

import pytest

from receiver_fixture.clock import SECOND
from receiver_fixture.delays import parse_delay
from receiver_fixture.envelope import Claim
from receiver_fixture.errors import CannotStart, Refused
from receiver_fixture.keyring import Keyring
from receiver_fixture.options import read_options
from receiver_fixture.script_input import read_script
from receiver_fixture.scripts import Fault, Script, ScriptQueue
from receiver_fixture.settings import Settings

PAID = Claim("evt_1", "invoice.paid", "inv_1")


@pytest.mark.parametrize(
    ("written", "micros"),
    [(2, 2 * SECOND), (0, 0), (0.25, 250_000), ("10s", 10 * SECOND), ("250ms", 250_000), ("1.5m", 90 * SECOND)],
)
def test_delays_are_seconds_or_text_with_a_unit(written: object, micros: int) -> None:
    """A number means seconds, text carries its unit."""
    assert parse_delay(written) == micros


@pytest.mark.parametrize(
    "written", ["10", "s", "-1s", -1, True, None, [], "1h30", float("nan"), float("inf"), 1e300, "25h"]
)
def test_other_delays_are_refused(written: object) -> None:
    """What is not a delay is refused with what would be one."""
    with pytest.raises(Refused, match="is not a delay"):
        parse_delay(written)


@pytest.mark.parametrize(
    ("document", "status", "processes"),
    [
        ({}, 200, True),
        ({"status": 204}, 204, True),
        ({"status": 503}, 503, False),
        ({"status": 503, "process": True}, 503, True),
        ({"status": 200, "process": False}, 200, False),
        ({"fault": "redirect"}, 307, False),
        ({"fault": "redirect", "status": 301}, 301, False),
        ({"fault": "timeout"}, None, False),
        ({"fault": "reset"}, None, False),
        ({"fault": "reset_peer", "process": True}, None, True),
        ({"fault": "garbage"}, None, False),
        ({"fault": "close"}, None, False),
        ({"fault": "slow_close", "delay": "5s"}, 200, True),
        ({"fault": "huge_body"}, 200, True),
    ],
)
def test_only_a_visible_success_is_processed_by_default(
    *, document: dict[str, Any], status: int | None, processes: bool
) -> None:
    """A delivery is handled first when the client will see a 2xx, or when the script says so."""
    script = read_script(document)
    assert (script.visible_status, script.processes) == (status, processes)


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ({"statsu": 503}, "'statsu' is not part of a script"),
        ({"status": 99}, "from 200 to 599"),
        ({"status": "503"}, "whole number"),
        ({"status": True}, "whole number"),
        ({"times": 0}, "at least 1"),
        ({"attempt_from": 0}, "at least 1"),
        ({"delay": "soon"}, "is not a delay"),
        ({"fault": "fire"}, "use one of none, timeout, reset_peer"),
        ({"event_type": ""}, "non-blank text"),
        ({"process": "yes"}, "true or false"),
        ({"fault": "redirect", "status": 200}, "from 300 to 399"),
        ({"fault": "slow_close"}, "needs a delay"),
    ],
)
def test_a_wrong_script_is_refused_in_words(document: dict[str, Any], complaint: str) -> None:
    """The refusal says what is wrong and what would be right."""
    with pytest.raises(Refused, match=complaint):
        read_script(document)


def test_scripts_answer_in_turn() -> None:
    """The first script that fits and has times left is used, then the next, then none."""
    queue = ScriptQueue()
    queue.add(Script(status=500, times=2))
    queue.add(Script(status=503, times=1))
    taken = [queue.take(PAID, number) for number in range(1, 5)]
    assert [entry and entry.script.status for entry in taken] == [500, 500, 503, None]


@pytest.mark.parametrize(
    ("script", "number", "fits"),
    [
        (Script(event_type="invoice.paid"), 1, True),
        (Script(event_type="invoice.expired"), 1, False),
        (Script(event_id="evt_1"), 1, True),
        (Script(event_id="EVT_1"), 1, False),
        (Script(attempt_from=3), 2, False),
        (Script(attempt_from=3), 3, True),
        (Script(attempt_from=3), 4, True),
    ],
)
def test_scripts_choose_their_deliveries(*, script: Script, number: int, fits: bool) -> None:
    """By type, by id, by how often the event has come; all of them together."""
    assert script.matches(PAID, number) is fits


def test_taking_scripts_away_frees_who_waits() -> None:
    """A request that is kept waiting learns that its script is gone."""
    queue = ScriptQueue()
    entry = queue.add(Script(fault=Fault.TIMEOUT))
    queue.clear()
    assert entry.withdrawn.is_set()
    assert queue.shown() == []


def test_secrets_are_not_quoted() -> None:
    """Neither a refusal nor a printed object repeats a secret."""
    with pytest.raises(Refused) as refused:
        Keyring(["whsec_a"]).replace(["whsec_secret", ""])
    settings = Settings(secrets=("whsec_secret",), database="postgresql://u:whsec_secret@h/d")
    assert "whsec_secret" not in f"{refused.value} {settings!r} {Keyring(['whsec_secret'])!r}"


@pytest.mark.parametrize("secrets", [[], None, "whsec_a", [1], [" "]])
def test_a_keyring_needs_secrets(secrets: object) -> None:
    """An empty or misshapen list leaves the old secrets in force."""
    keyring = Keyring(["whsec_a"])
    with pytest.raises(Refused):
        keyring.replace(secrets)
    assert keyring.secrets == ("whsec_a",)


def test_options_come_before_the_environment() -> None:
    """Secrets of the command line replace those of the environment; the rest has defaults."""
    assert read_options([], {"RECEIVER_SECRET": "whsec_a,whsec_b"}).secrets == ("whsec_a", "whsec_b")
    settings = read_options(["--secret", "whsec_c", "--apply-delay", "5s"], {"RECEIVER_SECRET": "whsec_a"})
    assert (settings.secrets, settings.apply_delay, settings.tolerance) == (("whsec_c",), 5 * SECOND, 300)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "needs a webhook secret"),
        (["--secret", "  "], "needs a webhook secret"),
        (["--secret", "whsec_a", "--port", "70000"], "port 70000"),
        (["--secret", "whsec_a", "--port", "many"], "--port"),
        (["--secret", "whsec_a", "--path", "webhook"], "starts with /"),
        (["--secret", "whsec_a", "--tolerance", "-1"], "negative"),
        (["--secrets", "whsec_hidden"], "unknown option --secrets;"),
        (["--secrets=whsec_hidden"], "unknown option --secrets;"),
        (["whsec_hidden"], "left over"),
        (["--secret"], "expected one argument"),
    ],
)
def test_wrong_options_are_refused_in_one_sentence(arguments: list[str], complaint: str) -> None:
    """What is wrong is said, a secret beside it is not."""
    with pytest.raises(CannotStart, match=complaint) as refused:
        read_options(arguments, {})
    assert "whsec_hidden" not in str(refused.value)
