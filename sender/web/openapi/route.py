"""Where the description is served: beside what it describes, and not signed for."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.web.openapi.answers import Schema


def description_route(make: Callable[[], Schema]) -> web.RouteDef:
    """Return the route to a document, which is made when somebody asks for it and never changes then."""

    @cache
    def body() -> bytes:
        return json.dumps(make()).encode()

    async def describe(_request: web.Request) -> web.Response:
        return web.Response(body=body(), content_type="application/json")

    return web.get("/v1/openapi.json", describe)
