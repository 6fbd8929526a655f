"""Shipped files with something changed in them are valid, or refused with a place; never anything else."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sender import schedules
from sender.config import RelaySettings
from sender.durations import SECOND
from sender.errors import FileRefused, UsageError
from sender.ladderfile import load_ladder
from sender.scenario.language import VERBS, load_scenario
from tests.playing import stage
from tests.scenarios import check_placed
from tests.simulators import LADDER

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sender.scenario.language import Scenario

SCENARIOS = [path.read_bytes() for path in sorted(schedules.directory("scenarios").glob("*.yaml"))]
VOCABULARY = sorted({word for text in SCENARIOS for word in re.findall(rb"[\w.\"-]+", text.partition(b"steps:")[2])})
LADDERS = [path.read_bytes() for path in sorted(schedules.directory("ladders").glob("*.yaml"))]
WORDS = (
    *VERBS,
    *("as", "invoice", "event", "endpoint", "until", "idle", "on", "times", "at", "null", "~", "NO", "0510", "12:30"),
    *(
        "1_000",
        "1e3",
        "-5s",
        "600",
        "9" * 5_000,
        "16h",
        "relay.after_sent",
        "order",
        "default",
        "ok",
        "${env:HOME}",
        "''",
    ),
    *(
        "[]",
        "{}",
        "[a, [b]]",
        "{a: {b: c}}",
        "!!int 1",
        "&a",
        "*a",
        "<<",
        "---",
        "...",
        "%YAML",
        "|",
        ">",
        "? ",
        "- ",
        ": ",
    ),
    *("\t", "\x07", "\u2028", "\ufeff", "\U0001f600", "\r", '"\\0"', '"\\ud800"', "@", "`", "#", "'", '"'),
)

words = st.sampled_from(WORDS).map(str.encode)
files = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def changed(draw: st.DrawFn, originals: list[bytes]) -> bytes:
    """Return one of the files with one to four changes."""
    text = draw(st.sampled_from(originals))
    for change in draw(st.lists(st.sampled_from(CHANGES), min_size=1, max_size=4)):
        text = change(draw, text)
    return text


def _line(draw: st.DrawFn, text: bytes) -> tuple[list[bytes], int]:
    lines = text.splitlines(keepends=True) or [b""]
    return lines, draw(st.integers(0, len(lines) - 1))


def _drop_line(draw: st.DrawFn, text: bytes) -> bytes:
    lines, at = _line(draw, text)
    return b"".join([*lines[:at], *lines[at + 1 :]])


def _repeat_line(draw: st.DrawFn, text: bytes) -> bytes:
    lines, at = _line(draw, text)
    return b"".join([*lines[: at + 1], *lines[at:]])


def _indent_line(draw: st.DrawFn, text: bytes) -> bytes:
    lines, at = _line(draw, text)
    lines[at] = draw(st.sampled_from([b" ", b"  ", b"\t", b""])) + lines[at].lstrip(
        draw(st.sampled_from([b" ", b"- "]))
    )
    return b"".join(lines)


def _replace_word(draw: st.DrawFn, text: bytes) -> bytes:
    found = list(re.finditer(rb"[\w.$\"-]+", text))
    if not found:
        return draw(words)
    word = draw(st.sampled_from(found))
    return text[: word.start()] + draw(words) + text[word.end() :]


def _insert_word(draw: st.DrawFn, text: bytes) -> bytes:
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(words) + text[at:]


def _swap_words(draw: st.DrawFn, text: bytes) -> bytes:
    """Put a word of any story in the place of another."""
    found = list(re.finditer(rb"[\w.\"-]+", text[text.index(b"steps:") :] if b"steps:" in text else text))
    if not found:
        return text
    offset = text.index(b"steps:") if b"steps:" in text else 0
    word, other = draw(st.sampled_from(found)), draw(st.sampled_from(VOCABULARY))
    return text[: offset + word.start()] + other + text[offset + word.end() :]


def _change_bytes(draw: st.DrawFn, text: bytes) -> bytes:
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(st.binary(max_size=3)) + text[at + draw(st.integers(0, 3)) :]


def _cut(draw: st.DrawFn, text: bytes) -> bytes:
    return text[: draw(st.integers(0, len(text)))]


CHANGES: tuple[Callable[[st.DrawFn, bytes], bytes], ...] = (
    _drop_line,
    _repeat_line,
    _indent_line,
    _replace_word,
    _replace_word,
    _insert_word,
    _change_bytes,
    _cut,
)


def problems_of(read: Callable[[Path], object], path: Path) -> list[str]:
    """Return what is said about a file; nothing when it is valid."""
    try:
        read(path)
    except FileRefused as refused:
        return refused.problems
    return []


@settings(files, max_examples=400)
@given(text=changed(SCENARIOS))
@example(text=b"name: x\nsteps:\n- pay: {invoice: &a [*a]}\n")
@example(text=b"name: x\nsteps:\n- endpoint: {as: a, url: 'http://[x'}\n")
@example(text=b"name: x\nsteps:\n- endpoint: {as: a, url: 'http://h:99999/'}\n")
@example(text=b"name: x\nclock: scale:\xc2\xb2\nstart: 2026-13-01T00:00Z\nsteps: [restart: ]\n")
def test_a_changed_story_is_valid_or_refused_with_a_place(text: bytes, tmp_path: Path) -> None:
    """No change of a story brings up anything but a valid one or sentences with file, line and column."""
    path = tmp_path / "story.yaml"
    path.write_bytes(text)
    check_placed(problems_of(load_scenario, path), path)


PLAYABLE = (_drop_line, _repeat_line, _swap_words, _swap_words)


@st.composite
def shuffled(draw: st.DrawFn) -> bytes:
    """Return a story with changes that often leave one that can be played: other lines, and words of other stories."""
    text = draw(st.sampled_from(SCENARIOS))
    for change in draw(st.lists(st.sampled_from(PLAYABLE), min_size=1, max_size=3)):
        text = change(draw, text)
    return text


@settings(files, max_examples=60)
@given(text=shuffled())
def test_a_changed_story_that_is_valid_can_be_played(text: bytes, tmp_path: Path) -> None:
    """A changed story that is read is played to its verdict, or ends at a step with its place; and no law is broken."""
    path = tmp_path / "story.yaml"
    path.write_bytes(text)
    if problems_of(load_scenario, path):
        return
    ended = asyncio.run(_play(load_scenario(path), tmp_path))
    assert ended == "" or re.match(r"s\.yaml:[1-9][0-9]*: step [1-9][0-9]* \([a-z_]+\): ", ended)


async def _play(scenario: Scenario, directory: Path) -> str:
    """Play a story to its verdict and return nothing, or where it could not go on."""
    # A fault that hangs would else take its ten seconds eleven times.
    hasty = RelaySettings(ladder=LADDER, attempt_timeout=SECOND // 20)
    async with stage(directory, settings={"relay": hasty}) as here:
        try:
            played = await here.play_story(scenario)
        except UsageError as error:
            return str(error)
    assert played.broken == []
    return ""


@settings(files, max_examples=150)
@given(text=changed(LADDERS))
def test_a_changed_ladder_is_valid_or_refused_with_a_place(text: bytes, tmp_path: Path) -> None:
    """The same for a ladder; and one that is read has gaps and a timeout that can be waited for."""
    path = tmp_path / "ladder.yaml"
    path.write_bytes(text)
    problems = problems_of(load_ladder, path)
    check_placed(problems, path)
    if not problems:
        ladder = load_ladder(path)
        assert min(ladder.gaps, default=1) > 0
        assert ladder.timeout > 0


def test_a_story_that_ends_too_early_is_refused_with_a_place(tmp_path: Path) -> None:
    """Cut after any byte, a story is a shorter story or refused with a place; most of the cuts are refused."""
    path = tmp_path / "cut.yaml"
    text = SCENARIOS[0]
    refused = 0
    for end in range(len(text)):
        path.write_bytes(text[:end])
        problems = problems_of(load_scenario, path)
        check_placed(problems, path)
        refused += bool(problems)
    assert len(text) / 2 < refused < len(text)
