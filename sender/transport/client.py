"""The transport: one call is one POST on the wire and ends in one answer, within its timeout."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import aiohttp

from sender.durations import SECOND
from sender.transport.connector import Connector
from sender.transport.exchange import Answer
from sender.transport.kept import BODY_LIMIT, Kept
from sender.transport.peer import HEAD_LIMIT, HEADERS_LIMIT, address_text
from sender.transport.proxies import Proxies
from sender.transport.reasons import FAILURES, Place, explain
from sender.transport.request import Body, Request
from sender.transport.target import request_url
from sender.transport.trust import Trust

if TYPE_CHECKING:
    from yarl import URL

    from sender.clock import Clock
    from sender.durations import Duration
    from sender.transport.exchange import Outgoing

_NO_TIMEOUT = aiohttp.ClientTimeout(sock_connect=None)
"""Ours covers the whole exchange; a second clock beside it could only cut it short."""

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
        self._session: aiohttp.ClientSession | None = None

    async def send(self, outgoing: Outgoing, timeout: Duration) -> Answer:  # noqa: ASYNC109 - part of the contract
        """Send one request and return what came of it; never raises for anything that the other side does.

        ``timeout`` is real time for the whole exchange: connect, send, status line and headers. What is left of it is
        for the body, which cannot change the outcome (design §4).
        """
        started = self._clock.monotonic()
        body, kept, why = Body(outgoing), Kept(), None
        try:
            async with self._clock.timeout(timeout / SECOND):
                await self._exchange(outgoing, body, kept)
        except FAILURES as failure:
            kept.cut = True
            why = explain(failure, self._place(outgoing, body, timeout))
        finally:
            kept.close()
        elapsed = self._clock.monotonic() - started
        if why is not None and kept.status is None:
            return Answer(None, *why, elapsed=elapsed)
        address = ""
        if body.peer is not None:
            address = body.peer.address
            kept.cut |= body.peer.salvaged
        return kept.answer(address or self._tried(outgoing.url), elapsed)

    async def _exchange(self, outgoing: Outgoing, body: Body, kept: Kept) -> None:
        url, proxy = self._route(outgoing.url)
        session = self._session or self._open()
        response = await session.request(
            "POST",
            url,
            data=body,
            allow_redirects=False,
            ssl=self._trust.rule(outgoing.tls),
            proxy=proxy,
        )
        await kept.take(response)

    def _find_route(self, text: str) -> tuple[URL, URL | None]:
        url = request_url(text)
        return url, self._proxies.proxy_for(url)

    def _open(self) -> aiohttp.ClientSession:
        self._connector = Connector()
        self._session = aiohttp.ClientSession(
            connector=self._connector,
            request_class=Request,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=_NO_TIMEOUT,
            auto_decompress=False,
            read_bufsize=BODY_LIMIT,
            max_line_size=HEAD_LIMIT,
            max_field_size=HEAD_LIMIT,
            max_headers=HEADERS_LIMIT,
        )
        return self._session

    def _place(self, outgoing: Outgoing, body: Body, timeout: Duration) -> Place:
        secure = outgoing.url[:6].lower() == "https:"
        return Place(self._tried(outgoing.url), body, secure, timeout)

    def _tried(self, text: str) -> str:
        """Return the addresses that stand for the URL, or its host while none is known."""
        try:
            url, proxy = self._route(text)
        except ValueError:
            return "no address"
        far = proxy or url
        host, port = far.raw_host or "", far.port or 0
        known = self._connector.addresses.get((host, port)) if self._connector else None
        return " and ".join(known or (address_text(host, port),))

    async def close(self) -> None:
        """Close every connection in an orderly way."""
        if self._session is not None:
            await self._session.close()

    def abandon(self) -> None:
        """Drop everything unclosed at once, as the death of the process would."""
        if self._session is not None and self._connector is not None:
            self._session.detach()
            self._connector.abandon()
