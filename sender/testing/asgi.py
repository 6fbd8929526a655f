"""An ASGI application behind the HTTP server that is here anyway, so that no other server has to be installed.

Whole requests and whole responses: a webhook is a small POST, and a receiver of one streams nothing.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from aiohttp import web
from multidict import CIMultiDict

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping

    Message = MutableMapping[str, Any]
    AsgiApp = Callable[
        [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
    ]

_VERSIONS = {"version": "3.0", "spec_version": "2.3"}
_OURS = frozenset({"content-length", "transfer-encoding", "connection"})


def asgi_application(app: AsgiApp) -> web.Application:
    """Return an aiohttp application that passes every request on, and keeps the lifespan of the other one."""

    async def handle(request: web.Request) -> web.Response:
        return await _Exchange(request, await request.read()).through(app)

    async def lifespan(_outer: web.Application) -> AsyncIterator[None]:
        life = _Lifespan(app)
        try:
            await life.step("startup")
            yield
            await life.step("shutdown")
        finally:
            await life.end()

    outer = web.Application()
    outer.router.add_route("*", "/{path:.*}", handle)
    outer.cleanup_ctx.append(lifespan)
    return outer


class _Exchange:
    """One request and its response."""

    def __init__(self, request: web.Request, body: bytes) -> None:
        self._request = request
        self._incoming: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        self._over = asyncio.Event()
        self._status = 0
        self._headers: CIMultiDict[str] = CIMultiDict()
        self._body = b""

    async def through(self, app: AsgiApp) -> web.Response:
        try:
            await app(self._scope(), self._receive, self._send)
        except Exception:
            logging.getLogger(__name__).exception("the receiver under test failed")
            self._status = self._status or 500
        finally:
            self._over.set()
        return web.Response(status=self._status or 500, headers=self._headers, body=self._body)

    def _scope(self) -> Message:
        request = self._request
        path, _, query = request.raw_path.partition("?")
        return {
            "type": "http",
            "asgi": _VERSIONS,
            "http_version": "1.1",
            "method": request.method,
            "scheme": request.scheme,
            "path": request.path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.raw_headers],
            "client": (request.remote, 0),
            "server": (request.url.host, request.url.port),
        }

    async def _receive(self) -> Message:
        if self._incoming:
            return self._incoming.pop()
        await self._over.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            for name, value in message.get("headers", ()):
                if name.decode("latin-1").lower() not in _OURS:
                    self._headers.add(name.decode("latin-1"), value.decode("latin-1"))
        elif message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                self._over.set()


class _Lifespan:
    """Start-up and shutdown; an application that knows nothing of them is left alone."""

    def __init__(self, app: AsgiApp) -> None:
        self._to_app: asyncio.Queue[Message] = asyncio.Queue()
        self._from_app: asyncio.Queue[Message] = asyncio.Queue()
        scope: Message = {"type": "lifespan", "asgi": _VERSIONS, "state": {}}
        self._life = asyncio.ensure_future(app(scope, self._to_app.get, self._from_app.put))

    async def step(self, name: str) -> None:
        """Announce a step, and wait until the application has taken it. Raises ``RuntimeError`` where it fails."""
        await self._to_app.put({"type": f"lifespan.{name}"})
        answer = asyncio.ensure_future(self._from_app.get())
        await asyncio.wait([answer, self._life], return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            answer.cancel()
        elif answer.result()["type"] == f"lifespan.{name}.failed":
            raise RuntimeError(f"the {name} of the receiver failed: {answer.result().get('message', '')}")

    async def end(self) -> None:
        """Let go of the application; what an ignorant one raised at the first step means nothing."""
        self._life.cancel()
        with suppress(Exception, asyncio.CancelledError):
            await self._life
