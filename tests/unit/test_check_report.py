"""Reports of checks: what a reader sees, and what hostile text becomes."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

from sender.check.events import Plan, Verdicts
from sender.check.outcome import Exchange, Result, Verdict
from sender.check.pace import Pace, Rhythm
from sender.check.report_files import html_report, json_report, junit_report
from sender.check.report_text import TextReport
from sender.durations import MILLISECOND
from sender.scenario.report_ink import Ink

HOSTILE = "<script>alert(1)</script>\x1b[31m\x00\u202e"
PLAN = Plan("http://127.0.0.1/webhook", 7, 4, Pace(), Rhythm(3 * MILLISECOND, 40 * MILLISECOND), 129 * MILLISECOND)
SIGNED = (("Content-Type", "application/json"), ("X-Webhook-Signature", "t=1,v1=ab"))
EXCHANGE = Exchange("invoice.paid", "POST", PLAN.target + HOSTILE, SIGNED, b'{"a":1}', 500, HOSTILE, 12 * MILLISECOND)
RESULTS = (
    Result("first-delivery", "idempotency", "A payment fulfils", Verdict.PASSED, seconds=0.25),
    Result(
        "burst", "speed", "Many at once", Verdict.WARNED, ("8 refused.",), "They come later.", "Take more.", (EXCHANGE,)
    ),
    Result("answer-time", "speed", "In time", Verdict.FAILED, ("It\nfailed.",), "Money.", "Mend it.", (EXCHANGE,) * 8),
    Result("re-read", "manners", "Is it read?", Verdict.NOTED, ("It was read.",)),
    Result("restart-forgets", "loss", "It is known", Verdict.NOT_CHECKED, ("needs a probe (--probe)",)),
    Result("killed-after-2xx", "loss", "It is kept", Verdict.NOT_CHECKED, (f"it said {HOSTILE}",)),
)
VERDICTS = Verdicts(RESULTS, 1.25)


def text(results: tuple[Result, ...] = RESULTS, blind: str | None = None, *, live: bool = False) -> str:
    """Return the text of a run."""
    written: list[str] = []
    report = TextReport(written.append, Ink(), live=live)
    report.planned(PLAN)
    for result in results:
        report.finished(result)
    report.ended(Verdicts(results, 1.25, blind))
    return "".join(written)


def test_text_tells_the_whole_story() -> None:
    """A failure has what happened, what it costs, what to change and the requests; a check that is well has a line."""
    shown = text()
    assert "ok    first-delivery" in shown
    assert "What happened: It failed." in shown
    assert "What it costs: Money." in shown
    assert "What to change: Mend it." in shown
    assert "  1. invoice.paid: answered 500 after 12ms" in shown
    assert "X-Webhook-Signature: t=1,v1=ab" in shown
    assert "and 2 more" in shown
    assert "not checked: needs a probe (--probe)" in shown
    assert "1 failed, 1 with warnings, 1 passed, 1 noted, 2 not checked; 1.2 s" in shown


def test_shortened_waits_are_stated() -> None:
    """The report says how long it waited, and that the provider waits longer."""
    shown = text()
    assert "so 129ms without a change count as none" in shown
    assert "an order that is to be fulfilled gets 5s, an answer 10s" in shown


def test_hostile_answers_are_harmless() -> None:
    """What a receiver answers can neither colour a terminal nor run in a page, in any format."""
    assert not {"\x1b", "\x00", "\u202e"} & set(text())
    page = html_report(VERDICTS, PLAN, "0").decode()
    assert "<script>alert" not in page
    assert not {"\x1b", "\x00", "\u202e"} & set(page)


def test_a_blind_probe_is_told_at_the_end() -> None:
    """A run in which the probe saw nothing is not good, though nothing failed."""
    good = RESULTS[:1]
    assert "The probe cannot be relied on: it sees nothing." in text(good, "it sees nothing")
    assert (Verdicts(good, 0).exit_code, Verdicts(good, 0, "it sees nothing").exit_code) == (0, 2)


def test_exit_codes() -> None:
    """A failure is 1, warnings and notes are none, and a run in which nothing could be checked says nothing."""
    codes = {result.verdict: Verdicts((result,), 0).exit_code for result in RESULTS}
    assert codes == {
        Verdict.PASSED: 0,
        Verdict.WARNED: 0,
        Verdict.FAILED: 1,
        Verdict.NOTED: 0,
        Verdict.NOT_CHECKED: 2,
    }


def test_junit() -> None:
    """Each check is a case: failed with its story, skipped where it was not checked, warnings as output."""
    suite = ET.fromstring(junit_report(VERDICTS, PLAN, "0"))[0]
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    failure, skipped = cases["answer-time"].find("failure"), cases["restart-forgets"].find("skipped")
    assert failure is not None
    assert "What to change: Mend it." in (failure.text or "")
    assert skipped is not None
    assert skipped.get("message") == "not checked: needs a probe (--probe)"
    assert "8 refused." in (cases["burst"].findtext("system-out") or "")
    assert cases["first-delivery"].get("classname") == "check.idempotency"
    assert suite.get("failures") == "1"


def test_json() -> None:
    """Programs get the same, with every request where something is wrong."""
    document = json.loads(json_report(VERDICTS, PLAN, "0"))
    assert document["counts"] == {"passed": 1, "warned": 1, "failed": 1, "not_checked": 2, "noted": 1}
    assert document["exit_code"] == 1
    assert [len(check["requests"]) for check in document["checks"]] == [0, 1, 8, 0, 0, 0]


def test_progress_on_a_terminal() -> None:
    """On a terminal the check that runs is shown, and its result takes the place."""
    written: list[str] = []
    report = TextReport(written.append, Ink(), live=True)
    report.planned(PLAN)
    from sender.check.checks import CHECKS  # noqa: PLC0415 - here alone

    report.started(CHECKS[0], 1)
    report.finished(RESULTS[0])
    assert "".join(written).count("\r\x1b[K") == 2
    assert "1 of 4: first-delivery" in "".join(written)
