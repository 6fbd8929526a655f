"""The web application: everything that is served on one port, put together."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from sender.web.control.api import ControlApi
from sender.web.hosts import make_hosts
from sender.web.merchant.api import merchant_operations, merchant_routes
from sender.web.openapi.document import make_document
from sender.web.openapi.route import description_route
from sender.web.problems import make_problems
from sender.web.reading import LARGEST_BODY

if TYPE_CHECKING:
    from sender.web.parts import ApiOptions, Parts

SHUTDOWN_SECONDS = 1.0
"""How long a request may take to end when the server stops; spent at most twice by aiohttp."""


def make_app(parts: Parts, options: ApiOptions) -> web.Application:
    """Return the application, not yet listening; run it with ``make_runner``."""
    if options.public_url is not None:
        parts = replace(parts, profile=replace(parts.profile, checkout_url=options.public_url))
    app = web.Application(
        middlewares=[make_problems(parts.runtime.log), make_hosts(options.names)], client_max_size=LARGEST_BODY
    )
    operations = merchant_operations(parts)
    app.add_routes(merchant_routes(parts, options, operations))
    url = options.public_url or "/"
    app.add_routes([description_route(lambda: make_document(operations, parts.profile.catalogue, url))])
    app.add_routes(ControlApi(parts, options.control_token).routes())
    return app


def make_runner(app: web.Application) -> web.AppRunner:
    """Return a runner for the application.

    ``auto_decompress`` is off because a signature covers the bytes of the wire (contract §5.1). A handler is not
    cancelled when its client leaves: what was asked for is carried out.
    """
    log = logging.getLogger(__name__)
    log.addFilter(_is_about_us)
    return web.AppRunner(app, logger=log, access_log=None, auto_decompress=False, shutdown_timeout=SHUTDOWN_SECONDS)


def _is_about_us(record: logging.LogRecord) -> bool:
    """Leave out what aiohttp tells, with a traceback, of requests that are not HTTP; their senders get a 400."""
    return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))
