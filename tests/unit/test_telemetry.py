"""The log: closed catalogue, two spellings, levels."""

from __future__ import annotations

import json
import re
from io import StringIO

import pytest

from sender import telemetry
from sender.telemetry import Event, make_log

LINE = {
    "event_id": "evt_1",
    "event_type": "invoice.paid",
    "endpoint": "whe_1",
    "number": 1,
    "trigger": "scheduled",
    "outcome": "failed",
    "reason": "status",
    "status": 500,
    "duration_ms": 12,
    "url": "http://127.0.0.1:9/hook",
    "next_due_at": None,
}


def test_people_read_two_lines_an_attempt() -> None:
    """An attempt is written in the two-line form that other tools made known."""
    stream = StringIO()
    make_log("info", stream=stream).info(Event.ATTEMPT_RECORDED, **LINE)
    assert stream.getvalue() == ("--> invoice.paid [evt_1]\n<-- [500] POST http://127.0.0.1:9/hook [evt_1] (12 ms)\n")


def test_without_an_answer_the_reason_stands_in_its_place() -> None:
    """Where no status came, the line says why."""
    stream = StringIO()
    make_log("info", stream=stream).info(Event.ATTEMPT_RECORDED, **LINE | {"status": None, "reason": "refused"})
    assert "<-- [refused] POST" in stream.getvalue()


def test_hostile_values_are_written_as_text() -> None:
    """What others put into a value moves no cursor; a traceback keeps its lines."""
    stream = StringIO()
    log = make_log("info", stream=stream)
    log.info(Event.ATTEMPT_RECORDED, **LINE | {"url": "http://h/\x1b[2J"})
    log.warning(Event.TRAFFIC_REFUSED, why="first\nsecond \x1b]0;owned\x07\u202e")
    assert "http://h/\\x1b[2J" in stream.getvalue()
    assert stream.getvalue().endswith("why=first\nsecond \\x1b]0;owned\\x07\\u202e\n")


def test_machines_read_one_object_a_line() -> None:
    """As JSON a line is whole: the event, its level, what was bound and what was said."""
    stream = StringIO()
    log = make_log("info", as_json=True, stream=stream).bind(relay="ab12")
    log.info(Event.ATTEMPT_RECORDED, **LINE)
    log.warning(Event.STORE_FAILED, detail="disk full\nreally")
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert first == {"event": "attempt.recorded", "level": "info", "relay": "ab12", **LINE}
    assert second == {"event": "store.failed", "level": "warning", "relay": "ab12", "detail": "disk full\nreally"}


@pytest.mark.parametrize("as_json", [False, True])
def test_a_line_is_written_in_one_piece(*, as_json: bool) -> None:
    """Relays share one standard error: what one of them says is never torn by what another says meanwhile."""

    class Pieces(StringIO):
        def __init__(self) -> None:
            super().__init__()
            self.written: list[str] = []

        def write(self, text: str) -> int:
            self.written.append(text)
            return len(text)

    stream = Pieces()
    make_log("info", as_json=as_json, stream=stream).info(Event.ATTEMPT_RECORDED, **LINE)
    assert len(stream.written) == 1
    assert stream.written[0].endswith("\n")


@pytest.mark.parametrize(("level", "lines"), [("info", 2), ("warning", 1), ("WARNING", 1)])
def test_a_level_leaves_out_what_lies_below(level: str, lines: int) -> None:
    """At ``warning`` only what a person should look at is written."""
    stream = StringIO()
    log = make_log(level, stream=stream)
    log.info(Event.RELAY_STARTED, owner="a")
    log.warning(Event.LEASE_LOST, event_id="evt_1")
    assert len(stream.getvalue().splitlines()) == lines


def test_every_event_is_in_the_catalogue() -> None:
    """The table in the module and the enum name the same events, each in the past tense of something."""
    listed = re.findall(r"^\| ([a-z_]+\.[a-z_]+) \|", telemetry.__doc__ or "", flags=re.MULTILINE)
    assert listed == [event.value for event in Event]
