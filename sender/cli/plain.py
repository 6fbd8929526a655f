"""Text from elsewhere on a terminal: nothing in it moves the cursor, changes colours, or reads backwards."""

from __future__ import annotations


def plain(text: str) -> str:
    """Return text on one line, with everything that is not printable as an escape."""
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def plain_lines(text: str) -> list[str]:
    """Return text line by line, each made harmless; tabs are blanks."""
    return [plain(line.replace("\t", "    ")) for line in text.splitlines()] or [""]


def say(text: str) -> None:
    """Print text that may hold characters which the terminal's encoding does not have."""
    import sys  # noqa: PLC0415 - with the rest of what printing needs

    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004
