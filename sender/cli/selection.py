"""Which stories are meant: files, names and folders of the command line, narrowed by ``-k``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from sender.errors import UsageError
from sender.paths import is_folder
from sender.schedules import find
from sender.suggest import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    Test: TypeAlias = Callable[[str], bool]

_WORD = re.compile(r"\s*(?:(?P<sign>[()])|(?P<word>[^\s()]+))")


def files(operands: Sequence[str]) -> list[Path]:
    """Return the files that are meant; of a folder every ``.yaml`` below it, by name. Raises ``UsageError``."""
    found: list[Path] = []
    for word in operands:
        if is_folder(word):
            inside = sorted(path for path in Path(word).rglob("*") if path.suffix in {".yaml", ".yml"})
            if not inside:
                raise UsageError(f"there is no .yaml file in the folder {shown(word)}")
            found += inside
        else:
            found.append(find("scenarios", word))
    return found


def _any_name(_name: str) -> bool:
    return True


every: Test = _any_name
"""The test where nothing narrows the choice."""


def keyword(text: str) -> Test:
    """Read what ``-k`` takes, as pytest does: parts of names with ``and``, ``or``, ``not`` and brackets.

    The test says whether a name fits; upper and lower case are the same. Raises ``ValueError``.
    """
    words = [match["sign"] or match["word"] for match in _WORD.finditer(text.strip())]
    test, rest = _any_of(words)
    if rest:
        raise ValueError(f"{shown(text)}: {shown(rest[0])} is not expected there; as in 'crash and not dispatch'")
    return test


def _any_of(words: list[str]) -> tuple[Test, list[str]]:
    tests, rest = _joined(words, "or", _all_of)
    return (lambda name: any(test(name) for test in tests)), rest


def _all_of(words: list[str]) -> tuple[Test, list[str]]:
    tests, rest = _joined(words, "and", _one)
    return (lambda name: all(test(name) for test in tests)), rest


def _joined(
    words: list[str], by: str, part: Callable[[list[str]], tuple[Test, list[str]]]
) -> tuple[list[Test], list[str]]:
    test, rest = part(words)
    tests = [test]
    while rest and rest[0].lower() == by:
        test, rest = part(rest[1:])
        tests.append(test)
    return tests, rest


def _one(words: list[str]) -> tuple[Test, list[str]]:
    if not words or words[0] == ")" or words[0].lower() in {"and", "or"}:
        raise ValueError("a part of a name is missing; as in 'crash and not dispatch'")
    first, *rest = words
    if first.lower() == "not":
        test, rest = _one(rest)
        return (lambda name: not test(name)), rest
    if first != "(":
        return (lambda name: first.lower() in name.lower()), rest
    test, rest = _any_of(rest)
    if rest[:1] != [")"]:
        raise ValueError("a bracket is not closed")
    return test, rest[1:]
