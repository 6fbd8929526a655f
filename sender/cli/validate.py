"""``paymos-sim validate``: every problem of every scenario file, and nothing started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.cli.saying import say
from sender.cli.selection import files
from sender.errors import FileRefused, UsageError
from sender.harmless import plain
from sender.paths import is_folder
from sender.scenario.language import load_scenario

if TYPE_CHECKING:
    from pathlib import Path

    from sender.cli.options import Options


def main(options: Options) -> int:
    """Check each file. Raises ``FileRefused`` with the problems of all of them."""
    problems = [problem for word in options.operands for problem in _problems_of(word)]
    if problems:
        raise FileRefused(problems)
    return 0


def _problems_of(word: str) -> list[str]:
    try:
        paths = files([word])
    except UsageError as error:
        return [str(error)]
    problems = []
    for path in paths:
        found = _problems_in(path)
        problems += found
        if not found:
            say(f"{plain(str(path) if is_folder(word) else word)}: ok")
    return problems


def _problems_in(path: Path) -> list[str]:
    try:
        load_scenario(path)
    except FileRefused as error:
        return error.problems
    return []
