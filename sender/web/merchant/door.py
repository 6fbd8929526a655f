"""The way in and out of every operation: authenticate, limit, validate, carry out, answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from sender.providers.paymos_wire import to_bytes
from sender.web.merchant.gate import EVERYBODY
from sender.web.merchant.operation import Ask
from sender.web.query import read_query
from sender.web.reading import json_object, read_body, target_of
from sender.web.validation import checked

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from sender.providers.paymos_networks import Catalogue
    from sender.web.merchant.gate import Caller, Gate
    from sender.web.merchant.limiter import Limiter
    from sender.web.merchant.operation import Operation, Reply

    Handler = Callable[[web.Request], Awaitable[web.Response]]


class Door:
    """Makes handlers of operations. Without a ``gate`` everybody is let in, without a ``limiter`` any number.

    ``catalogue`` holds the currencies and networks that a body may name.
    """

    def __init__(self, gate: Gate | None, limiter: Limiter | None, catalogue: Catalogue) -> None:
        self._gate = gate
        self._limiter = limiter
        self._catalogue = catalogue

    def routes(self, operations: Iterable[Operation]) -> list[web.RouteDef]:
        """Return a route for each operation."""
        return [_route(one.method, one.path, self._handler(one)) for one in operations]

    def _handler(self, operation: Operation) -> Handler:
        async def handle(request: web.Request) -> web.Response:
            body = await read_body(request)
            caller = await self._admit(request, body)
            caller.require(operation.key, sandbox=operation.sandbox)
            # A GET has no body that means anything; what is there was signed and is otherwise let be.
            members = json_object(request, body) if operation.method == "POST" else {}
            ask = Ask(
                caller=caller,
                id=request.match_info.get("id", ""),
                body=checked(operation.body, members, self._catalogue),
                query=read_query(operation.query, target_of(request)[1]),
            )
            return _answer(await operation.handle(ask))

        return handle

    async def _admit(self, request: web.Request, body: bytes) -> Caller:
        caller = EVERYBODY if self._gate is None else await self._gate.admit(request, body)
        if self._limiter is not None:
            self._limiter.spend(caller.key_id)
        return caller


def _route(method: str, path: str, handler: Handler) -> web.RouteDef:
    # HEAD is no operation of the contract, and aiohttp would add it to every GET.
    return web.get(path, handler, allow_head=False) if method == "GET" else web.post(path, handler)


def _answer(reply: Reply) -> web.Response:
    return web.Response(
        status=201 if reply.created else 200,
        body=to_bytes(reply.document),
        content_type="application/json",
        charset="utf-8",
    )
