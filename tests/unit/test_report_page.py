"""The page and the other files of a run, made from events: what they draw, and what they do with hostile text."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import Any

from sender.durations import MINUTE, SECOND
from sender.scenario.events import ExchangeKept, ExpectationFailed, LawHeld, StepStarted
from sender.scenario.report_file import WALL_CLOCK_FIELDS, json_report
from sender.scenario.report_html import html_report
from sender.scenario.report_junit import junit_report
from sender.scenario.report_lanes import WIDTH, lanes
from sender.scenario.report_record import Record
from tests.told import START, attempt, died, finished, started, summed

HOSTILE = "<img src=x onerror=alert(1)>\0\u202e\ud800"
COMMAND = "paymos-sim run mine.yaml --seed 1"


def record(*events: Any, verdict: str = "passed", trouble: str = "") -> Record:
    """Return a run in which these things happened."""
    about = {"story": "mine", "name": "a story", "seed": 1, "about": "What to do.", "file": "mine.yaml"}
    return Record(COMMAND, **about, trouble=trouble, events=[started(), *events, finished(verdict)])  # type: ignore[arg-type]


def exchange(number: int = 1, at: int = 0) -> ExchangeKept:
    """Return what went over the wire in an attempt, with an answer by somebody who means no good."""
    return ExchangeKept(
        virtual_time=START,
        event_id="evt_1",
        number=number,
        started_at=START + at,
        url="http://127.0.0.1:9/webhook",
        request_headers=(("X-Webhook-Id", "evt_1"),),
        request_body='{"a": 1}',
        answer_headers=(("Server", HOSTILE),),
        answer_body=HOSTILE,
        answer_cut=True,
    )


def test_lane_shows_attempts_deaths_and_faults() -> None:
    """Attempts stand where they were made, coloured by outcome; what went wrong on the way has a mark of its own."""
    told = record(
        attempt(1, faults=("lose_response",), status=None, reason="timeout"),
        attempt(2, MINUTE, outcome="delivered", status=200),
        died(at=MINUTE),
        summed(),
    )
    (lane,) = lanes(told)
    assert [(mark.kind, mark.title) for mark in lane.marks] == [
        ("bad", "attempt 1: timeout, +0s"),
        ("odd", "lose_response, +0s"),
        ("good", "attempt 2: 200, +1m"),
        ("odd", "the relay died at relay.after_send, +1m"),
    ]
    assert [mark.x for mark in lane.marks] == [0, 0, WIDTH - 1, WIDTH - 1]
    assert [mark.label for mark in lane.marks] == ["0s", "", "1m", ""]
    assert [(row.since, row.answer, row.notes) for row in lane.rows] == [
        ("+0s", "timeout", "lose_response"),
        ("+1m", "200", ""),
    ]


def test_attempt_opens_to_what_went_over_the_wire() -> None:
    """Request and answer of each attempt are on the page, as text whatever they hold."""
    page = html_report([record(attempt(), exchange(), summed())], "1").decode()
    assert "X-Webhook-Id: evt_1" in page
    assert "{&#34;a&#34;: 1}" in page
    assert page.count("&lt;img src=x onerror=alert(1)&gt;\ufffd\ufffd\ufffd") == 2
    assert not re.search("<img|\u202e|\0", page)
    assert "Answer, cut" in page


def test_page_tells_course_expectations_and_laws() -> None:
    """The page says what was done and when, what was expected and found, and which laws hold."""
    told = record(
        StepStarted(virtual_time=START + SECOND, number=1, verb="pay", line=3, text="order"),
        ExpectationFailed(
            virtual_time=START, step=2, line=4, subject="order", field="state", wanted="failed", found=HOSTILE
        ),
        LawHeld(virtual_time=START, law="l", says="nothing is lost"),
        verdict="failed",
    )
    page = " ".join(html_report([told], "1").decode().split())
    assert '<td class="mono">+1s</td><td class="mono">pay</td><td>order</td>' in page
    assert "<td>order: state</td><td>failed</td><td>&lt;img" in page
    assert '<td class="good">holds</td><td>nothing is lost</td>' in page
    assert COMMAND in page
    assert "1 of 1 stories failed" in page


def test_story_that_did_not_start_is_in_each_report() -> None:
    """Even one of which nothing was told has its place, with why, and how to try it again."""
    told = Record(COMMAND, story="mine", name="a story", seed=1, file="mine.yaml", trouble="nobody listens")
    page = html_report([told], "1").decode()
    assert "NOT RUN" in page
    assert "nobody listens" in page
    (story,) = json.loads(json_report([told], "1"))["stories"]
    assert (story["verdict"], story["trouble"], story["events"]) == ("not run", "nobody listens", [])
    suite = ET.fromstring(junit_report([told], "1"))[0]
    assert (suite.get("errors"), suite.get("failures")) == ("1", "0")
    assert suite.find("testcase/error").get("message") == "could not run: nobody listens"  # type: ignore[union-attr]


def test_json_lists_what_may_differ() -> None:
    """Two runs that differ only in the fields that the report lists are the same without them."""

    def document(**changes: Any) -> Any:
        told = [record(attempt(**changes), exchange(), summed())]
        return json.loads(json_report(told, "1"), object_hook=without)

    def without(found: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in found.items() if name not in WALL_CLOCK_FIELDS}

    assert document(duration=1) == document(duration=2, detail="another")
    assert document(status=500) != document(status=501)
