"""Parts of the pages: hostile bytes, times, the axis, notices, places to go back to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sender.durations import DAY, HOUR, MILLISECOND, MINUTE, SECOND
from sender.store.reads import AttemptView
from sender.web.dashboard.axis import WIDTH, axis
from sender.web.dashboard.difference import difference
from sender.web.dashboard.moments import clock_text, elapsed, from_now, span_text
from sender.web.dashboard.notices import MOST, Notice, Notices
from sender.web.dashboard.shown import MOST as MOST_SHOWN
from sender.web.dashboard.shown import MOST_HEX, Piece, pieces, show
from sender.web.dashboard.signing import explain
from sender.web.dashboard.visit import own_path

START = 1_767_225_600 * SECOND


def attempt(number: int, after: int, **changes: object) -> AttemptView:
    """Make an attempt that failed with a 503."""
    at = START + after
    values: dict[str, object] = {
        "seq": number, "outbox_seq": 1, "event_id": "evt_1", "event_type": "invoice.paid", "resource_id": "inv_1",
        "endpoint_id": "whe_1", "number": number, "trigger": "scheduled", "counted": True, "due_at": at,
        "started_at": at, "finished_at": at, "duration": MILLISECOND, "outcome": "failed", "reason": "status",
        "status": 503, "detail": "", "url": "http://x/", "request_headers": (), "answer_headers": (),
        "answer_body": b"", "answer_cut": False, "faults": (),
    }  # fmt: skip
    return AttemptView(**{**values, **changes})  # type: ignore[arg-type]


@given(st.binary(max_size=400) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_whatever_is_shown_shows(data: bytes) -> None:
    """No character of a page prints nothing or turns the direction of another."""
    shown = show(data)
    text = shown.dump + "".join(one.text for one in (*shown.raw, *shown.pretty))
    assert all(one.isprintable() or one in "\n\t" for one in text)


def test_text_comes_in_pieces() -> None:
    """What does not show stands there by its name, set apart."""
    assert pieces("a\0b\u202ec\r\n") == (
        Piece("a", odd=False), Piece("␀", odd=True), Piece("b", odd=False), Piece("U+202E", odd=True),
        Piece("c", odd=False), Piece("␍", odd=True), Piece("\n", odd=False),
    )  # fmt: skip


def test_json_is_laid_out() -> None:
    """Beside the text as it came; what only begins like JSON, or is nested without end, is left as it is."""
    assert show(b'{"a":[1]}').pretty == (Piece('{\n  "a": [\n    1\n  ]\n}', odd=False),)
    assert (show(b"{nothing").pretty, show(b"[" * 100_000).pretty, show(b"plain").pretty) == ((), (), ())


def test_what_is_shown_is_bounded() -> None:
    """A page holds the beginning and says that there is more."""
    text, binary = show(b"x" * (MOST_SHOWN + 1)), show(b"\xff" * (MOST_HEX + 1))
    assert (text.cut, len(text.raw[0].text), binary.cut) == (True, MOST_SHOWN, True)
    assert binary.dump.count("\n") == MOST_HEX // 16 - 1


@pytest.mark.parametrize(
    ("span", "english", "russian"),
    [
        (0, "0 s", "0 \u0441"),
        (5 * MILLISECOND, "5 ms", "5 мс"),
        (SECOND, "1 s", "1 \u0441"),
        (90 * MINUTE, "1 h 30 min", "1 ч 30 мин"),
        (16 * HOUR + 3 * MINUTE + SECOND, "16 h 3 min", "16 ч 3 мин"),
        (HOUR + SECOND, "1 h", "1 ч"),
        (DAY, "1 d", "1 д"),
    ],
)
def test_durations_have_their_two_largest_units(span: int, english: str, russian: str) -> None:
    """In both languages; what lies between two units is not skipped over."""
    assert (span_text(span, "en").replace("\xa0", " "), span_text(span, "ru").replace("\xa0", " ")) == (
        english,
        russian,
    )


def test_instants_are_told_from_now() -> None:
    """Ahead, behind, and now."""
    told = [from_now(START + away, START, "en").replace("\xa0", " ") for away in (MINUTE, -HOUR, 0)]
    assert told == ["in 1 min", "1 h ago", "now"]
    told = [from_now(START + away, START, "ru").replace("\xa0", " ") for away in (MINUTE, -HOUR, 0)]
    assert told == ["через 1 мин", "1 ч назад", "сейчас"]
    assert (clock_text(START + 5), elapsed(12_345), elapsed(10_000_000)) == ("2026-01-01 00:00:00", "12.3", "10\xa0000")


def test_the_axis_keeps_order_and_stays_in_its_frame() -> None:
    """From the first minute to the sixteenth hour, with the next attempt behind all others."""
    rungs = [0, MINUTE, 3 * MINUTE, 7 * MINUTE, HOUR, 8 * HOUR]
    drawn = axis([attempt(number, at) for number, at in enumerate(rungs, 1)], START + 16 * HOUR, START + 9 * HOUR)
    places = [mark.x for mark in drawn.marks]
    assert places == sorted(set(places))
    assert drawn.due is not None
    assert drawn.now is not None
    assert 0 < places[0] < places[-1] < drawn.now < drawn.due < WIDTH
    assert all(right[0] - left[0] >= 60 for left, right in zip(drawn.ticks, drawn.ticks[1:], strict=False))


def test_an_axis_of_nothing_is_drawn_too() -> None:
    """Before the first attempt, and with one that was made at once."""
    assert axis([], None, START).marks == ()
    assert axis([attempt(1, 0)], None, START + DAY).now is None


def test_differences_are_marked() -> None:
    """Lines of both, and each that only one of them has."""
    lines = difference(attempt(1, 0, answer_body=b"a\nb"), attempt(2, 0, answer_body=b"a\nc"))
    marked = [(line.where, "".join(one.text for one in line.pieces)) for line in lines]
    assert marked[-3:] == [("both", "a"), ("first", "b"), ("second", "c")]


def test_a_signature_without_a_timestamp_explains_nothing() -> None:
    """Nor do numbers that are none."""
    for header in ("", "v1=abc", "t=,v1=abc", "t=1e5,v1=abc", "t=" + "9" * 20):
        assert explain(header, b"{}", None).timestamp is None
    assert not explain("t=5,v1=abc", b"{}", None).fits


def test_a_notice_is_told_once() -> None:
    """And the oldest make room."""
    notices = Notices()
    names = [notices.put(Notice("done", str(number), {})) for number in range(MOST + 1)]
    assert notices.take(names[0]) is None
    assert (notices.take(names[-1]), notices.take(names[-1])) == (Notice("done", str(MOST), {}), None)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/clock", "/clock"), ("/?state=failed&note=x", "/?state=failed"), ("/events/evt_1?note=x", "/events/evt_1"),
        ("", ""), ("//evil/", ""), ("https://evil/", ""), ("/\\evil", ""), ("/a\nb", ""), ("clock", ""),
    ],
)  # fmt: skip
def test_the_way_back_stays_here(text: str, path: str) -> None:
    """A path of this server, without what belonged to one visit."""
    assert own_path(text) == path
