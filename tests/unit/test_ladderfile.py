"""Ladder files: the one that ships, one's own, and bad ones."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import pytest

from sender import schedules
from sender.durations import HOUR, MINUTE, SECOND
from sender.errors import FileRefused, UsageError
from sender.ladderfile import load_ladder
from sender.yamlfile import read_yaml

SHORT = "timeout: 3s\nmeasured_from: start\ngaps: [1s, {after: 2s, source: our guess}]\n"


def refused(tmp_path: Path, text: str) -> list[str]:
    """Return what is said about a ladder file, without the file's name."""
    path = tmp_path / "own.yaml"
    path.write_text(text)
    with pytest.raises(FileRefused) as caught:
        load_ladder(path)
    return [problem.removeprefix(f"{path}:") for problem in caught.value.problems]


def test_paymos_ladder_is_the_contract() -> None:
    """Eleven attempts, the last 16 h 03 min after the first, 10 s each, gaps from the end (contract §1.6)."""
    ladder = load_ladder("paymos")
    offsets = [offset // SECOND for offset in accumulate(ladder.gaps, initial=0)]
    assert offsets == [0, 60, 180, 420, 900, 1_860, 3_780, 7_380, 14_580, 28_980, 57_780]
    assert (ladder.name, ladder.attempts, ladder.timeout, ladder.measured_from) == ("paymos", 11, 10 * SECOND, "end")


@pytest.mark.parametrize("name", schedules.names("ladders"))
def test_every_shipped_value_has_its_source(name: str) -> None:
    """In a ladder that ships, each value says where it comes from and how sure that is."""
    data = read_yaml(schedules.find("ladders", name)).data
    gaps = data["gaps"]
    assert isinstance(gaps, list)
    for value in (data["timeout"], data["measured_from"], *gaps):
        assert isinstance(value, dict)
        assert value["source"]
        assert value["verified"]


def test_a_ladder_of_ones_own_is_read_by_path(tmp_path: Path) -> None:
    """Values may be written plainly; the name is the file's when none is given."""
    (tmp_path / "own.yaml").write_text(SHORT)
    ladder = load_ladder("own.yaml", base=tmp_path)
    assert (ladder.name, ladder.gaps, ladder.timeout, ladder.measured_from) == (
        "own",
        (SECOND, 2 * SECOND),
        3 * SECOND,
        "start",
    )


def test_a_single_attempt_is_a_ladder_too(tmp_path: Path) -> None:
    """An empty list of gaps means one attempt, and gaps are measured from the end unless told otherwise."""
    (tmp_path / "once.yaml").write_text("timeout: 1h\ngaps: []\n")
    ladder = load_ladder(tmp_path / "once.yaml")
    assert (ladder.attempts, ladder.timeout, ladder.measured_from) == (1, HOUR, "end")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "timeout: 10s\ngaps: [1m, -2m]\n",
            "2:12: gaps, entry 2: '-2m' is negative; a duration is 0 or more, as in 90s",
        ),
        ("timeout: 10s\ngaps: [0]\n", "2:8: gaps, entry 1: '0' is no time at all; write more than 0, as in 1m"),
        ("timeout: 10s\ngaps:\n  - after: 60\n", "3:12: gaps, entry 1: '60' has no unit; write 60s, 60m or 60h"),
        ("timeout: 10s\ngaps: [{source: x}]\n", "2:8: gaps, entry 1: a duration is missing; write it as in 1m"),
        ("timeout: 10s\ngaps: [[1m]]\n", "2:8: gaps, entry 1: a duration is missing"),
        ("timeout: 10s\ngaps: 1m\n", "2:7: gaps: this is not a list; write gaps: [1m, 2m, 4m]"),
        ("timeout: 10s\ngaps: [" + "1m, " * 101 + "]\n", "2:7: gaps: 101 are too many; a ladder has at most 100"),
        ("timeout: 0s\ngaps: []\n", "1:10: timeout: '0s' is no time at all"),
        ("timeout: 10\ngaps: []\n", "1:10: timeout: '10' has no unit; write 10s, 10m or 10h"),
        ("timeout: 2h\ngaps: []\n", "1:10: timeout: longer than 1h, which is the most"),
        ("gaps: []\n", "1:1: timeout is missing; add it, as in timeout: 10s"),
        ("timeout: 10s\n", "1:1: gaps is missing; add it, as in gaps: [1m, 2m, 4m]"),
        (
            "timeout: 10s\ngaps: []\nmeasured_from: middle\n",
            "3:16: measured_from: 'middle' is not where a gap can begin",
        ),
        ("timeout: 10s\ngap: []\ngaps: []\n", "2:1: the field 'gap' is not known; did you mean 'gaps'?"),
        (
            "timeout: {value: 1s, verifed: x}\ngaps: []\n",
            "1:22: the field 'verifed' is not known; did you mean 'verified'?",
        ),
        ("name:\ntimeout: 10s\ngaps: []\n", "1:6: name: a word is missing"),
    ],
)
def test_bad_ladders_are_refused_with_place_and_remedy(tmp_path: Path, text: str, expected: str) -> None:
    """File, line, column, what is wrong, what would be right."""
    assert refused(tmp_path, text)[0].startswith(expected)


def test_every_problem_of_a_ladder_is_named_at_once(tmp_path: Path) -> None:
    """One run is enough to mend a file."""
    found = refused(tmp_path, "nam: x\ntimeout: 10\nmeasured_from: x\ngaps: [-1m, 5, 1m, 1m]\n")
    assert [problem.partition(": ")[0] for problem in found] == ["1:1", "2:10", "3:16", "4:8", "4:13"]


def test_an_unknown_ladder_is_answered_with_the_nearest() -> None:
    """A word that is no shipped name is refused with what was probably meant."""
    with pytest.raises(UsageError, match=r"'paymoss' is neither one of the shipped ladders .* did you mean 'paymos'\?"):
        load_ladder("paymoss")


def test_shipped_files_are_found_by_name_and_others_by_path(tmp_path: Path) -> None:
    """A plain word is a name first; a path stays what it is, relative to the file that mentions it."""
    assert schedules.find("scenarios", "happy-path") == schedules.directory("scenarios") / "happy-path.yaml"
    assert schedules.find("scenarios", "mine.yaml", base=tmp_path) == tmp_path / "mine.yaml"
    assert schedules.find("scenarios", "sub/mine") == Path("sub/mine")
    assert schedules.names("ladders") == ["paymos"]
    assert MINUTE in load_ladder(schedules.find("ladders", "paymos")).gaps
