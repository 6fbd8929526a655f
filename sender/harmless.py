"""Text from elsewhere on a terminal: nothing in it moves the cursor, changes colours, or reads backwards."""

from __future__ import annotations


def plain(text: str) -> str:
    """Return text on one line, with everything that is not printable as an escape."""
    return text if text.isprintable() else "".join(char if char.isprintable() else _escaped(char) for char in text)


def plain_lines(text: str) -> list[str]:
    """Return text line by line, each made harmless; tabs are blanks."""
    return [plain(line.replace("\t", "    ")) for line in text.splitlines()] or [""]


def plain_text(text: str) -> str:
    """Return text of several lines, each made harmless."""
    return "\n".join(plain_lines(text))


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004
