"""What the HTML report draws: a lane for each event, its attempts and what went wrong as marks on a time axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.durations import MILLISECOND, format_instant
from sender.report.html import shown_text
from sender.scenario.events import AttemptFinished, EventSummed, ExchangeKept, RelayDied
from sender.scenario.report_axis import brief, place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.durations import Duration, Instant
    from sender.scenario.report_record import Record

WIDTH = 940
"""How many units of the drawing the axis is long."""

LABEL_ROOM = 44


@dataclass(frozen=True, slots=True)
class Mark:
    """One sign on the axis: ``kind`` is ``good``, ``bad`` or ``odd``; ``label`` stands below where there is room."""

    x: int
    kind: str
    title: str
    label: str


@dataclass(frozen=True, slots=True)
class Row:
    """One attempt: the facts of its line, and what went over the wire."""

    finished: AttemptFinished
    since: str
    lasted: str
    answer: str
    notes: str
    kept: ExchangeKept | None


@dataclass(frozen=True, slots=True)
class Lane:
    """One event at one endpoint."""

    event: EventSummed
    due: str
    marks: Sequence[Mark]
    rows: Sequence[Row]


def lanes(record: Record) -> list[Lane]:
    """Return the lanes of a run, in the order of its events."""
    attempts: dict[str, list[AttemptFinished]] = {}
    for one in record.of(AttemptFinished):
        attempts.setdefault(one.event_id, []).append(one)
    kept = {(one.event_id, one.number, one.started_at): one for one in record.of(ExchangeKept)}
    deaths = record.of(RelayDied)
    return [
        _lane(
            event, attempts.get(event.event_id, []), [one for one in deaths if one.event_type == event.event_type], kept
        )
        for event in record.of(EventSummed)
    ]


def _lane(
    event: EventSummed,
    attempts: Sequence[AttemptFinished],
    deaths: Sequence[RelayDied],
    kept: dict[tuple[str, int, Instant], ExchangeKept],
) -> Lane:
    origin = min((min(one.due_at, one.started_at) for one in attempts), default=event.virtual_time)
    rows = [_row(one, origin, kept.get((one.event_id, one.number, one.started_at))) for one in attempts]
    return Lane(event, format_instant(origin), _marks(attempts, deaths, origin), rows)


def _marks(attempts: Sequence[AttemptFinished], deaths: Sequence[RelayDied], origin: Instant) -> list[Mark]:
    found = [(one.started_at - origin, *_outcome(one)) for one in attempts]
    found += [(one.started_at - origin, "odd", fault) for one in attempts for fault in one.faults]
    found += [(max(one.virtual_time - origin, 0), "odd", _death(one)) for one in deaths]
    return _with_labels(sorted(found))


def _outcome(one: AttemptFinished) -> tuple[str, str]:
    return "good" if one.outcome == "delivered" else "bad", f"attempt {one.number}: {_answer(one)}"


def _death(one: RelayDied) -> str:
    return f"the relay died{f' at {one.point}' if one.point else ''}"


def _with_labels(found: list[tuple[Duration, str, str]]) -> list[Mark]:
    longest = max((at for at, *_ in found), default=0)
    marks, free = [], 0
    for at, kind, title in found:
        x = place(at, longest, WIDTH)
        label = brief(at) if x >= free else ""
        free = x + LABEL_ROOM if label else free
        marks.append(Mark(x, kind, f"{title}, +{brief(at)}", label))
    return marks


def _row(one: AttemptFinished, origin: Instant, kept: ExchangeKept | None) -> Row:
    notes = ["resent by hand"] if one.trigger == "manual" else []
    notes += [*one.faults, *([] if one.counted else ["its lease was lost"])]
    since = f"+{brief(one.started_at - origin)}"
    return Row(one, since, f"{one.duration / MILLISECOND:.0f} ms", _answer(one), ", ".join(notes), kept)


def _answer(one: AttemptFinished) -> str:
    return shown_text(str(one.status) if one.status is not None else str(one.reason))
