"""What goes out: our headers and the stored bytes, and nothing of the client's own making.

aiohttp opens the connection and reads the answer; what is written is written here, in one piece. Its own request and
response objects would make up two thirds of what a delivery costs, and most of what they do has to be kept from them.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from aiohttp import ClientRequest
from typing_extensions import override

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterable

    from aiohttp.client_reqrep import ConnectionKey
    from yarl import URL

    from sender.transport.exchange import Outgoing
    from sender.transport.peer import Head, Peer
    from sender.transport.pool import Pool


_SAID_LATER = frozenset({"Content-Length", "Transfer-Encoding"})


class Route(ClientRequest):
    """The way to one URL: what aiohttp's connector asks of a request, and the part of its head that never changes.

    It is made once and serves every request that goes there.
    """

    def __init__(
        self, url: URL, pools: Callable[[ConnectionKey], Pool], *, rule: ssl.SSLContext | bool, proxy: URL | None
    ) -> None:
        super().__init__("POST", url, loop=asyncio.get_running_loop(), ssl=rule, proxy=proxy)
        self.pool = pools(self.connection_key)
        # A proxy that is only asked to pass on gets the whole URL (RFC 9112 §3.2.2).
        self._target = str(self.url) if proxy is not None and not self.is_ssl() else self.url.raw_path_qs
        self._opening: tuple[str, ...] = ()

    @override
    def update_auto_headers(self, skip_auto_headers: Iterable[str] | None) -> None:
        """Add no Accept, Accept-Encoding or User-Agent."""

    def message(self, outgoing: Outgoing) -> bytes:
        """Return the request as it goes on the wire. Raises ``ValueError`` for a line break within a header.

        To be asked once a connection is there: what a proxy wants to be told is known only then.
        """
        opening = self._opening or self._open()
        lines = [f"{name}: {value}" for name, value in outgoing.headers]
        text = "\r\n".join((*opening, *lines, f"Content-Length: {len(outgoing.body)}\r\n\r\n"))
        breaks = len(opening) + len(lines) + 2
        if text.count("\n") != breaks or text.count("\r") != breaks:
            raise ValueError("one of its headers holds a line break")
        return text.encode("utf-8", "surrogateescape") + outgoing.body

    def _open(self) -> tuple[str, ...]:
        said = (f"{name}: {value}" for name, value in self.headers.items() if name not in _SAID_LATER)
        self._opening = (f"POST {self._target} HTTP/1.1", *said)
        return self._opening


class Passage:
    """One request on its way: how far it has come is what a failure is explained by."""

    __slots__ = ("peer", "written")

    def __init__(self) -> None:
        self.peer: Peer | None = None
        self.written = False

    async def carry(self, message: bytes, peer: Peer) -> Head:
        """Write the request, and return the final head of the answer with the stream of its body."""
        self.peer = peer
        peer.expect()
        if peer.transport is not None:
            peer.transport.write(message)
        try:
            while True:
                head: Head = await peer.read()
                if peer.is_final(head):
                    return head
        finally:
            self.written = peer.has_written
