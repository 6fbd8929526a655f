"""Requests at one instant, and requests whose sender hangs up: what needs a connection of one's own.

Everything but the last byte of each request is sent ahead; a receiver begins to work when the body is complete, so the
last bytes, written one after another without a pause, let it begin on all of them at the same time.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from sender.durations import SECOND
from sender.transport.trust import trusting

if TYPE_CHECKING:
    import ssl
    from collections.abc import Sequence

    from sender.clock import Clock
    from sender.durations import Duration
    from sender.providers.profile import Headers

_LONGEST_ANSWER = 64 * 1024


@dataclass(frozen=True, slots=True)
class Target:
    """Where a receiver is, and a file of authorities that may vouch for it besides the public ones."""

    url: str
    trust: str | None = None


@dataclass(frozen=True, slots=True)
class Shot:
    """What came back: a status line or none, and the rest as text."""

    status: int | None
    answer: str
    elapsed: Duration


@dataclass(slots=True)
class Line:
    """One connection with one request on it, of which the last byte is still to come."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    last: bytes
    clock: Clock
    started: Duration = 0

    @classmethod
    async def load(cls, target: Target, headers: Headers, body: bytes, clock: Clock, method: str = "POST") -> Self:
        """Connect and send all but the last byte. Raises ``OSError``."""
        parts = urlsplit(target.url)
        secure = parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        context = _context(target.trust) if secure else None
        reader, writer = await asyncio.open_connection(parts.hostname, port, ssl=context)
        path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        message = _message(f"{method} {path}", parts.netloc.rpartition("@")[2], headers, body)
        writer.write(message[:-1])
        await writer.drain()
        return cls(reader, writer, message[-1:], clock)

    def fire(self) -> None:
        """Send the last byte; it is written to the socket before this returns."""
        self.started = self.clock.monotonic()
        self.writer.write(self.last)

    async def answer(self, timeout: Duration) -> Shot:  # noqa: ASYNC109 - real time of the provider's contract
        """Wait for what comes back, and hang up."""
        try:
            async with self.clock.timeout(timeout / SECOND):
                raw = await self.reader.read(_LONGEST_ANSWER)
                while raw and b"\r\n\r\n" not in raw and (more := await self.reader.read(_LONGEST_ANSWER)):
                    raw += more
        except TimeoutError:
            return Shot(None, f"nothing came within {timeout / SECOND:g} s", timeout)
        except OSError as error:
            return Shot(None, error.strerror or "the connection broke", self.clock.monotonic() - self.started)
        finally:
            self.hang_up()
        return _shot(raw, self.clock.monotonic() - self.started)

    def hang_up(self) -> None:
        """Close at once, as a sender does that has waited long enough."""
        self.writer.transport.abort()


async def volley(
    target: Target,
    requests: Sequence[tuple[Headers, bytes]],
    clock: Clock,
    timeout: Duration,  # noqa: ASYNC109
) -> list[Shot]:
    """Send several requests at the same instant, each on a connection that is warm by then. Raises ``OSError``."""
    lines: list[Line] = []
    try:
        for headers, body in requests:
            lines.append(await Line.load(target, headers, body, clock))
        # Whatever a server does for a new connection is done before the last bytes come.
        await clock.sleep(0.005)
        for line in lines:
            line.fire()
        return list(await asyncio.gather(*(line.answer(timeout) for line in lines)))
    finally:
        for line in lines:
            with suppress(OSError):
                line.hang_up()


@cache
def _context(trust: str | None) -> ssl.SSLContext:
    """Return one context for all connections of a volley: to read what a system trusts takes longer than to connect."""
    return trusting(trust)


def _message(asked: str, host: str, headers: Headers, body: bytes) -> bytes:
    length = [("Content-Length", str(len(body)))] if body else []
    fields = [("Host", host), *headers, *length, ("Connection", "close")]
    head = "\r\n".join([f"{asked} HTTP/1.1", *(f"{name}: {value}" for name, value in fields), "", ""])
    return head.encode() + body


def _shot(raw: bytes, elapsed: Duration) -> Shot:
    head, _, rest = raw.partition(b"\r\n\r\n")
    words = head.split(b"\r\n", 1)[0].split(b" ")
    if len(words) > 1 and words[0].startswith(b"HTTP/") and words[1].isdigit():
        return Shot(int(words[1]), rest.decode("utf-8", "replace"), elapsed)
    return Shot(None, "the connection was closed without an answer" if not raw else "what came is not HTTP", elapsed)
