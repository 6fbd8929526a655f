"""Stories that tests write down and have read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from sender.errors import FileRefused
from sender.scenario.language import Scenario, load_scenario

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_PLACED = re.compile(r"(?:[^\n]+:[1-9][0-9]*:[1-9][0-9]*: [^\n]+|[^\n]+: and [0-9]+ more problems; mend these first)")
CREATE = "  - create_invoice: {as: order, amount: 11.05, currency: USD}\n"


def read_story(directory: Path, text: str, environ: Mapping[str, str] | None = None) -> Scenario:
    """Write a story to a file and read it."""
    path = directory / "s.yaml"
    path.write_text(text)
    return load_scenario(path, environ=environ)


def refusal(directory: Path, text: str) -> list[str]:
    """Return what is said about a bad story, each line from its line number on."""
    with pytest.raises(FileRefused) as caught:
        read_story(directory, text)
    return [problem.removeprefix(f"{directory / 's.yaml'}:") for problem in caught.value.problems]


def check_placed(problems: list[str], path: Path) -> None:
    """Check that each problem is one line with its place, and of a length that a person reads."""
    assert [problem for problem in problems if not _PLACED.fullmatch(problem)] == []
    assert max((len(problem) for problem in problems), default=0) < len(str(path)) + 500
