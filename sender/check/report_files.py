"""The report as a file: JUnit for continuous integration, JSON for programs, HTML for people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sender.check.outcome import Verdict
from sender.check.report_text import request_lines
from sender.durations import MILLISECOND
from sender.report.html import render, shown_text
from sender.report.junit import Case, junit_xml

if TYPE_CHECKING:
    from sender.check.events import Plan, Verdicts
    from sender.check.outcome import Exchange, Result


def junit_report(verdicts: Verdicts, plan: Plan, version: str) -> bytes:
    """Return a case for each check. A warning is output of a case that passed; a note is too."""
    properties = {"target": plan.target, "seed": str(plan.seed), "version": version}
    return junit_xml("paymos-sim check", [_case(one) for one in verdicts.results], properties)


def _case(result: Result) -> Case:
    failed, unchecked = result.verdict is Verdict.FAILED, result.verdict is Verdict.NOT_CHECKED
    story = _story(result)
    return Case(
        classname=f"check.{result.group}",
        name=result.id,
        seconds=result.seconds,
        failure=story if failed else None,
        skipped=f"not checked: {'; '.join(result.findings)}" if unchecked else None,
        output="" if failed or unchecked else story,
    )


def _story(result: Result) -> str:
    lines = [*result.findings]
    if result.cost:
        lines += [f"What it costs: {result.cost}", f"What to change: {result.mend}", ""]
        lines += [line for number, one in enumerate(result.exchanges, start=1) for line in request_lines(number, one)]
    return "\n".join(lines)


def json_report(verdicts: Verdicts, plan: Plan, version: str) -> bytes:
    """Return one object."""
    document = {
        "version": version,
        "target": plan.target,
        "seed": plan.seed,
        "seconds": round(verdicts.seconds, 3),
        "waits_ms": {
            "settle": plan.settle // MILLISECOND,
            "patience": plan.pace.patience // MILLISECOND,
            "timeout": plan.pace.timeout // MILLISECOND,
        },
        "blind": verdicts.blind,
        "exit_code": verdicts.exit_code,
        "counts": {verdict.value: verdicts.counts[verdict] for verdict in Verdict},
        "checks": [as_json(one) for one in verdicts.results],
    }
    return json.dumps(document, indent=2, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def as_json(result: Result) -> dict[str, Any]:
    """Return one result; requests only where they show something."""
    return {
        "id": result.id,
        "group": result.group,
        "title": result.title,
        "verdict": result.verdict.value,
        "findings": list(result.findings),
        "cost": result.cost,
        "mend": result.mend,
        "seconds": round(result.seconds, 3),
        "requests": [_exchange(one) for one in result.exchanges] if result.cost else [],
    }


def _exchange(one: Exchange) -> dict[str, Any]:
    return {
        "note": one.note,
        "method": one.method,
        "url": one.url,
        "headers": [list(pair) for pair in one.headers],
        "body": shown_text(one.body),
        "status": one.status,
        "answer": shown_text(one.answer),
        "elapsed_ms": round(one.elapsed / MILLISECOND, 1),
    }


def html_report(verdicts: Verdicts, plan: Plan, version: str) -> bytes:
    """Return one page that needs nothing else."""
    page = render(
        "sender.check",
        "check.html",
        verdicts=verdicts,
        plan=plan,
        version=version,
        counts={verdict.value: verdicts.counts[verdict] for verdict in Verdict},
        ms=MILLISECOND,
        shown=shown_text,
    )
    return page.encode("utf-8", "replace")
