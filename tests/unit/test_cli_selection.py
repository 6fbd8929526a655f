"""Which stories a command line means: folders, and expressions of names."""

from __future__ import annotations

from pathlib import Path

import pytest

from sender.cli.selection import files, keyword
from sender.errors import UsageError


@pytest.mark.parametrize(
    ("text", "fitting"),
    [
        ("crash", {"crash-after-send", "crash-dispatch"}),
        ("CRASH and not dispatch", {"crash-after-send"}),
        ("not crash", {"happy-path"}),
        ("happy or (crash and dispatch)", {"happy-path", "crash-dispatch"}),
        ("not (happy or dispatch)", {"crash-after-send"}),
        ("after-send", {"crash-after-send"}),
        ("nothing", set()),
    ],
)
def test_an_expression_chooses_by_parts_of_names(text: str, fitting: set[str]) -> None:
    """``and`` binds closer than ``or``, ``not`` closest, and letter case is the same."""
    names = {"happy-path", "crash-after-send", "crash-dispatch"}
    assert {name for name in names if keyword(text)(name)} == fitting


@pytest.mark.parametrize("text", ["", "and", "a and", "(a", "a)", "not", "a b", "()", "or a"])
def test_a_broken_expression_is_refused(text: str) -> None:
    """What is no expression is refused with a sentence, whatever is wrong with it."""
    with pytest.raises(ValueError, match=r"as in|not closed"):
        keyword(text)


def test_a_folder_means_every_story_below_it(tmp_path: Path) -> None:
    """In the order of their names, whatever lies beside them."""
    (tmp_path / "deep").mkdir()
    for name in ("b.yaml", "a.yml", "notes.txt", "deep/c.yaml"):
        (tmp_path / name).touch()
    found = [path.relative_to(tmp_path) for path in files([str(tmp_path)])]
    assert found == [Path("a.yml"), Path("b.yaml"), Path("deep/c.yaml")]


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    """A run of nothing would pass; it is a mistake."""
    with pytest.raises(UsageError, match=r"no \.yaml file"):
        files([str(tmp_path)])
