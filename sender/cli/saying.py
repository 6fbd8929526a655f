"""Printing lines that may hold characters which the terminal's encoding does not have."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """Print a line, with an escape for each character that the terminal cannot show."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
