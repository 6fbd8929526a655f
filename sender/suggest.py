"""Words for a message about a wrong word: what was typed, made harmless, and what was probably meant."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST_SHOWN = 60
_LONGEST_LIST = 14


def shown(text: str) -> str:
    """Return what was typed in quotes, on one line, without control characters, cut to sixty characters."""
    return repr(text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…")


def as_word(text: str) -> str:
    """Return a word that needs no quotes as it is, and any other as ``shown`` does."""
    return text if text.isprintable() and len(text) <= _LONGEST_SHOWN else shown(text)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is most like ``word``, whatever its letter case and hyphens, or ``None``."""
    if len(word) > _LONGEST_SHOWN:
        return None
    spellings = {_plain(choice): choice for choice in known}
    found = difflib.get_close_matches(_plain(word), spellings, n=1)
    return spellings[found[0]] if found else None


def remedy(word: str, known: Iterable[str]) -> str:
    """Return the half of a message that says what would be right: the nearest word, or the words there are."""
    choices = list(known)
    near = nearest(word, choices)
    if near is not None:
        return f"did you mean {near!r}?"
    rest = ", …" if len(choices) > _LONGEST_LIST else ""
    return f"write one of {', '.join(choices[:_LONGEST_LIST])}{rest}"


def _plain(word: str) -> str:
    return word.lower().replace("-", "_").replace(" ", "_")
