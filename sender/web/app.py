"""The web application: everything that is served on one port, put together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aiohttp import web

from sender.web.admission import Admission
from sender.web.checkout.app import Checkout
from sender.web.control.api import ControlApi
from sender.web.dashboard.app import Dashboard
from sender.web.dashboard.pages import Pages
from sender.web.hosts import make_hosts
from sender.web.merchant.api import Memory, merchant_operations, merchant_routes
from sender.web.openapi.document import make_document
from sender.web.openapi.route import described
from sender.web.problems import make_problems
from sender.web.reading import LARGEST_BODY

if TYPE_CHECKING:
    from sender.web.parts import ApiOptions, Parts

ADMISSION = web.AppKey("admission", Admission)
"""Where pages find the token that their changes carry."""


def make_app(parts: Parts, options: ApiOptions) -> web.Application:
    """Return the application, not yet listening; run it with ``make_runner``."""
    if options.public_url is not None:
        parts = replace(parts, profile=replace(parts.profile, checkout_url=options.public_url))
    app = web.Application(
        middlewares=[make_problems(parts.runtime.log), make_hosts(options.names)], client_max_size=LARGEST_BODY
    )
    memory = Memory(parts.runtime.clock)
    operations = merchant_operations(parts, memory)
    app.add_routes(merchant_routes(parts, options, operations, memory))
    url = options.public_url or "/"
    # The description is not signed for: it holds nothing that is anybody's own.
    app.add_routes(
        [web.get("/v1/openapi.json", described(lambda: make_document(operations, parts.profile.catalogue, url)))]
    )
    admission = Admission(options.control_token)
    app[ADMISSION] = admission
    ControlApi(parts, memory.forget).add_to(app, admission, url)
    dashboard = Dashboard(parts, admission, Pages("sender.web.dashboard", "sender.web.checkout"))
    dashboard.add_to(app)
    Checkout(parts, dashboard.door).add_to(app)
    return app
