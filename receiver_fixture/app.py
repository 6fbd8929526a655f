"""The web application: routes, error documents, and the server settings that webhooks need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from receiver_fixture.problems import problems

if TYPE_CHECKING:
    from receiver_fixture.control import Control
    from receiver_fixture.webhook import Webhook

_LARGEST_BODY = 1024 * 1024
# A forged signature of ten kilobytes is for the verifier to refuse, not for the server to trip over.
_LARGEST_HEADER = 64 * 1024
# Spent at most twice by aiohttp, once for the handlers and once for their connections.
_SHUTDOWN_SECONDS = 0.1


def make_runner(webhook: Webhook, control: Control, path: str) -> web.AppRunner:
    """Put the application together, not yet listening.

    ``auto_decompress`` is off because the signature covers the bytes of the wire (contract §1.2);
    ``handler_cancellation`` is on so that a delayed answer ends when its client leaves.
    """
    app = web.Application(middlewares=[problems], client_max_size=_LARGEST_BODY)
    app.add_routes([*(web.route(method, path, webhook.receive) for method in webhook.methods), *control.routes()])
    return web.AppRunner(
        app,
        access_log=None,
        auto_decompress=False,
        handler_cancellation=True,
        shutdown_timeout=_SHUTDOWN_SECONDS,
        max_field_size=_LARGEST_HEADER,
    )
