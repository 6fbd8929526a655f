"""The transport: one call is one POST on the wire and ends in one answer, within its timeout."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import aiohttp

from sender.domain.delivery import Reason
from sender.durations import SECOND
from sender.transport.connector import Connector
from sender.transport.exchange import Answer
from sender.transport.kept import BODY_LIMIT, Kept, printable
from sender.transport.peer import HEAD_LIMIT, Peer, address_text
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
_LOWEST_STATUS = 100
_REDIRECTS = range(300, 400)


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
        body, kept, failure = Body(outgoing), Kept(), None
        try:
            async with self._clock.timeout(timeout / SECOND):
                await self._exchange(outgoing, body, kept)
        except FAILURES as error:
            failure = error
        finally:
            if kept.response is not None and not kept.response.closed:
                kept.response.close()
        elapsed = self._clock.monotonic() - started
        if kept.response is None or kept.response.status < _LOWEST_STATUS:
            return self._unanswered(failure, outgoing, body, timeout, elapsed)
        return _answered(kept, kept.response, body.peer, elapsed, late=failure is not None)

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
            max_headers=HEAD_LIMIT,
        )
        return self._session

    def _unanswered(
        self, failure: BaseException | None, outgoing: Outgoing, body: Body, timeout: Duration, elapsed: Duration
    ) -> Answer:
        if failure is None:
            return Answer(None, Reason.PROTOCOL, "the status is below 100", elapsed=elapsed)
        place = Place(
            self._tried(outgoing.url), body.peer, body.written, outgoing.url.lower().startswith("https:"), timeout
        )
        reason, detail = explain(failure, place)
        return Answer(None, reason, detail, elapsed=elapsed)

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


def _answered(
    kept: Kept, response: aiohttp.ClientResponse, peer: Peer | None, elapsed: Duration, *, late: bool
) -> Answer:
    status = response.status
    detail = f"{peer.address if peer else 'the peer'} answered {status}"
    if status in _REDIRECTS and "Location" in response.headers:
        detail += f" to {printable(response.headers['Location'])}, which is not followed"
    cut = kept.cut or late or (peer is not None and peer.salvaged)
    return Answer(status, None, detail, kept.headers, kept.body, cut, elapsed)
