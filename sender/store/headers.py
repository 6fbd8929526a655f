"""Headers as text in one column: a line each, as on the wire, because a serialiser costs several times more."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Pairs = tuple[tuple[str, str], ...]
"""Names and values in the order of the wire, repeated names included."""


def header_lines(pairs: Iterable[tuple[str, str]]) -> str:
    """Return headers as lines; neither a name nor a value holds a line break."""
    return "\n".join([f"{name}: {value}" for name, value in pairs])


def header_pairs(lines: str) -> Pairs:
    """Return what ``header_lines`` was given."""
    return tuple((name, value) for name, _, value in (line.partition(": ") for line in lines.split("\n")) if name)
