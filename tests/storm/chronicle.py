"""What the processes of a storm log, read as it comes."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 60.0
"""Real seconds after which something that must have happened by then counts as not happening."""

LONGEST_LINE = 1 << 20


class Chronicle:
    """Every line of every process: those that are JSON by their event, and others, which nobody should have written."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self._lines: list[dict[str, Any]] = []
        self._news = asyncio.Event()

    async def follow(self, stream: asyncio.StreamReader, heard: Callable[[dict[str, Any]], None]) -> None:
        """Read a stream until every process that holds it is dead; ``heard`` is called with each line of the log."""
        while line := (await stream.readline()).decode(errors="replace"):
            with suppress(ValueError):
                said = json.loads(line)
                self._lines.append(said)
                heard(said)
                self._news.set()
                continue
            self.complaints.append(line.rstrip())

    def of(self, event: str) -> list[dict[str, Any]]:
        """Return the lines of one event."""
        return [line for line in self._lines if line["event"] == event]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something that lines make true is true."""
        async with asyncio.timeout(PATIENCE):
            while not holds():
                self._news.clear()
                await self._news.wait()
