"""The control API as a whole: its routes, and the token that some of its listeners ask for."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from aiohttp import web

from sender.web.control.clock import ClockApi
from sender.web.control.endpoints import EndpointApi
from sender.web.control.events import EventApi
from sender.web.control.faults import FaultApi
from sender.web.control.health import HealthApi
from sender.web.refusals import Unauthorized

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.web.parts import Parts

PREFIX = "/_sim/v1"


class ControlApi:
    """Makes the routes. With a ``token`` every call but ``health`` has to bring it as a bearer token."""

    def __init__(self, parts: Parts, token: str | None = None) -> None:
        self._open = HealthApi(parts).routes()
        self._guarded = [
            *EventApi(parts).routes(),
            *EndpointApi(parts.subscriptions).routes(),
            *ClockApi(parts).routes(),
            *FaultApi(parts).routes(),
        ]
        self._expected = None if token is None else f"Bearer {token}".encode()

    def routes(self) -> list[web.RouteDef]:
        """Return every route of the control API."""
        handled = [*self._open, *((method, path, self._asking(handler)) for method, path, handler in self._guarded)]
        return [web.route(method, PREFIX + path, handler) for method, path, handler in handled]

    def _asking(
        self, handler: Callable[[web.Request], Awaitable[web.Response]]
    ) -> Callable[[web.Request], Awaitable[web.Response]]:
        expected = self._expected
        if expected is None:
            return handler

        async def guarded(request: web.Request) -> web.Response:
            given = request.headers.get("Authorization", "").encode("utf-8", "surrogateescape")
            if not hmac.compare_digest(given, expected):
                raise Unauthorized("this takes the token that was chosen at start: Authorization: Bearer TOKEN")
            return await handler(request)

        return guarded
