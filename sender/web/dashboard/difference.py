"""What differs between two attempts of one event: lines of the request and of the answer, side by side."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Literal, NamedTuple

from sender.web.dashboard.moments import clock_text, elapsed
from sender.web.dashboard.shown import Piece, pieces, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sender.store.reads import AttemptView

MOST_LINES = 400
"""How many lines of an answer are compared; comparing costs the square of them."""
LONGEST_LINE = 1_000


class Line(NamedTuple):
    """One line: only in the first attempt, only in the second, or in both."""

    where: Literal["first", "second", "both"]
    pieces: tuple[Piece, ...]


def difference(first: AttemptView, second: AttemptView) -> list[Line]:
    """Return every line of both attempts, each once."""
    return [Line(where, pieces(text)) for where, text in _compared(_lines(first), _lines(second))]


def _compared(first: list[str], second: list[str]) -> Iterator[tuple[Literal["first", "second", "both"], str]]:
    for kind, start, end, begin, stop in difflib.SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (("both", line) for line in first[start:end])
            continue
        yield from (("first", line) for line in first[start:end])
        yield from (("second", line) for line in second[begin:stop])


def _lines(attempt: AttemptView) -> list[str]:
    return [line[:LONGEST_LINE] for line in _all_lines(attempt)][:MOST_LINES]


def _all_lines(attempt: AttemptView) -> Iterator[str]:
    yield f"{attempt.trigger} · {clock_text(attempt.started_at)} · {elapsed(attempt.duration)} ms"
    yield f"POST {attempt.url}"
    yield from (f"{name}: {value}" for name, value in attempt.request_headers)
    yield ""
    yield f"{attempt.outcome} {attempt.reason or ''} {attempt.status or ''}".rstrip()
    yield from (f"{name}: {value}" for name, value in attempt.answer_headers)
    yield ""
    shown = show(attempt.answer_body)
    body = "".join(one.text for one in shown.pretty or shown.raw) or shown.dump
    yield from body.split("\n")
