"""The way in and out of every call of the control API: let in, validate, carry out once, answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aiohttp import web

from sender.domain.text import can_travel
from sender.errors import NotFound
from sender.suggest import shown
from sender.web.control.call import Ask, Reply
from sender.web.control.replays import HEADER
from sender.web.merchant.operation import Nothing
from sender.web.query import read_query
from sender.web.reading import json_object, read_body, target_of
from sender.web.validation import checked

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.web.admission import Admission
    from sender.web.control.call import Call
    from sender.web.control.replays import Replays

    Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

PREFIX = "/_sim/v1"


class Door:
    """Makes handlers of calls."""

    def __init__(self, admission: Admission, replays: Replays) -> None:
        self._admission = admission
        self._replays = replays

    def route(self, call: Call) -> web.RouteDef:
        """Return the route of a call; it serves no HEAD, which is no call of ours."""
        return web.route(call.method, PREFIX + call.path, self._handler(call))

    def _handler(self, call: Call) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            if not call.open:
                self._admission.check(request)
            ask = await _read(call, request)
            key = request.headers.get(HEADER)
            if key is None or call.method == "GET":
                return _answer(await call.handle(ask))

            async def work() -> Reply:
                reply = await call.handle(ask)
                return reply if isinstance(reply, Reply) else Reply()

            return _answer(await self._replays.once(key, request.method, request.path, work))

        return handle


async def _read(call: Call, request: web.Request) -> Ask[Any, Any]:
    body = await read_body(request)
    members = json_object(request, body) if call.method in {"POST", "PATCH"} else {}
    return Ask(
        request, _id_of(request), checked(call.body or Nothing, members), read_query(call.query, target_of(request)[1])
    )


def _id_of(request: web.Request) -> str:
    """Return the id in the path. Raises ``NotFound`` for one that no database can be asked for."""
    text = request.match_info.get("id", "")
    if not can_travel(text):
        raise NotFound(f"there is nothing of the id {shown(text)}")
    return text


def _answer(reply: Reply | web.StreamResponse) -> web.StreamResponse:
    """Return an answer; characters beyond ASCII are escaped, so that no text can make it unwritable."""
    if isinstance(reply, web.StreamResponse):
        return reply
    if reply.document is None:
        return web.Response(status=204)
    return web.Response(status=reply.status, body=json.dumps(reply.document).encode(), content_type="application/json")
