"""Reads a YAML file as plain text values, with a place for every key and value and a sentence for every fault.

YAML guesses types: ``NO`` becomes false, ``0510`` octal, ``12:30`` a number, ``2024-01-01`` a date. Here every value
stays the text that was typed, and whoever knows what a field means reads it from there. Anchors, aliases, merge keys,
tags and second documents are refused: they make a file say something else than what stands at its place.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from sender.errors import FileRefused
from sender.yamlfile.events import fill
from sender.yamlfile.source import KeyPath, Place, Plain, YamlFile

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MAX_BYTES", "KeyPath", "Place", "Plain", "YamlFile", "parse_yaml", "read_yaml"]

MAX_BYTES = 1 << 20

# YAML's own set of printable characters, less the line separators that no editor counts as the end of a line.
_UNREADABLE = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def read_yaml(path: Path) -> YamlFile:
    """Read a file whose outermost value is a mapping.

    Problems that leave the rest readable (a key given twice, an anchor) are noted in the result; the caller adds its
    own and calls ``check``. Raises ``FileRefused`` at once for what cannot be read at all.
    """
    name = str(path).encode(errors="backslashreplace").decode()
    return parse_yaml(_read(path, name), name)


def parse_yaml(raw: bytes, name: str) -> YamlFile:
    """Read the bytes of a file as ``read_yaml`` does; ``name`` stands in its messages."""
    file = YamlFile(name)
    fill(file, _text(file, raw))
    return file


def _read(path: Path, name: str) -> bytes:
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise FileRefused([f"{name}: {_why(path, error)}"]) from None
    if len(raw) > MAX_BYTES:
        raise FileRefused([f"{name}: the file is larger than 1 MiB, the most that is read; cut it into several"])
    return raw


def _why(path: Path, error: Exception) -> str:
    with suppress(OSError, ValueError):
        if path.is_dir():
            return "this is a directory; name a .yaml file in it"
    if isinstance(error, FileNotFoundError):
        return "there is no such file; check the path"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"the file cannot be read ({reason}); name a readable .yaml file"


def _text(file: YamlFile, raw: bytes) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before, byte = error.object[: error.start].decode(), error.object[error.start]
        file.refuse(_end_of(before), f"byte 0x{byte:02x} is not UTF-8; save the file as UTF-8")
    odd = _UNREADABLE.search(text)
    if odd is not None:
        sentence = f"the character U+{ord(odd[0]):04X} cannot be seen, or cannot stand in YAML; remove it"
        file.refuse(_end_of(text[: odd.start()]), sentence)
    return text


def _end_of(text: str) -> Place:
    lines = re.split("\r\n|\r|\n", text)
    return Place(len(lines), len(lines[-1]) + 1)
