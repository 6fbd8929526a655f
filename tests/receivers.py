"""A small, fast receiver in the test's own loop: it answers what a function says and keeps every byte that came."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Awaitable, Callable

    Reply = int | bytes | None
    Script = Callable[["Request"], "Reply | Awaitable[Reply]"]

PATIENCE = 20.0
"""Real seconds after which a test gives up on something that must have happened by then."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came over the wire."""

    raw: bytes
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str:
        """Return the value of a header that is there exactly once."""
        (value,) = [value for key, value in self.headers if key.lower() == name.lower()]
        return value

    @property
    def event_id(self) -> str:
        """The id of the event that it delivers."""
        return self.header("X-Webhook-Id")

    @property
    def event(self) -> Any:
        """The document in its body."""
        return json.loads(self.body)


class Receiver:
    """Listens on loopback. ``script`` may be exchanged at any time; ``None`` as a reply means none, for ever."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[Request] = []
        self.port = 0
        self.scheme = "http"
        self._news = asyncio.Event()
        self._connections: set[asyncio.Transport] = set()
        self._replies: set[asyncio.Task[None]] = set()

    def url(self, path: str = "/webhook") -> str:
        """Return the URL of a path here."""
        return f"{self.scheme}://127.0.0.1:{self.port}{path}"

    @property
    def counts(self) -> Counter[str]:
        """How often each event came."""
        return Counter(request.event_id for request in self.requests)

    def of(self, event_id: str) -> list[Request]:
        """Return the requests that delivered one event, in the order in which they came."""
        return [request for request in self.requests if request.event_id == event_id]

    async def received(self, count: int) -> None:
        """Wait until so many requests have come."""
        async with asyncio.timeout(PATIENCE):
            while len(self.requests) < count:
                self._news.clear()
                await self._news.wait()

    def take(self, request: Request, connection: asyncio.Transport) -> None:
        """Note a request and answer it."""
        self.requests.append(request)
        self._news.set()
        reply = self.script(request)
        if inspect.isawaitable(reply):
            task = asyncio.ensure_future(_reply_later(reply, connection))
            self._replies.add(task)
            task.add_done_callback(self._replies.discard)
        else:
            _reply(reply, connection)

    async def close(self) -> None:
        """Hang up on everybody."""
        replies = list(self._replies)
        for reply in replies:
            reply.cancel()
        await asyncio.gather(*replies, return_exceptions=True)
        for connection in self._connections:
            connection.abort()


class _Connection(asyncio.Protocol):
    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._receiver._connections.add(self._transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        self._receiver._connections.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            line, *fields = self._buffer[:end].decode("latin-1").split("\r\n")
            headers = tuple((name, value.strip()) for name, _, value in (field.partition(":") for field in fields))
            length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
            whole = end + 4 + length
            if len(self._buffer) < whole:
                return
            raw, self._buffer = self._buffer[:whole], self._buffer[whole:]
            self._receiver.take(Request(raw, line.split(" ")[1], headers, raw[end + 4 :]), self._transport)


async def _reply_later(reply: Awaitable[Reply], connection: asyncio.Transport) -> None:
    _reply(await reply, connection)


def _reply(reply: Reply, connection: asyncio.Transport) -> None:
    if reply is None or connection.is_closing():
        return
    if isinstance(reply, int):
        length = "" if reply in {204, 304} else "Content-Length: 0\r\n"
        reply = f"HTTP/1.1 {reply} Scripted\r\n{length}\r\n".encode()
    connection.write(reply)


def accept(_request: Request) -> int:
    """Take everything."""
    return 204


def refuse(_request: Request) -> int:
    """Refuse everything."""
    return 500


def ignore(_request: Request) -> None:
    """Never answer."""


class AcceptFrom:
    """Refuses each event until its ``number``-th request."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._seen: Counter[str] = Counter()

    def __call__(self, request: Request) -> int:
        """Answer one request."""
        self._seen[request.event_id] += 1
        return 204 if self._seen[request.event_id] >= self._number else 500


class Gate:
    """Holds every answer back until it is opened."""

    def __init__(self, then: Script = accept) -> None:
        self.then = then
        self._opened = asyncio.Event()

    async def __call__(self, request: Request) -> Reply:
        """Answer one request, once the gate is open."""
        await self._opened.wait()
        return cast("Reply", self.then(request))

    def open(self) -> None:
        """Let every answer go, those to come too."""
        self._opened.set()


@asynccontextmanager
async def receiving(script: Script = accept, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[Receiver]:
    """Run a receiver in this loop."""
    receiver = Receiver(script)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(partial(_Connection, receiver), "127.0.0.1", 0, ssl=tls)
    receiver.scheme = "http" if tls is None else "https"
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        await receiver.close()
