"""A receiver on raw sockets that does, byte by byte, what a script tells it, and the means to send to it in a test."""

from __future__ import annotations

import asyncio
import functools
import inspect
import select
import socket
import struct
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from sender.clock import Clock
from sender.durations import MILLISECOND, SECOND
from sender.transport import Outgoing, pool
from sender.transport.client import Transport

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine

    from sender.transport import Answer

    Script = Callable[["Caller"], Awaitable[None]]

try:
    import uvloop
except ImportError:
    LOOPS = [asyncio.new_event_loop]
else:
    LOOPS = [asyncio.new_event_loop, uvloop.new_event_loop]

HEADERS = (("Content-Type", "application/json; charset=utf-8"), ("X-Webhook-Id", "evt_1"))
BODY = b'{"event_id":"evt_1"}'
OK = b"HTTP/1.1 204 No Content\r\n\r\n"

TIMEOUT = 400 * MILLISECOND
"""Of an exchange that is meant to run into it."""

PLENTY = 8 * SECOND
"""Of an exchange that is meant to come to its end, on a machine however busy."""

PATIENCE = 10
"""Real seconds after which a test gives up on something that must have happened by then."""


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it came over the wire."""

    line: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def target(self) -> str:
        """The request target."""
        return self.line.split(" ")[1]

    def header(self, name: str) -> str | None:
        """Return the value of a header, whatever the case of its name."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


class Caller:
    """One connection, from the receiver's side."""

    def __init__(self, connection: socket.socket, requests: list[Received]) -> None:
        self._socket = connection
        self._requests = requests
        self._loop = asyncio.get_running_loop()
        self._unread = b""

    async def request(self) -> Received:
        """Read one whole request. Raises ``EOFError`` when the client hangs up first."""
        head = await self.head()
        length = int(head.header("Content-Length") or 0)
        while len(self._unread) < length:
            await self._more()
        body, self._unread = self._unread[:length], self._unread[length:]
        received = Received(head.line, head.headers, body)
        self._requests.append(received)
        return received

    async def head(self) -> Received:
        """Read the head of a request and leave its body where it is."""
        while b"\r\n\r\n" not in self._unread:
            await self._more()
        head, _, self._unread = self._unread.partition(b"\r\n\r\n")
        line, *fields = head.decode().split("\r\n")
        pairs = [field.split(": ", 1) for field in fields]
        return Received(line, tuple((name, value) for name, value in pairs), b"")

    async def _more(self) -> None:
        data = await self._loop.sock_recv(self._socket, 1 << 16)
        if not data:
            raise EOFError
        self._unread += data

    async def idle_for(self, seconds: float) -> bool:
        """Wait a while for something to come and leave it unread; tell whether nothing came until the very end."""
        came = asyncio.Event()
        self._loop.add_reader(self._socket, came.set)
        try:
            await Clock().wait(came.wait(), seconds)
        finally:
            self._loop.remove_reader(self._socket)
        return not self._unread and not select.select([self._socket], [], [], 0)[0]

    async def say(self, *parts: bytes) -> None:
        """Send bytes, each part as a packet of its own."""
        for part in parts:
            await self._loop.sock_sendall(self._socket, part)

    async def gone(self) -> int:
        """Wait until the client has hung up; tell how many bytes came until then."""
        size = 0
        with suppress(EOFError, ConnectionError):
            while True:
                await self._more()
                size += len(self._unread)
                self._unread = b""
        return size

    async def gone_within(self, seconds: float) -> bool:
        """Wait a while for the client to hang up; tell whether it did."""
        return await Clock().wait(self.gone(), seconds)

    async def flood(self, data: bytes) -> None:
        """Send the same bytes again and again, as fast as they are taken, until the client has hung up."""
        while True:
            await self.say(data)

    def half_close(self) -> None:
        """End our direction and go on listening."""
        self._socket.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """Break the connection off, so that the client sees a reset and not an end."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()


class Hostile:
    """The receiver: every connection is played the same script and closed after it."""

    def __init__(self, script: Script, listener: socket.socket) -> None:
        self.requests: list[Received] = []
        self.connections = 0
        self.port: int = listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/hook"
        self._script = script
        self._listener = listener
        self._taken: list[socket.socket] = []
        self._calls: set[asyncio.Task[None]] = set()

    async def everybody_gone(self) -> None:
        """Wait until every script has come to its end."""
        async with asyncio.timeout(PATIENCE):
            while self._calls:
                await asyncio.wait(self._calls)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Take calls until the block ends, then end those that are left."""
        loop = asyncio.get_running_loop()
        # Not ``sock_accept``: cancelled, it can lose a connection that it has just taken.
        loop.add_reader(self._listener, self._take_call)
        try:
            yield
        finally:
            loop.remove_reader(self._listener)
            for call in self._calls:
                call.cancel()
            await asyncio.gather(*self._calls, return_exceptions=True)
            for connection in self._taken:
                connection.close()

    def _take_call(self) -> None:
        with suppress(BlockingIOError, ConnectionError):
            connection, _ = self._listener.accept()
            connection.settimeout(0)
            self.connections += 1
            self._taken.append(connection)
            call = asyncio.create_task(self._play(connection))
            self._calls.add(call)
            call.add_done_callback(self._calls.discard)

    async def _play(self, connection: socket.socket) -> None:
        with connection, suppress(EOFError, ConnectionError):
            await self._script(Caller(connection, self.requests))


@asynccontextmanager
async def hostile(script: Script, host: str = "127.0.0.1") -> AsyncIterator[Hostile]:
    """Run a receiver with this script."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listener:
        listener.bind((host, 0))
        listener.listen(512)
        listener.settimeout(0)
        receiver = Hostile(script, listener)
        async with receiver.listening():
            yield receiver


async def obliging(caller: Caller) -> None:
    """Answer every request with 204."""
    while True:
        await caller.request()
        await caller.say(OK)


def answering(*parts: bytes) -> Script:
    """Return a script that reads a request, sends these parts, and waits for the client to hang up."""

    async def script(caller: Caller) -> None:
        await caller.request()
        await caller.say(*parts)
        await caller.gone()

    return script


@asynccontextmanager
async def transport(**options: Any) -> AsyncIterator[Transport]:
    """Run a transport on a real clock."""
    made = Transport(Clock(), **options)
    try:
        yield made
    finally:
        await made.close()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep connections for longer than a busy machine can make a burst last."""
    monkeypatch.setattr(pool, "IDLE_LIMIT", 4 * SECOND)


async def send(sender: Transport, url: str, timeout: int = TIMEOUT, **more: Any) -> Answer:  # noqa: ASYNC109 - data
    """Send one small event; a transport that does not keep its own timeout fails the test."""
    async with asyncio.timeout(PATIENCE):
        return await sender.send(Outgoing(url, **{"headers": HEADERS, "body": BODY} | more), timeout)


def on_each_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run an async test on asyncio's own loop and on uvloop, whose sockets fail in words of their own."""

    def run(loop: Callable[[], asyncio.AbstractEventLoop], **arguments: Any) -> None:
        with asyncio.Runner(loop_factory=loop) as runner:
            runner.run(test(**arguments))

    functools.update_wrapper(run, test)
    signature = inspect.signature(test)
    loop = inspect.Parameter("loop", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    vars(run).update(__signature__=signature.replace(parameters=[loop, *signature.parameters.values()]))
    del vars(run)["__wrapped__"]
    return pytest.mark.parametrize("loop", LOOPS, ids=lambda made: made.__module__.split(".")[0])(run)
