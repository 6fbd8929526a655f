"""How a connection comes about: aiohttp's connector, with one pool of connections for each receiver.

``Connector`` overrides parts of aiohttp 3.14 that it does not promise to keep (``_resolve_host``, ``_factory``); the
tests of the wire hold each of them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

from aiohttp import ClientTimeout, TCPConnector, ThreadedResolver
from typing_extensions import override

from sender.transport.peer import Peer, address_text
from sender.transport.pool import Pool

if TYPE_CHECKING:
    from aiohttp.abc import ResolveResult
    from aiohttp.client_reqrep import ConnectionKey
    from aiohttp.connector import Connection

    from sender.clock import Clock
    from sender.transport.request import Route

_HOSTS_NOTED = 1_000

_NO_TIMEOUT = ClientTimeout(sock_connect=None)
"""Ours covers the whole exchange; a second clock beside it could only cut it short."""


class Connector(TCPConnector):
    """Connections without a limit; which of them is used again is for their pool to say."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(limit=0, resolver=ThreadedResolver())
        self.addresses: dict[tuple[str, int], tuple[str, ...]] = {}
        self._clock = clock
        self._pools: dict[ConnectionKey, Pool] = {}
        self._factory = cast("Any", partial(Peer, loop=self._loop))

    def pool(self, key: ConnectionKey) -> Pool:
        """Return the pool of one receiver; every route to it has the same."""
        if key not in self._pools:
            self._pools[key] = Pool(self._clock)
        return self._pools[key]

    async def open(self, route: Route) -> Connection:
        """Return a new connection. Raises what aiohttp's own ``connect`` raises."""
        return await self.connect(route, [], _NO_TIMEOUT)

    @override
    async def _resolve_host(self, host: str, port: int, traces: Any = None) -> list[ResolveResult]:
        found = _loopback(host, port) if _is_localhost(host) else await super()._resolve_host(host, port, traces)
        if len(self.addresses) >= _HOSTS_NOTED:
            self.addresses.clear()
        self.addresses[host, port] = tuple(address_text(each["host"], each["port"]) for each in found)
        return found

    def close_idle(self) -> None:
        """Close every connection that waits."""
        for pool in self._pools.values():
            pool.close()

    def abandon(self) -> None:
        """Drop every connection at once, as the death of the process would."""
        self.close_idle()
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
