"""The block of one event: where its delivery stands, its attempts on a time line, and each of them in a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.durations import MILLISECOND, format_instant
from sender.scenario.report_axis import Mark, axis, brief

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sender.durations import Instant
    from sender.scenario.events import AttemptFinished, EventSummed, RelayDied
    from sender.scenario.report_ink import Ink

DELIVERED, FAILED, DIED = "o", "x", "!"
"""The signs of the time line."""

MOST_ROWS = 40
"""Attempts that are listed; of more, the first ones."""


def block(
    event: EventSummed, attempts: Sequence[AttemptFinished], deaths: Sequence[RelayDied], ink: Ink, width: int
) -> Iterator[str]:
    """Return the lines about one event. One that was delivered at once, without any trouble, is a line."""
    yield f"{ink.bold(f'{event.event_type} of {event.resource}')} to {event.endpoint}  {_standing(event, ink)}"
    uneventful = len(attempts) == 1 and attempts[0].outcome == "delivered" and not attempts[0].faults
    if not attempts or (uneventful and not deaths and event.received in {None, 1}):
        return
    origin = min(attempts[0].due_at, attempts[0].started_at)
    yield ink.dim(f"  {event.event_id}, due {format_instant(origin)}")
    yield from _time_line(attempts, deaths, origin, width)
    yield from _rows(attempts, deaths, origin, ink)
    more = (event.received or 0) - len(attempts)
    if more > 0:
        why = "the fault sent them" if "duplicate" in _faults(attempts) else "sent, and never written down"
        yield ink.yellow(f"  {_count(more, 'request')} more than attempts on record: {why}")


def _standing(event: EventSummed, ink: Ink) -> str:
    colour = {"delivered": ink.green, "failed": ink.red}.get(event.state, ink.yellow)
    parts = [colour(event.state), _count(event.attempts, "attempt")]
    if event.received is not None:
        parts += [f"received {event.received}", f"applied {event.applied}"]
    if event.state == "pending" and event.next_due_at is not None:
        parts.append(f"next at {format_instant(event.next_due_at)}")
    return ", ".join(parts)


def _time_line(
    attempts: Sequence[AttemptFinished], deaths: Sequence[RelayDied], origin: Instant, width: int
) -> Iterator[str]:
    marks = [Mark(one.started_at - origin, DELIVERED if one.outcome == "delivered" else FAILED) for one in attempts]
    if max(mark.at for mark in marks) == 0:
        return
    marks += [Mark(max(one.virtual_time - origin, 0), DIED) for one in deaths]
    line, labels = axis(marks, width)
    yield f"  {line}"
    yield f"  {labels}"


def _rows(attempts: Sequence[AttemptFinished], deaths: Sequence[RelayDied], origin: Instant, ink: Ink) -> Iterator[str]:
    rows = [(one.started_at, 1, _attempt(one, origin, ink)) for one in attempts[:MOST_ROWS]]
    rows += [(one.virtual_time, 0, _death(one, origin, ink)) for one in deaths]
    yield from (text for *_, text in sorted(rows, key=lambda row: row[:2]))
    if len(attempts) > MOST_ROWS:
        yield f"  and {len(attempts) - MOST_ROWS} attempts more"


def _attempt(one: AttemptFinished, origin: Instant, ink: Ink) -> str:
    good = one.outcome == "delivered"
    answer = f"{one.status}" if one.status is not None else f"{one.reason}"
    notes = ["resent by hand"] if one.trigger == "manual" else []
    notes += list(one.faults)
    notes += [] if one.counted else ["its lease was lost"]
    sign = ink.green(DELIVERED) if good else ink.red(FAILED)
    since = f"+{brief(one.started_at - origin)}"
    lasted = f"{one.duration / MILLISECOND:.0f} ms"
    return f"  {one.number:>4}  {since:>10}  {sign} {answer:9} {lasted}  {', '.join(notes)}".rstrip()


def _death(one: RelayDied, origin: Instant, ink: Ink) -> str:
    since = f"+{brief(max(one.virtual_time - origin, 0))}"
    return f"        {since:>10}  {ink.yellow(f'{DIED} the relay died at {one.point}')}"


def _faults(attempts: Sequence[AttemptFinished]) -> set[str]:
    return {fault for one in attempts for fault in one.faults}


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
