"""Hostile bytes made fit to be looked at: bounded, every character visible, none of them able to do anything.

A page escapes what it shows. That leaves characters that show nothing or turn the direction of what follows: each is
replaced by its name in brackets, as a part of its own that a page can set apart.
"""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 32 * 1024
"""How many characters of one text a page shows; the whole of it can be fetched."""
MOST_HEX = 2 * 1024
LARGEST_PRETTY = 256 * 1024
_ROW = 16


class Piece(NamedTuple):
    """A run of text; ``odd`` when it stands for characters that would not show."""

    text: str
    odd: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """Bytes as a page shows them. ``pretty`` is there for JSON, ``dump`` for what is no text."""

    size: int
    raw: tuple[Piece, ...] = ()
    pretty: tuple[Piece, ...] = ()
    dump: str = ""
    cut: bool = False


def show(data: bytes) -> Shown:
    """Return bytes fit for a page."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return Shown(len(data), dump=_dump(data[:MOST_HEX]), cut=len(data) > MOST_HEX)
    return Shown(len(data), raw=pieces(text[:MOST]), pretty=_pretty(text), cut=len(text) > MOST)


def pieces(text: str) -> tuple[Piece, ...]:
    """Return text in runs of what shows and what would not."""
    return tuple(_runs(text))


def _runs(text: str) -> Iterator[Piece]:
    for plain, run in groupby(text, _shows):
        if plain:
            yield Piece("".join(run), odd=False)
        else:
            yield from (Piece(_named(one), odd=True) for one in run)


def _shows(character: str) -> bool:
    return character.isprintable() or character in "\n\t"


def _named(character: str) -> str:
    if character == "\r":
        return "␍"
    if unicodedata.category(character) == "Cc" and ord(character) < ord(" "):
        return chr(0x2400 + ord(character))
    return f"U+{ord(character):04X}"


def _pretty(text: str) -> tuple[Piece, ...]:
    if not text.lstrip().startswith(("{", "[")) or len(text) > LARGEST_PRETTY:
        return ()
    try:
        document = json.loads(text)
        return pieces(json.dumps(document, indent=2, ensure_ascii=False)[:MOST])
    except (ValueError, RecursionError):
        return ()


def _dump(data: bytes) -> str:
    """Return bytes as rows of an offset, sixteen numbers and what of them is ASCII."""
    rows = (data[start : start + _ROW] for start in range(0, len(data), _ROW))
    return "\n".join(
        f"{number * _ROW:06x}  {row.hex(' '):{3 * _ROW - 1}}  {''.join(map(_ascii, row))}"
        for number, row in enumerate(rows)
    )


def _ascii(byte: int) -> str:
    return chr(byte) if ord(" ") <= byte <= ord("~") else "."
