"""Colours of a terminal, or none."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ink:
    """Writes text in a colour where ``colour`` is set, and as it is elsewhere."""

    colour: bool = False

    def green(self, text: str) -> str:
        """Return good news."""
        return self._in("32", text)

    def red(self, text: str) -> str:
        """Return bad news."""
        return self._in("31", text)

    def yellow(self, text: str) -> str:
        """Return what was planned to go wrong."""
        return self._in("33", text)

    def dim(self, text: str) -> str:
        """Return what is only there for completeness."""
        return self._in("2", text)

    def bold(self, text: str) -> str:
        """Return a heading."""
        return self._in("1", text)

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text
