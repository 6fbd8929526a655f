"""The reports of a run: the time line, the block of an event, the text, and the stream of objects."""

from __future__ import annotations

import json
from dataclasses import replace

from sender.durations import HOUR, MINUTE, SECOND
from sender.scenario.events import ExpectationFailed, LawBroken, StepStarted
from sender.scenario.report_axis import Mark, axis
from sender.scenario.report_block import MOST_ROWS, block
from sender.scenario.report_ink import Ink
from sender.scenario.report_json import JsonReport
from sender.scenario.report_text import TextReport
from tests.told import START, attempt, died, finished, started, summed

PLAIN = Ink(colour=False)


def test_axis_shows_seconds_and_hours() -> None:
    """The first mark stands at the left end, the last at the right end, and each has its label where there is room."""
    line, labels = axis([Mark(0, "x"), Mark(MINUTE, "x"), Mark(16 * HOUR, "o")], 40)
    assert (line[0], line[-1], len(line)) == ("x", "o", 40)
    assert line.count("x") == 2
    assert labels.split() == ["0", "1m", "16h"]
    assert labels.index("1m") == line.index("x", 1)


def test_axis_drops_labels_that_have_no_room() -> None:
    """Labels never run into each other."""
    _, labels = axis([Mark(number * SECOND, "x") for number in range(60)], 30)
    assert len(labels.split()) < 15
    assert labels.split()[0] == "0"


def test_uneventful_event_is_one_line() -> None:
    """What was delivered at its first attempt is told in one line."""
    lines = list(block(summed(), [attempt(outcome="delivered", status=200)], [], PLAIN, 40))
    assert lines == ["invoice.paid of order to default  delivered, 1 attempt, received 1, applied 1"]


def test_block_of_a_crash() -> None:
    """A death stands between the attempts, and a request that nobody wrote down is counted."""
    delivered = attempt(outcome="delivered", status=200, reason=None)
    lines = list(block(summed(received=2), [delivered], [died()], PLAIN, 40))
    assert "! the relay died at relay.after_send" in lines[2]
    assert "o 200" in lines[3]
    assert lines[4] == "  1 request more than attempts on record: sent, and never written down"


def test_block_of_an_attempt_with_a_history() -> None:
    """A resend, a wire fault and a lost lease are said behind the attempt."""
    odd = attempt(trigger="manual", faults=("lose_response",), counted=False, status=None, reason="timeout")
    (row,) = [line for line in block(summed(attempts=2), [odd], [], PLAIN, 40) if " x " in line]
    assert row.split("  ")[-1] == "resent by hand, lose_response, its lease was lost"
    assert "x timeout" in row


def test_long_list_is_cut() -> None:
    """Of very many attempts the first are listed and the others counted."""
    many = [attempt(number, number * SECOND) for number in range(1, MOST_ROWS + 4)]
    lines = list(block(summed(state="failed"), many, [], PLAIN, 40))
    assert lines[-1] == "  and 3 attempts more"


def test_what_a_receiver_answers_is_not_printed() -> None:
    """No text of a receiver reaches the terminal: it may hold anything."""
    printed = "\n".join(block(summed(state="failed"), [attempt(), attempt(2, MINUTE)], [died()], PLAIN, 40))
    assert "hostile" not in printed
    assert printed.isascii()
    assert "\x1b" not in printed


def test_what_a_story_says_is_printed_as_text() -> None:
    """Names, subjects and values of a story that somebody else wrote move no cursor and colour nothing."""
    lines: list[str] = []
    report = TextReport(lines.append, PLAIN)
    hostile = "\x1b]0;owned\x07\x1b[2J\u202e"
    said = {"subject": hostile, "field": hostile, "found": hostile, "wanted": hostile}
    report(replace(started(), name=hostile, story=hostile, ladder=hostile))
    report(StepStarted(virtual_time=START, number=1, verb="pay", text=hostile, line=3))
    report(ExpectationFailed(virtual_time=START, step=1, line=3, **said))
    report(LawBroken(virtual_time=START, law="x", says=hostile, subject=hostile, detail=hostile))
    report(summed(resource=hostile, endpoint=hostile))
    report(replace(finished("failed"), story=hostile))
    written = "".join(lines)
    assert {char for char in written if not char.isprintable()} == {"\n"}
    assert written.count("\\x1b]0;owned\\x07\\x1b[2J\\u202e") >= 12


def test_colour_says_nothing_new() -> None:
    """With colour the words are the same."""
    plain = list(block(summed(received=2), [attempt()], [died()], PLAIN, 40))
    coloured = list(block(summed(received=2), [attempt()], [died()], Ink(colour=True), 40))
    assert plain != coloured
    for code in ("0", "1", "2", "31", "32", "33"):
        coloured = [line.replace(f"\x1b[{code}m", "") for line in coloured]
    assert plain == coloured


def test_text_of_a_failed_run() -> None:
    """What failed stands once more at the end, with the place in the file, and the verdict is in the last line."""
    lines: list[str] = []
    report = TextReport(lines.append, PLAIN)
    report(started())
    report(
        ExpectationFailed(
            virtual_time=START,
            step=4,
            line=12,
            subject="invoice.paid of order",
            field="received",
            wanted="2",
            found="1",
        )
    )
    report(LawBroken(virtual_time=START, law="l", says="nothing is lost", subject="evt_1", detail="it is"))
    report(finished("failed"))
    printed = "".join(lines)
    assert "law broken: nothing is lost; evt_1: it is\n" in printed
    assert "line 12, step 4: invoice.paid of order: received is 1, not 2\n" in printed
    assert printed.endswith("FAILED  mine: 0 of 1 expectations and 8 of 9 laws hold; 1.50 s for 1h30m\n\n")


def test_second_story_starts_afresh() -> None:
    """One report tells several stories; what failed in the first is not told of the second."""
    lines: list[str] = []
    report = TextReport(lines.append, PLAIN)
    report(started())
    report(LawBroken(virtual_time=START, law="l", says="nothing is lost", subject="evt_1", detail="it is"))
    report(started())
    report(finished("passed"))
    assert "law broken" not in "".join(lines)


def test_stream_has_one_object_a_line() -> None:
    """Instants are Unix seconds, whole where they are whole; durations are milliseconds and say so."""
    lines: list[str] = []
    report = JsonReport(lines.append)
    report(attempt(at=SECOND // 2))
    report(finished("passed"))
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in lines)
    first, second = map(json.loads, lines)
    assert (first["kind"], first["due_at"], first["duration_ms"]) == ("attempt.finished", 1_772_442_000.5, 2.6)
    assert (second["virtual_time"], second["elapsed_ms"]) == (1_772_447_400, 1_500)
