"""Files that mean harm: read, or refused with a place, in moments, with little memory and without a traceback."""

from __future__ import annotations

import tracemalloc
from time import process_time
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sender.errors import FileRefused
from sender.ladderfile import load_ladder
from sender.scenario.language import load_scenario
from sender.traffic.flowfile import load_flow
from tests.fuzz import BOMBS, MEBIBYTE, fuzzing, values, words, written
from tests.scenarios import check_placed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

READERS: dict[str, Callable[[Path], object]] = {
    "story": load_scenario,
    "ladder": load_ladder,
    "traffic": load_flow,
}
LONGEST = 4.0
"""Seconds of the processor, ten times what the worst of them takes; without bounds it is minutes."""
MOST_MEMORY = 32 * MEBIBYTE

fields = st.lists(st.tuples(words, values), min_size=1, max_size=6)
skeletons = st.sampled_from(
    [
        "{{name: x, steps: [{{create_invoice: {{as: order, amount: 1, currency: USD}}}}, {value}]}}",
        "{{name: x, steps: [{{create_invoice: {value}}}, {{expect: {value}}}]}}",
        "{{name: x, endpoints: {value}, steps: [{{wire: {value}}}, {{receiver: {value}}}]}}",
        "{{name: x, clock: {value}, start: {value}, ladder: {value}, steps: [{{advance: {value}}}]}}",
        "{{timeout: {value}, gaps: [{value}, 1m]}}",
        "{{name: x, every: {value}, what: [{{create_invoice: {value}, weight: {value}}}]}}",
        "{{name: x, cron: {value}, times: {value}, what: {value}}}",
        "{value}",
    ]
)
texts = st.builds(lambda skeleton, one: skeleton.format(value=written(one)).encode(), skeletons, values | fields)
"""Whole files with the hostile value in every place where something may stand."""


def read_all(path: Path) -> int:
    """Read a file as everything that it could be; return how often it was refused, each time with a place."""
    refused = 0
    for read in READERS.values():
        try:
            read(path)
        except FileRefused as error:
            check_placed(error.problems, path)
            refused += 1
    return refused


@fuzzing(100)
@given(raw=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
@example(raw=b"\xff\xfea\0:\0")
@example(raw=b"a: \xed\xa0\x80\n")
@example(raw=b"\xef\xbb\xbfname: x\n")
def test_any_bytes_are_read_or_refused_with_a_place(raw: bytes, tmp_path: Path) -> None:
    """Bytes that are no text, no YAML and no story are refused by every reader, in a line with line and column."""
    path = tmp_path / "any.yaml"
    path.write_bytes(raw)
    read_all(path)


@fuzzing(120)
@given(text=texts)
def test_any_structure_is_read_or_refused_with_a_place(text: bytes, tmp_path: Path) -> None:
    """Hostile values where something else is expected: paths, escapes, huge numbers, half characters, deep lists."""
    path = tmp_path / "any.yaml"
    path.write_bytes(text)
    read_all(path)


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_in_moments(name: str, tmp_path: Path) -> None:
    """A file within the size that is read costs neither minutes nor pages of complaints, whatever stands in it."""
    path = tmp_path / "bomb.yaml"
    path.write_text(BOMBS[name][:MEBIBYTE])
    started = process_time()
    with pytest.raises(FileRefused) as refused:
        load_scenario(path)
    assert process_time() - started < LONGEST
    check_placed(refused.value.problems, path)


def test_a_bomb_takes_little_memory(tmp_path: Path) -> None:
    """A file that holds nothing but values is given up long before all of them were taken in."""
    path = tmp_path / "bomb.yaml"
    path.write_text(BOMBS["entries"])
    tracemalloc.start()
    try:
        with pytest.raises(FileRefused, match="more keys and values than are read"):
            load_ladder(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MOST_MEMORY


def test_a_device_is_not_read_to_its_end(tmp_path: Path) -> None:
    """What never ends, as /dev/zero, is refused after the size that is read."""
    path = tmp_path / "zero.yaml"
    path.symlink_to("/dev/zero")
    with pytest.raises(FileRefused, match="larger than 1 MiB"):
        load_scenario(path)
