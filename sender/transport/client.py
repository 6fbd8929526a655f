"""The transport: one call is one POST on the wire and ends in one answer, within its timeout."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, cast

from sender.durations import SECOND
from sender.errors import NotAvailable
from sender.transport.connector import Connector
from sender.transport.exchange import Answer
from sender.transport.kept import Kept
from sender.transport.peer import address_text
from sender.transport.proxies import Proxies
from sender.transport.reasons import FAILURES, Place, explain
from sender.transport.request import Passage, Route
from sender.transport.target import request_url
from sender.transport.trust import Trust

if TYPE_CHECKING:
    from sender.clock import Clock
    from sender.durations import Duration
    from sender.transport.exchange import Outgoing
    from sender.transport.peer import Peer

_URLS_REMEMBERED = 1_000


class Transport:
    """Sends requests. One per process is enough; its sockets belong to the event loop of its first ``send``.

    ``trust_env`` honours the proxy variables of the environment as they are now. ``ca_file`` names certificates that
    are trusted besides the public ones, ``insecure`` trusts every certificate; endpoints can differ (``Outgoing.tls``).
    Raises ``NotAvailable`` when ``ca_file`` cannot be used.
    """

    def __init__(
        self, clock: Clock, *, trust_env: bool = False, ca_file: str | None = None, insecure: bool = False
    ) -> None:
        self._clock = clock
        self._trust = Trust(ca_file, insecure=insecure)
        self._proxies = Proxies(trust_env=trust_env)
        self._route = lru_cache(_URLS_REMEMBERED)(self._find_route)
        self._connector: Connector | None = None

    async def send(self, outgoing: Outgoing, timeout: Duration) -> Answer:  # noqa: ASYNC109 - part of the contract
        """Send one request and return what came of it; never raises for anything that the other side does.

        ``timeout`` is real time for the whole exchange: connect, send, status line and headers. What is left of it is
        for the body, which cannot change the outcome (design §4).
        """
        started = self._clock.monotonic()
        passage, kept, why = Passage(), Kept(), None
        try:
            async with self._clock.timeout(timeout / SECOND):
                await self._exchange(outgoing, passage, kept)
        except FAILURES as failure:
            kept.cut = True
            why = explain(failure, self._place(outgoing, passage, timeout))
        elapsed = self._clock.monotonic() - started
        if why is not None and kept.status is None:
            return Answer(None, *why, elapsed=elapsed)
        address = ""
        if passage.peer is not None:
            address = passage.peer.address
            kept.cut |= passage.peer.salvaged
        return kept.answer(address or self._tried(outgoing), elapsed)

    async def _exchange(self, outgoing: Outgoing, passage: Passage, kept: Kept) -> None:
        connector = self._connector or self._open()
        route = self._route(outgoing.url, outgoing.tls)
        connection = route.pool.take() or await connector.open(route)
        try:
            await kept.take(await passage.carry(route.message(outgoing), cast("Peer", connection.protocol)))
        finally:
            route.pool.put(connection, usable=kept.complete)

    def _open(self) -> Connector:
        self._connector = Connector(self._clock)
        return self._connector

    def _find_route(self, text: str, tls: str | None) -> Route:
        url = request_url(text)
        connector = self._connector or self._open()
        return Route(url, connector.pool, rule=self._trust.rule(tls), proxy=self._proxies.proxy_for(url))

    def _place(self, outgoing: Outgoing, passage: Passage, timeout: Duration) -> Place:
        secure = outgoing.url[:6].lower() == "https:"
        return Place(self._tried(outgoing), passage, secure, timeout)

    def _tried(self, outgoing: Outgoing) -> str:
        """Return the addresses that stand for the URL, or its host while none is known."""
        try:
            route = self._route(outgoing.url, outgoing.tls)
        except (ValueError, NotAvailable):
            return "no address"
        far = route.proxy or route.url
        host, port = far.raw_host or "", far.port or 0
        known = self._connector.addresses.get((host, port)) if self._connector else None
        return " and ".join(known or (address_text(host, port),))

    async def close(self) -> None:
        """Close every connection in an orderly way."""
        if self._connector is not None:
            self._connector.close_idle()
            await self._connector.close()

    def abandon(self) -> None:
        """Drop everything unclosed at once, as the death of the process would."""
        if self._connector is not None:
            self._connector.abandon()
