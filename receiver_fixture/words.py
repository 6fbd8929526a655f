"""Identifiers and other short texts from outside: which of them may go into the ledger."""

from __future__ import annotations

_LONGEST = 200


def is_word(value: object) -> bool:
    """Tell whether a value is non-blank printable text of at most 200 characters.

    Longer ones do not fit an index of PostgreSQL; NUL and lone surrogates cannot be stored there at all.
    """
    return isinstance(value, str) and 0 < len(value) <= _LONGEST and value.isprintable() and not value.isspace()


def word_or_none(value: object) -> str | None:
    """Return the value when it is a word, else ``None``."""
    return value if isinstance(value, str) and is_word(value) else None
