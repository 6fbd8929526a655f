"""What the groups of the control API share: the shape of a route, and how bodies, queries and answers are made."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from aiohttp import web

from sender.domain.text import can_travel
from sender.errors import NotFound
from sender.suggest import shown
from sender.web.query import Query, read_query
from sender.web.reading import json_object, read_body, target_of
from sender.web.validation import Fields, checked

Route = tuple[str, str, Callable[[web.Request], Awaitable[web.Response]]]
"""Method, path below the prefix, handler."""

F = TypeVar("F", bound=Fields)
Q = TypeVar("Q", bound=Query)


async def body_of(request: web.Request, model: type[F]) -> F:
    """Return the body of a request as ``model``. Raises ``RequestRefused`` for what is not one."""
    return checked(model, json_object(request, await read_body(request)))


def query_of(request: web.Request, model: type[Q]) -> Q:
    """Return the query of a request as ``model``. Raises ``RequestRefused`` for what is not one."""
    return read_query(model, target_of(request)[1])


def id_of(request: web.Request) -> str:
    """Return the id in the path. Raises ``NotFound`` for one that no database can be asked for."""
    text = request.match_info["id"]
    if not can_travel(text):
        raise NotFound(f"there is nothing of the id {shown(text)}")
    return text


def answer(document: Any, status: int = 200) -> web.Response:
    """Return a JSON answer; characters beyond ASCII are escaped, so that no text can make it unwritable."""
    return web.Response(status=status, body=json.dumps(document).encode(), content_type="application/json")


def gone() -> web.Response:
    """Return the answer to a deletion."""
    return web.Response(status=204)
