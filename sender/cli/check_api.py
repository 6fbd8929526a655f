"""Serves the simulator's API where a receiver under test asks for it, and notes what it asks."""

from __future__ import annotations

import secrets
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from aiohttp import web

from sender.serve import listening, parts_of
from sender.web.app import make_app
from sender.web.parts import ApiOptions
from sender.web.server import make_runner

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from aiohttp.typedefs import Handler, Middleware

    from sender.simulator import Simulator

_HERE = frozenset({"127.0.0.1", "localhost", "::1"})
_EVERYWHERE = "0.0.0.0"  # noqa: S104 - a receiver in a container or on another host was named on purpose


def serving(base: str, asked: list[str] | None) -> Callable[[Simulator], AbstractAsyncContextManager[None]]:
    """Return what serves a simulator's API at the port of ``base``, for whatever key a receiver has.

    A name other than that of loopback is how a receiver elsewhere reaches it: then it listens on every address.
    The control API is nobody's there. ``asked`` is filled with the paths. Entering it raises ``NotAvailable`` where the
    port is taken.
    """
    parts = urlsplit(base)
    host, port = parts.hostname or "127.0.0.1", 80 if parts.port is None else parts.port

    @asynccontextmanager
    async def serve(simulator: Simulator) -> AsyncIterator[None]:
        listener = listening(host if host in _HERE else _EVERYWHERE, port)
        options = ApiOptions(
            public_url=base.rstrip("/"), authenticate=False, names=(host,), control_token=secrets.token_urlsafe()
        )
        app = make_app(parts_of(simulator), options)
        app.middlewares.append(_noting(asked if asked is not None else []))
        runner = make_runner(app)
        await runner.setup()
        try:
            await web.SockSite(runner, listener).start()
            yield
        finally:
            await runner.cleanup()
            listener.close()

    return serve


def _noting(asked: list[str]) -> Middleware:
    @web.middleware
    async def note(request: web.Request, handler: Handler) -> web.StreamResponse:
        asked.append(request.path)
        return await handler(request)

    return note
