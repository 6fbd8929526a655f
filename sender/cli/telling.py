"""Events and attempts as lines of a terminal; whatever a receiver answered is made harmless."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sender.harmless import plain, plain_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST_BODY = 4_000
_SECONDS = 19


def attempt_lines(attempt: dict[str, Any], *, whole: bool) -> Iterator[str]:
    """Give the two lines of an attempt, and with ``whole`` what stood behind each of them."""
    name = f"{plain(attempt['event_type'])} [{attempt['event_id']}]"
    by_hand = ", by hand" if attempt["trigger"] == "manual" else ""
    yield f"{clock_time(attempt['started_at'])} --> {name} (attempt {attempt['number']}{by_hand})"
    if whole:
        yield from exchange_part(attempt["request_headers"], attempt["request_body"]["text"])
    answer = attempt["status"] if attempt["status"] is not None else attempt["reason"]
    yield (
        f"{clock_time(attempt['finished_at'])} <-- [{answer}] POST {plain(attempt['url'])} "
        f"[{attempt['event_id']}] ({attempt['duration']})"
    )
    if whole:
        if attempt["status"] is None or attempt["faults"]:
            yield f"    {plain(attempt['detail'])}"
        yield from exchange_part(attempt["answer_headers"], attempt["answer_body"]["text"])


def exchange_part(headers: Sequence[Sequence[str]], body: str) -> Iterator[str]:
    """Give headers and body, moved in; JSON is laid out, and a long body is cut."""
    for name, value in headers:
        yield f"    {plain(name)}: {plain(value)}"
    shown = _laid_out(body)
    if shown:
        yield ""
        for line in plain_lines(shown[:LONGEST_BODY]):
            yield f"    {line}"
        if len(shown) > LONGEST_BODY:
            yield f"    … {len(shown) - LONGEST_BODY} characters more"
    yield ""


def event_table(events: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Give events as a table: when, state, attempts, type, id, resource, and what came last or comes next."""
    rows = [("CREATED", "STATE", "ATTEMPTS", "EVENT", "ID", "RESOURCE", "LAST", "NEXT ATTEMPT")]
    for one in events:
        last, following = one["last_attempt"] or {}, one["next_attempt_at"]
        answer = last.get("status") or last.get("reason") or "-"
        state = "in flight" if one["in_flight"] else one["state"]
        rows.append((
            clock_time(one["created_at"]), state, str(one["attempts"]), plain(one["event_type"]), one["event_id"],
            one["resource_id"], str(answer), clock_time(following) if following else "-",
        ))  # fmt: skip
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def clock_time(instant: str) -> str:
    """Return an instant to the second, as people read it; it is virtual, and in UTC."""
    return instant[:_SECONDS].replace("T", " ")


def _laid_out(body: str) -> str:
    try:
        return json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return body
