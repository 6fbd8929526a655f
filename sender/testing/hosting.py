"""Receivers under test: an application of any kind, served on a port of its own for as long as the test runs."""

from __future__ import annotations

import inspect
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol

from aiohttp import web

from sender.errors import UsageError
from sender.suggest import shown
from sender.testing.asgi import asgi_application
from sender.testing.thread import LoopThread
from sender.testing.wsgi import WsgiHost

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

HOST = "127.0.0.1"
PATIENCE = 1.0
"""Real seconds that a request has to end in when its receiver is taken down."""


class Hosted(Protocol):
    """An application that is being served."""

    @property
    def url(self) -> str:
        """Where it answers, without a path."""

    def close(self) -> None:
        """Stop answering."""


class LoopHost:
    """An aiohttp or ASGI application in a loop of its own: it may block without holding up the simulator."""

    def __init__(self, app: web.Application) -> None:
        self._thread = LoopThread("paymos-receiver")
        self._thread.start()
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=PATIENCE)
        try:
            self.url = self._thread.run(_started(self._runner))
        except BaseException:
            self._thread.stop()
            raise

    def close(self) -> None:
        """Stop answering."""
        try:
            self._thread.run(self._runner.cleanup())
        finally:
            self._thread.stop()


def host(app: Any) -> Hosted:
    """Serve an application in a thread of its own. Raises ``UsageError`` for what is none."""
    asynchronous = _asynchronous(app)
    if asynchronous is not None:
        return LoopHost(asynchronous)
    if callable(app):
        return WsgiHost(app, HOST)
    raise UsageError(f"{shown(repr(app))} is neither a URL nor a WSGI, ASGI or aiohttp application")


@asynccontextmanager
async def serve_here(app: Any) -> AsyncIterator[str]:
    """Serve an aiohttp or ASGI application in this loop. Raises ``UsageError`` for another one."""
    asynchronous = _asynchronous(app)
    if asynchronous is None:
        raise UsageError("only an ASGI or aiohttp application is served in a loop; use paymos.receiver(app)")
    runner = web.AppRunner(asynchronous, access_log=None, shutdown_timeout=PATIENCE)
    try:
        yield await _started(runner)
    finally:
        await runner.cleanup()


def _asynchronous(app: Any) -> web.Application | None:
    if isinstance(app, web.Application):
        return app
    if inspect.iscoroutinefunction(app) or inspect.iscoroutinefunction(getattr(app, "__call__", None)):  # noqa: B004
        return asgi_application(app)
    return None


async def _started(runner: web.AppRunner) -> str:
    await runner.setup()
    await web.TCPSite(runner, HOST, 0).start()
    return f"http://{HOST}:{runner.addresses[0][1]}"
