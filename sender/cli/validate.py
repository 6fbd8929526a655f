"""``paymos-sim validate``: every problem of every scenario file, and nothing started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.errors import FileRefused, UsageError
from sender.scenario.language import load_scenario
from sender.schedules import find

if TYPE_CHECKING:
    from sender.cli.options import Options


def main(options: Options) -> int:
    """Check each file. Raises ``FileRefused`` with the problems of all of them."""
    problems: list[str] = []
    for word in options.operands:
        found = _problems(word)
        problems += found
        if not found:
            print(f"{word}: ok")
    if problems:
        raise FileRefused(problems)
    return 0


def _problems(word: str) -> list[str]:
    try:
        load_scenario(find("scenarios", word))
    except FileRefused as error:
        return error.problems
    except UsageError as error:
        return [str(error)]
    return []
