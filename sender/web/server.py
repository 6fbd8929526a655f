"""The HTTP server: aiohttp's, whose own refusals are problem documents too."""

from __future__ import annotations

import asyncio
import logging
from http import HTTPStatus
from typing import TYPE_CHECKING

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from typing_extensions import override

from sender.web.problems import problem

if TYPE_CHECKING:
    from aiohttp.web_request import BaseRequest

SHUTDOWN_SECONDS = 1.0
"""How long a request may take to end when the server stops; spent at most twice by aiohttp."""

_CODES = {400: "malformed_http", 417: "expectation_failed"}
_LONGEST_DETAIL = 300


def make_runner(app: web.Application) -> web.AppRunner:
    """Return a runner for the application.

    ``auto_decompress`` is off because a signature covers the bytes of the wire (contract §5.1). A handler is not
    cancelled when its client leaves: what was asked for is carried out.
    """
    log = logging.getLogger(__name__)
    log.addFilter(_is_about_us)
    return _Runner(app, logger=log, access_log=None, auto_decompress=False, shutdown_timeout=SHUTDOWN_SECONDS)


class _Handler(web.RequestHandler):
    """One connection; what aiohttp answers before or beside every handler of ours is made a problem document."""

    __slots__ = ()

    @override
    def handle_error(
        self, request: BaseRequest, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        plain = super().handle_error(request, status, exc, message)
        detail = (message or HTTPStatus(status).description or "refused").partition("\n")[0][:_LONGEST_DETAIL]
        told = problem(status, _CODES.get(status, "internal"), detail)
        if plain.keep_alive is False:
            told.force_close()
        return told

    @override
    async def finish_response(
        self, request: BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        if isinstance(resp, web.HTTPException) and resp.status >= HTTPStatus.BAD_REQUEST:
            resp = problem(resp.status, _CODES.get(resp.status, "bad_request"), (resp.text or "")[:_LONGEST_DETAIL])
        return await super().finish_response(request, resp, start_time)


class _Server(web.Server):
    """Makes a handler for each connection."""

    @override
    def __call__(self) -> web.RequestHandler:
        return _Handler(self, loop=self._loop, **self._kwargs)


class _Runner(web.AppRunner):
    """Runs the application on a server of ours."""

    __slots__ = ()

    @override
    async def _make_server(self) -> web.Server:
        made = await super()._make_server()
        return _Server(
            made.request_handler,
            request_factory=made.request_factory,
            handler_cancellation=made.handler_cancellation,
            loop=asyncio.get_running_loop(),
            **made._kwargs,  # noqa: SLF001 - what aiohttp made of our own options; the release is capped
        )


def _is_about_us(record: logging.LogRecord) -> bool:
    """Leave out what aiohttp tells, with a traceback, of requests that are not HTTP; their senders get a 400."""
    return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))
