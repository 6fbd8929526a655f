"""An open dashboard page as a process: follows the stream and looks again as the page's script does.

``python -m tests.bench.page BASE`` prints a line when it follows, and for each line on its standard input one JSON
object: how many messages of the stream and looks there were since the one before.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time

import aiohttp

from sender.loops import run

REST = 1.0
"""Seconds between two looks at most, as in ``app.js``."""
_STREAM = re.compile(r'data-stream="([^"]+)"')


class Page:
    """Counts what it is told and how often it looks."""

    def __init__(self, session: aiohttp.ClientSession, base: str) -> None:
        self._session = session
        self._base = base
        self._news = asyncio.Event()
        self.messages = self.looks = self.bytes = 0

    async def follow(self, path: str) -> None:
        """Read the stream for ever."""
        async with self._session.get(self._base + path) as answer:
            print("follows", flush=True)
            async for line in answer.content:
                self.bytes += len(line)
                if line.startswith(b"data:"):
                    self.messages += 1
                    self._news.set()

    async def look(self) -> None:
        """Look again after news, and then rest."""
        while True:
            await self._news.wait()
            self._news.clear()
            start = time.perf_counter()
            await self.get("/")
            self.looks += 1
            took = time.perf_counter() - start
            # A rest, and no wait for something: it is what is measured.
            await asyncio.sleep(max(REST, 4 * took))

    async def get(self, path: str) -> str:
        """Fetch a page."""
        async with self._session.get(self._base + path) as answer:
            return await answer.text()

    def told(self) -> str:
        """Return the counts, and begin again."""
        counts = {"messages": self.messages, "looks": self.looks, "bytes": self.bytes}
        self.messages = self.looks = self.bytes = 0
        return json.dumps(counts)


async def _main(base: str) -> None:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as session:
        page = Page(session, base)
        (stream,) = _STREAM.findall(await page.get("/"))
        tasks = [asyncio.create_task(page.follow(stream)), asyncio.create_task(page.look())]
        while await asyncio.to_thread(sys.stdin.readline):
            print(page.told(), flush=True)
        for task in tasks:
            task.cancel()


if __name__ == "__main__":
    run(_main(sys.argv[1]))
