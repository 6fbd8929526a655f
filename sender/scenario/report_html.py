"""The HTML report: one file to look at, in which every attempt opens to what went over the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.durations import SECOND
from sender.report.html import render, shown_text
from sender.scenario.events import ApiCrashed, ExpectationFailed, LawBroken, RelayDied, StepStarted
from sender.scenario.report_axis import brief
from sender.scenario.report_lanes import WIDTH, lanes
from sender.scenario.report_text import api_death, death

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.scenario.events import RunEvent
    from sender.scenario.report_record import Record


def html_report(records: Sequence[Record], version: str) -> bytes:
    """Return the page."""
    stories = [_story(record) for record in records]
    page = render(
        "sender.scenario",
        "run.html",
        stories=stories,
        failed=sum(not record.passed for record in records),
        version=version,
        width=WIDTH,
        shown=shown_text,
    )
    return page.encode("utf-8", "replace")


def _story(record: Record) -> dict[str, object]:
    if record.trouble:
        return {"record": record}
    began, ended = record.started, record.finished
    return {
        "record": record,
        "started": began,
        "finished": ended,
        "lasted": f"{ended.elapsed / SECOND:.2f} s for {brief(ended.virtual_time - began.virtual_time)}",
        "course": [line for event in record.events if (line := _line(event, began.virtual_time))],
        "lanes": lanes(record),
        "checked": [(one, not isinstance(one, ExpectationFailed)) for one in record.checked],
        "laws": [(one, one if isinstance(one, LawBroken) else None) for one in record.laws],
    }


def _line(event: RunEvent, start: int) -> tuple[str, str, str, bool] | None:
    """Return one line of the course: when, the verb, what it did, and whether it is something that went wrong."""
    since = f"+{brief(event.virtual_time - start)}"
    if isinstance(event, StepStarted):
        return since, event.verb, event.text, False
    if isinstance(event, RelayDied):
        return since, "!", death(event), True
    if isinstance(event, ApiCrashed):
        return since, "!", api_death(event), True
    return None
