"""How a description is served: beside what it describes."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.web.openapi.answers import Schema


def described(make: Callable[[], Schema]) -> Callable[[object], Awaitable[web.Response]]:
    """Return the handler of a document, which is made when somebody asks for it and never changes then."""

    @cache
    def body() -> bytes:
        return json.dumps(make()).encode()

    async def describe(_asked: object) -> web.Response:
        return web.Response(body=body(), content_type="application/json")

    return describe
