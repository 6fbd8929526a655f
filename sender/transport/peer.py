"""One connection, held to two rules: a complete head is an answer, and closing never waits for the peer."""

from __future__ import annotations

import re
import select
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from aiohttp.client_proto import ResponseHandler
from aiohttp.helpers import _EXC_SENTINEL
from aiohttp.http import HttpResponseParser
from aiohttp.http_exceptions import HttpProcessingError
from typing_extensions import override

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from aiohttp.http import RawResponseMessage
    from aiohttp.streams import StreamReader

    Head = tuple[RawResponseMessage, StreamReader]

HEAD_LIMIT = 128 * 1024
"""How many bytes may come before the final head is complete, interim answers included."""

BODY_LIMIT = 64 * 1024
"""How many bytes of an answer's body are kept (design §4)."""

HEADERS_LIMIT = 4096
"""How many headers a head may have: each costs time, and a receiver may not hold up its neighbours."""

_END_OF_HEAD = re.compile(rb"\n\r?\n")

LOWEST_STATUS = 100
SWITCHING_PROTOCOLS = 101


class Peer(ResponseHandler):
    """One connection of aiohttp's.

    aiohttp gives up a complete head when the bytes behind it that came in the same read are not HTTP, so that the
    outcome would depend on how the network cut the stream. Here the bytes are kept until the final head is complete,
    and on such an error read once more, line by line.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.address = ""
        self.head_size = 0
        self.salvaged = False
        self._dropped: Callable[[], None] | None = None
        self._head: list[bytes] | None = None
        self._arrivals: Callable[[], object] | None = None

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note who the peer is; one that has reset the connection already can no longer be asked."""
        super().connection_made(transport)
        name = transport.get_extra_info("peername")
        if name:
            self.address = address_text(*name[:2])
        self.begin()

    @override
    def connection_lost(self, exc: BaseException | None) -> None:
        """Report a peer that drops a kept connection before it was used or answered again."""
        if self._dropped is not None and self.transport is not None and not self.head_size:
            self._dropped()
        super().connection_lost(exc)

    @override
    def close(self) -> None:
        """Close at once: an unread answer is not drained, an untaken request is not waited for."""
        self.abort()

    def rest(self, dropped: Callable[[], None]) -> None:
        """Begin to wait, unused, for the next request; ``dropped`` is told when it ends before that was answered."""
        self._dropped = dropped
        self.head_size = 0

    def is_quiet(self) -> bool:
        """Tell whether nothing has come over the idle connection, not even its end."""
        if self.should_close or self.transport is None:
            return False
        if self._arrivals is None:
            self._arrivals = _arrivals(self.transport)
        return not self._arrivals()

    def begin(self) -> None:
        """Begin a new exchange."""
        self._head = []

    def expect(self) -> None:
        """Read what comes next as the answer to a request."""
        self.set_response_params(
            read_until_eof=True,
            auto_decompress=False,
            read_bufsize=BODY_LIMIT,
            max_line_size=HEAD_LIMIT,
            max_field_size=HEAD_LIMIT,
            max_headers=HEADERS_LIMIT,
        )

    @property
    def has_written(self) -> bool:
        """Whether the peer's system has taken every byte that was sent so far."""
        return self.transport is not None and self.transport.get_write_buffer_size() == 0

    @staticmethod
    def is_final(head: Head) -> bool:
        """Tell whether a head is not one of the interim ones, which are skipped (design §4)."""
        # 101 is not skipped: nothing that could be read as a status line follows it.
        return not 100 <= head[0].code < 200 or head[0].code == SWITCHING_PROTOCOLS  # noqa: PLR2004 - the 1xx range

    @override
    def data_received(self, data: bytes) -> None:
        """Keep what comes before the final head is complete, up to a bound."""
        if self._head is None or self._parser is None:
            super().data_received(data)
            return
        self._head.append(data)
        self.head_size += len(data)
        super().data_received(data)
        if self._is_endless():
            self._head = None
            self.set_exception(HttpProcessingError(message=f"its head is longer than {HEAD_LIMIT} bytes"))
            # Not ``close``, which forgets the error that somebody is about to ask for.
            if self.transport is not None:
                self.transport.abort()

    def _is_endless(self) -> bool:
        return self._head is not None and self.head_size > HEAD_LIMIT

    @override
    def feed_data(self, data: Head, size: int = 0) -> None:
        """Take a complete head from the parser; after the final one nothing needs to be kept."""
        if self.is_final(data):
            self._head = None
        if data[0].code < LOWEST_STATUS:
            self.set_exception(HttpProcessingError(message=f"its status is {data[0].code:03}"))
        else:
            super().feed_data(data, size)

    @override
    def set_exception(self, exc: BaseException, exc_cause: BaseException = _EXC_SENTINEL) -> None:
        """End the exchange with an error, unless what came so far holds a complete final head."""
        if self._head and isinstance(exc, HttpProcessingError):
            raw = b"".join(self._head)
            found = self._complete_head(raw) if _END_OF_HEAD.search(raw) else None
            if found is not None:
                self._should_close = self.salvaged = True
                self.feed_data(found)
                return
        super().set_exception(exc, exc_cause)

    def _complete_head(self, raw: bytes) -> Head | None:
        parser = _second_parser(self, self._loop, len(raw))
        lines = raw.splitlines(keepends=True)
        with suppress(Exception):
            for number, line in enumerate(lines, start=1):
                for head in parser.feed_data(line)[0]:
                    if self.is_final(head):
                        _feed_rest(parser, head[1], b"".join(lines[number:]))
                        return head
        return None


def _arrivals(transport: asyncio.Transport) -> Callable[[], object]:
    """Return a check whether anything has come over the connection that the event loop has not read yet."""
    socket = transport.get_extra_info("socket")
    if not hasattr(select, "poll"):
        return lambda: select.select([socket], [], [], 0)[0]
    poll = select.poll()
    poll.register(socket.fileno(), select.POLLIN)
    return partial(poll.poll, 0)


def _second_parser(peer: Peer, loop: asyncio.AbstractEventLoop, limit: int) -> HttpResponseParser:
    return HttpResponseParser(
        peer,
        loop,
        limit,
        read_until_eof=True,
        auto_decompress=False,
        max_line_size=HEAD_LIMIT,
        max_field_size=HEAD_LIMIT,
        max_headers=HEADERS_LIMIT,
    )


def _feed_rest(parser: HttpResponseParser, payload: StreamReader, rest: bytes) -> None:
    with suppress(Exception):
        parser.feed_data(rest)
    if not payload.is_eof():
        payload.feed_eof()


def address_text(host: str, port: int) -> str:
    """Return ``host:port``, with brackets around an IPv6 address."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
