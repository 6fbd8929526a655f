"""Cursors of lists: a place in one list, opaque to whoever is handed it.

A cursor holds two numbers and a digest over them and the name of its list. So what was cut, mistyped, made up or taken
from another list is refused instead of answered with the wrong page. The digest keeps nobody out: it is no secret.
"""

from __future__ import annotations

import base64
import hashlib
import struct
from typing import NamedTuple

from sender.store.filters import filter_refused

_DIGEST = 5
_NUMBERS = struct.Struct(">qq")
_LENGTH = (_NUMBERS.size + _DIGEST) * 4 // 3


class Position(NamedTuple):
    """The place after one row: where the list is ordered by an instant first, that, and the row's number."""

    instant: int
    seq: int


def to_cursor(name: str, position: Position) -> str:
    """Return the cursor of a place in the list ``name``."""
    numbers = _NUMBERS.pack(*position)
    return base64.urlsafe_b64encode(numbers + _digest(name, numbers)).decode()


def from_cursor(name: str, cursor: str) -> Position:
    """Return the place that a cursor means. Raises ``RequestRefused`` for one that is not of the list ``name``."""
    if len(cursor) == _LENGTH:
        try:
            data = base64.b64decode(cursor, altchars=b"-_", validate=True)
        except ValueError:
            data = b""
        numbers = data[: _NUMBERS.size]
        if len(numbers) == _NUMBERS.size and data == numbers + _digest(name, numbers):
            return Position(*_NUMBERS.unpack(numbers))
    message = "the cursor is not one that this list gave out; begin again without it"
    raise filter_refused(message, "cursor")


def _digest(name: str, numbers: bytes) -> bytes:
    return hashlib.sha256(f"cursor/{name}/".encode() + numbers).digest()[:_DIGEST]
