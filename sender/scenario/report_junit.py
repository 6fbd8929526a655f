"""The JUnit report: a case for each story, with a failure text that needs nothing else to be understood."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from sender.durations import SECOND
from sender.report.junit import Case, junit_xml
from sender.scenario.events import ExpectationFailed, LawBroken
from sender.scenario.report_ink import Ink
from sender.scenario.report_text import TextReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.scenario.report_record import Record


def junit_report(records: Sequence[Record], version: str) -> bytes:
    """Return the document."""
    return junit_xml("paymos-sim run", [_case(record) for record in records], {"version": version})


def _case(record: Record) -> Case:
    text = _as_text(record)
    if record.trouble:
        said = "\n".join((f"could not run: {record.trouble}", "", f"again: {record.command}", "", text))
        return Case("scenarios", record.story, 0, error=said)
    return Case(
        classname="scenarios",
        name=record.story,
        seconds=record.finished.elapsed / SECOND,
        failure=None if record.passed else "\n".join((*_sentences(record), "", f"again: {record.command}", "", text)),
        output=text if record.passed else "",
    )


def _sentences(record: Record) -> list[str]:
    failed = [
        f"{record.file}:{one.line}: step {one.step}: {one.subject}: {one.field} is {one.found}, not {one.wanted}"
        for one in record.of(ExpectationFailed)
    ]
    broken = [f"law broken: {one.says}; {one.subject}: {one.detail}" for one in record.of(LawBroken)]
    return failed + broken


def _as_text(record: Record) -> str:
    lines = StringIO()
    report = TextReport(lines.write, Ink())
    for event in record.events:
        report(event)
    return lines.getvalue()
