"""The receiver of the benchmark: a bare asyncio protocol, because an HTTP server would be the bottleneck.

``python -m tests.bench.receiver`` prints its port. A path that begins with ``/refuse`` is answered 500, any other 204.
It knows just enough HTTP for requests with a Content-Length.
"""

from __future__ import annotations

import asyncio
import re
import sys
from typing import cast

from sender.loops import run

_LENGTH = re.compile(rb"\r\n[Cc]ontent-[Ll]ength: *(\d+)")
_OK = b"HTTP/1.1 204 No Content\r\n\r\n"
_NO = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"


class Sink(asyncio.Protocol):
    """One connection: every whole request is answered at once."""

    def __init__(self) -> None:
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            found = _LENGTH.search(self._buffer, 0, end)
            whole = end + 4 + (int(found.group(1)) if found else 0)
            if len(self._buffer) < whole:
                return
            self._transport.write(_NO if self._buffer.startswith(b"POST /refuse") else _OK)
            self._buffer = self._buffer[whole:]


async def _serve() -> None:
    server = await asyncio.get_running_loop().create_server(Sink, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    reader = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await reader
    server.close()


if __name__ == "__main__":
    run(_serve())
