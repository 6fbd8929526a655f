"""What goes out: our headers and the stored bytes, and nothing of the client's own making."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from aiohttp import ClientRequest
from aiohttp.payload import Payload
from multidict import CIMultiDict
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aiohttp.abc import AbstractStreamWriter
    from aiohttp.http import StreamWriter

    from sender.transport.exchange import Outgoing
    from sender.transport.peer import Peer


class Body(Payload):
    """What one request says: our headers and the stored bytes. It comes to know the connection that carries it."""

    _autoclose = True
    _value: bytes

    def __init__(self, outgoing: Outgoing) -> None:
        # Not aiohttp's, which only makes headers that ``Request`` does not ask for.
        self._value = outgoing.body
        self._size = len(outgoing.body)
        self.said = outgoing.headers
        self.peer: Peer | None = None
        self.written = False

    @override
    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Return the bytes as text."""
        return self._value.decode(encoding, errors)

    @override
    async def write(self, writer: AbstractStreamWriter) -> None:
        """Write the bytes."""
        self.peer = cast("Peer", cast("StreamWriter", writer).protocol)
        await writer.write(self._value)
        self.written = True


class Request(ClientRequest):
    """A request with ``Host``, the headers of its body, ``Content-Length``, and nothing that the client thinks of."""

    # Even where a fault takes our Content-Type away, aiohttp puts none in its place.
    _skip_auto_headers = CIMultiDict[None]([("Content-Type", None)])

    @override
    def update_auto_headers(self, skip_auto_headers: Iterable[str] | None) -> None:
        """Add no Accept, Accept-Encoding or User-Agent."""

    @override
    def update_content_encoding(self, data: object) -> None:
        """Never compress."""

    @override
    def update_transfer_encoding(self) -> None:
        """Never send in chunks."""

    @override
    def update_expect_continue(self, expect: bool = False) -> None:
        """Never wait for a 100."""

    @override
    def update_body_from_data(self, body: Body, _stacklevel: int = 3) -> None:
        """Take the headers and the bytes."""
        self._body = body
        self.headers.extend(body.said)
        self.headers["Content-Length"] = str(body.size)
