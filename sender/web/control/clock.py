"""Virtual time over HTTP: read it, and move it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from sender.domain.delivery import DeliveryState
from sender.durations import format_instant, parse_duration, parse_instant
from sender.errors import NotFound
from sender.store import outbox, world
from sender.web.control.route import Route, answer, body_of
from sender.web.refusals import Flaw, Invalid
from sender.web.validation import Fields, Text

if TYPE_CHECKING:
    from aiohttp import web

    from sender.durations import Instant
    from sender.store.engine import Session
    from sender.web.parts import Parts

EventIds = Annotated[list[Annotated[Text, Field(min_length=1, max_length=64)]], Field(min_length=1, max_length=1000)]


class MoveBody(Fields):
    """How far time shall move: by a duration, to an instant, or until something is so."""

    by: Annotated[Text, Field(max_length=40)] | None = None
    to: Annotated[Text, Field(max_length=40)] | None = None
    until: Literal["idle", "delivered"] | None = None
    events: EventIds | None = None


class ClockApi:
    """Shows the clock and advances it. A call returns when everything on the way has happened and settled."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [("GET", "/clock", self.show), ("POST", "/clock", self.advance)]

    async def show(self, _request: web.Request) -> web.Response:
        """Show mode, rate and the virtual instant."""
        async with self._parts.database.read() as session:
            here = (await world.read_world(session)).timeline
        now = here.at(self._parts.runtime.clock.real_now())
        return answer({"mode": here.mode, "rate": here.rate, "now": format_instant(now)})

    async def advance(self, request: web.Request) -> web.Response:
        """Advance by, to or until; answers where time stands then."""
        move = await body_of(request, MoveBody)
        _require_one(move)
        return answer({"now": format_instant(await self._moved(move))})

    async def _moved(self, move: MoveBody) -> Instant:
        conductor = self._parts.conductor
        if move.by is not None:
            return await conductor.advance_by(parse_duration(move.by))
        if move.to is not None:
            return await conductor.advance_to(parse_instant(move.to))
        if move.until == "idle":
            return await conductor.advance_until_idle()
        return await self._until_delivered(move.events or [])

    async def _until_delivered(self, event_ids: list[str]) -> Instant:
        async def final(session: Session) -> bool:
            return all([await _state(session, one) is not DeliveryState.PENDING for one in event_ids])

        async with self._parts.database.read() as session:
            await final(session)
        return await self._parts.conductor.advance_until(final)


def _require_one(move: MoveBody) -> None:
    if sum(way is not None for way in (move.by, move.to, move.until)) != 1:
        raise Invalid([Flaw("validation_failed", "", 'write one of by, to and until, as in {"by": "1h30m"}')])
    if (move.until == "delivered") != (move.events is not None):
        raise Invalid([Flaw("field_required", "events", "until delivered needs events, and nothing else takes them")])


async def _state(session: Session, event_id: str) -> DeliveryState:
    found = await outbox.find(session, event_id)
    if found is None:
        raise NotFound(f"there is no event {event_id}", code="event_not_found")
    return found[1].state
