"""Which connection a request goes over: a fresh one, or one that the same burst has just used.

``Connector`` overrides parts of aiohttp 3.14 that it does not promise to keep (``_get``, ``_release``,
``_resolve_host``, ``_factory``); the tests of the wire hold each of them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

from aiohttp import ClientTimeout, TCPConnector, ThreadedResolver
from typing_extensions import override

from sender.transport.peer import Peer, address_text

if TYPE_CHECKING:
    from aiohttp.abc import ResolveResult
    from aiohttp.client_proto import ResponseHandler
    from aiohttp.client_reqrep import ConnectionKey
    from aiohttp.connector import Connection
    from aiohttp.tracing import Trace

    from sender.transport.request import Route

IDLE_LIMIT = 0.040
"""For how many seconds an unused connection is kept.

Receivers that drop idle connections do so after 50 ms or more and are never met. Less would cost a burst dearly: while
a transaction holds the loop up, every connection is idle, and opening them all again costs more than the transaction.
"""

_HOSTS_NOTED = 1_000

_NO_TIMEOUT = ClientTimeout(sock_connect=None)
"""Ours covers the whole exchange; a second clock beside it could only cut it short."""


class Connector(TCPConnector):
    """Connections without a limit, each used again only within a burst and only while the peer is silent.

    A request on a connection that the peer is just closing is a lost attempt, and sending it again is forbidden. So
    the socket is looked at right before it is used. Of a peer that never yet answered twice on one connection, one at
    a time is tried; a peer that drops one that early gets a new connection for each request from then on. A receiver
    that breaks its promise to keep connections so costs one attempt at most, and one that keeps it costs none.
    """

    def __init__(self) -> None:
        super().__init__(limit=0, keepalive_timeout=IDLE_LIMIT, resolver=ThreadedResolver())
        self.addresses: dict[tuple[str, int], tuple[str, ...]] = {}
        self._distrusted: set[ConnectionKey] = set()
        self._trusted: set[ConnectionKey] = set()
        self._trials: dict[ConnectionKey, Peer] = {}
        self._factory = cast("Any", partial(Peer, distrust=self._distrusted.add, loop=self._loop))

    async def open(self, route: Route) -> Connection:
        """Return a connection for one request. Raises what aiohttp's own ``connect`` raises."""
        return await self._get(route.key, []) or await self.connect(route, [], _NO_TIMEOUT)

    @override
    async def _get(self, key: ConnectionKey, traces: list[Trace]) -> Connection | None:
        if (self._trials and key in self._trials) or self._distrusts(key):
            return None
        while (connection := await super()._get(key, traces)) is not None:
            peer = cast("Peer", connection.protocol)
            if peer.is_quiet():
                if key not in self._trusted:
                    self._trials[key] = peer
                peer.begin()
                return connection
            self._distrusted.add(key)
            connection.close()
        return None

    @override
    def _release(self, key: ConnectionKey, protocol: ResponseHandler, *, should_close: bool = False) -> None:
        peer = cast("Peer", protocol)
        if self._trials and self._trials.get(key) is peer:
            del self._trials[key]
            if peer.head_size:
                self._trusted.add(key)
        should_close = should_close or self._distrusts(key)
        if not should_close:
            peer.rest(key)
        super()._release(key, protocol, should_close=should_close)

    def _distrusts(self, key: ConnectionKey) -> bool:
        return bool(self._distrusted) and key in self._distrusted

    @override
    async def _resolve_host(self, host: str, port: int, traces: Any = None) -> list[ResolveResult]:
        found = _loopback(host, port) if _is_localhost(host) else await super()._resolve_host(host, port, traces)
        if len(self.addresses) >= _HOSTS_NOTED:
            self.addresses.clear()
        self.addresses[host, port] = tuple(address_text(each["host"], each["port"]) for each in found)
        return found

    def abandon(self) -> None:
        """Drop every connection at once, as the death of the process would."""
        self._close(abort_ssl=True)


def _is_localhost(host: str) -> bool:
    """Tell whether the name is one of those that always mean this machine (RFC 6761 §6.3)."""
    name = host.rstrip(".").lower()
    return name == "localhost" or name.endswith(".localhost")


def _loopback(host: str, port: int) -> list[ResolveResult]:
    # Asked for it, many systems name one family only, and in an order of their own.
    return [
        {"hostname": host, "host": address, "port": port, "family": 0, "proto": 0, "flags": 0}
        for address in ("127.0.0.1", "::1")
    ]
