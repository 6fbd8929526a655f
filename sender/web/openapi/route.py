"""Where the description is served: beside what it describes, and not signed for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aiohttp import web

if TYPE_CHECKING:
    from sender.web.openapi.answers import Schema


def description_route(document: Schema) -> web.RouteDef:
    """Return the route to a document, which never changes while the program runs."""
    body = json.dumps(document).encode()

    async def describe(_request: web.Request) -> web.Response:
        return web.Response(body=body, content_type="application/json")

    return web.get("/v1/openapi.json", describe)
