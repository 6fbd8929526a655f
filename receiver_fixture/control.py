"""Everything beside the webhook: what was received, what became of it, and the switches for a story."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from json import JSONDecodeError
from typing import TYPE_CHECKING

from aiohttp import web

from receiver_fixture import reads
from receiver_fixture.booking import pending
from receiver_fixture.errors import Refused, StorageFailure
from receiver_fixture.inbox import clear
from receiver_fixture.problems import problem
from receiver_fixture.script_input import read_script
from receiver_fixture.words import is_word

if TYPE_CHECKING:
    from collections.abc import Mapping

    from receiver_fixture.flaws import Flaws
    from receiver_fixture.keyring import Keyring
    from receiver_fixture.ledger import Ledger
    from receiver_fixture.scripts import ScriptQueue
    from receiver_fixture.worker import Worker


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """The handlers; no answer of theirs holds a secret."""

    ledger: Ledger
    worker: Worker
    scripts: ScriptQueue
    keyring: Keyring
    flaws: Flaws

    def routes(self) -> list[web.RouteDef]:
        """Return every route of the control interface."""
        return [
            web.get("/orders", self.orders),
            web.get("/orders/{external_order_id}", self.order),
            web.get("/resources", self.resources),
            web.get("/received", self.received),
            web.get("/received/{event_id}", self.received_event),
            web.get("/_script", self.show_scripts),
            web.post("/_script", self.add_script),
            web.delete("/_script", self.clear_scripts),
            web.post("/_secrets", self.replace_secrets),
            web.get("/_stats", self.stats),
            web.get("/_idle", self.idle),
            web.post("/_reset", self.reset),
            web.get("/healthz", self.health),
        ]

    async def orders(self, _request: web.Request) -> web.Response:
        """Show every order."""
        return web.json_response({"orders": await self.ledger.read(reads.order_list)})

    async def order(self, request: web.Request) -> web.Response:
        """Show one order with its events; 404 until the first of them has been applied."""
        wanted = _named(request, "external_order_id")
        found = await self.ledger.read(partial(reads.order, external_order_id=wanted))
        return _found(found, f"no event of order {wanted!r} has been applied")

    async def resources(self, _request: web.Request) -> web.Response:
        """Show the last state of every invoice, withdrawal and deposit."""
        return web.json_response({"resources": await self.ledger.read(reads.resource_list)})

    async def received(self, request: web.Request) -> web.Response:
        """Sum up what was received, by event; filters are query parameters."""
        unknown = sorted(set(request.query) - set(reads.RECEIVED_FILTERS))
        if unknown:
            raise Refused(f"{unknown[0]!r} is not a filter; use {', '.join(reads.RECEIVED_FILTERS)}")
        if not all(map(is_word, request.query.values())):
            raise Refused("a filter must be non-blank text of at most 200 characters")
        found = await self.ledger.read(partial(reads.received, filters=dict(request.query)))
        return web.json_response({"received": found})

    async def received_event(self, request: web.Request) -> web.Response:
        """Show one event with each request that named it."""
        wanted = _named(request, "event_id")
        found = await self.ledger.read(partial(reads.received_event, event_id=wanted))
        return _found(found, f"no request named event {wanted!r}")

    async def show_scripts(self, _request: web.Request) -> web.Response:
        """Show the scripted answers and how often each was used."""
        return web.json_response({"scripts": self.scripts.shown()})

    async def add_script(self, request: web.Request) -> web.Response:
        """Queue one scripted answer."""
        script = read_script(await _json_object(request))
        return web.json_response(self.scripts.add(script).shown(), status=201)

    async def clear_scripts(self, _request: web.Request) -> web.Response:
        """Take every scripted answer away."""
        self.scripts.clear()
        return web.Response(status=204)

    async def replace_secrets(self, request: web.Request) -> web.Response:
        """Accept these secrets and no others."""
        document = await _json_object(request)
        if set(document) != {"secrets"}:
            raise Refused('the body is {"secrets": ["whsec_…", …]} and nothing else')
        return web.json_response({"accepted_secrets": self.keyring.replace(document["secrets"])})

    async def stats(self, _request: web.Request) -> web.Response:
        """Count everything."""
        counted = await self.ledger.read(reads.stats)
        extra = {"storage_failures": self.ledger.failures, "flaws": sorted(self.flaws)}
        return web.json_response({**counted, **extra})

    async def idle(self, _request: web.Request) -> web.Response:
        """Answer as soon as everything received has been applied."""
        await self.worker.idle()
        return web.json_response({"idle": True})

    async def reset(self, _request: web.Request) -> web.Response:
        """Forget all events, orders and scripts; the secrets stay."""
        self.scripts.clear()
        await self.ledger.write(clear)
        return web.Response(status=204)

    async def health(self, _request: web.Request) -> web.Response:
        """Tell whether deliveries can be stored."""
        try:
            await self.ledger.read(partial(pending, batch=1))
        except StorageFailure:
            return problem(503, "storage_failed", "the ledger cannot be used")
        return web.json_response({"status": "ok"})


def _named(request: web.Request, part: str) -> str:
    wanted = request.match_info[part]
    # PostgreSQL does not even take the question whether it has an id with a NUL.
    if not is_word(wanted):
        raise Refused(f"{wanted!r} cannot be the name of anything here", status=404, code="not_found")
    return wanted


def _found(document: reads.Shown | None, otherwise: str) -> web.Response:
    if document is None:
        raise Refused(otherwise, status=404, code="not_found")
    return web.json_response(document)


async def _json_object(request: web.Request) -> Mapping[str, object]:
    try:
        document = await request.json()
    except (JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused("the body is not JSON") from error
    if not isinstance(document, dict):
        raise Refused("the body must be a JSON object")
    return document
