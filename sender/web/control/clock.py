"""Virtual time over HTTP: read it, and move it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from sender.domain.delivery import DeliveryState
from sender.durations import format_instant, parse_duration, parse_instant
from sender.errors import NotFound
from sender.store import outbox, world
from sender.store.upcoming import upcoming
from sender.web.control.call import Ask, Call, Reply
from sender.web.control.documents import upcoming_document
from sender.web.query import Query, digits
from sender.web.refusals import Flaw, Invalid
from sender.web.validation import Fields, Text

if TYPE_CHECKING:
    from sender.clock import Timeline
    from sender.durations import Instant
    from sender.store.engine import Session
    from sender.web.merchant.operation import Nothing
    from sender.web.parts import Parts

EventIds = Annotated[list[Annotated[Text, Field(min_length=1, max_length=64)]], Field(min_length=1, max_length=1000)]


class MoveBody(Fields):
    """How far time shall move: by a duration, to an instant, or until something is so."""

    by: Annotated[Text, Field(max_length=40)] | None = None
    to: Annotated[Text, Field(max_length=40)] | None = None
    until: Literal["idle", "delivered"] | None = None
    events: EventIds | None = None


class ModeBody(Fields):
    """The mode in which time goes on."""

    mode: Annotated[Text, Field(min_length=1, max_length=20)]


class UpcomingQuery(Query):
    """How many deadlines are listed."""

    limit: Annotated[int, Field(ge=1, le=100), digits] = 20


class ClockCalls:
    """Shows the clock, moves it and sets its mode. An advance is answered when all on the way has settled."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def calls(self) -> tuple[Call, ...]:
        """Return the calls."""
        return (
            Call(name="getClock", method="GET", path="/clock", handle=self.show, answer="Clock",
                 summary="Get mode, rate and the virtual instant"),
            Call(name="moveClock", method="POST", path="/clock", handle=self.advance, body=MoveBody, answer="Now",
                 refusals=(404,), summary="Advance by a duration, to an instant, or until something is so"),
            Call(name="setMode", method="PATCH", path="/clock", handle=self.set_mode, body=ModeBody, answer="Clock",
                 summary="Let time go on in another mode: real, manual, skip or scale:N"),
            Call(name="listUpcoming", method="GET", path="/clock/upcoming", handle=self.upcoming,
                 query=UpcomingQuery, answer="UpcomingList", summary="List what time will bring, earliest first"),
        )  # fmt: skip

    async def show(self, _ask: Ask[Any, Any]) -> Reply:
        """Show the clock."""
        async with self._parts.database.read() as session:
            here = (await world.read_world(session)).timeline
        return Reply(clock_document(here, here.at(self._parts.runtime.clock.real_now())))

    async def advance(self, ask: Ask[MoveBody, Nothing]) -> Reply:
        """Advance by, to or until; answers where time stands then."""
        _require_one(ask.body)
        return Reply({"now": format_instant(await self._moved(ask.body))})

    async def set_mode(self, ask: Ask[ModeBody, Nothing]) -> Reply:
        """Set the mode; time goes on from where it stands."""
        await self._parts.conductor.set_mode(ask.body.mode)
        return await self.show(ask)

    async def upcoming(self, ask: Ask[Any, UpcomingQuery]) -> Reply:
        """List the next deadlines."""
        async with self._parts.database.read() as session:
            here = (await world.read_world(session)).timeline
            now = here.at(self._parts.runtime.clock.real_now())
            found = await upcoming(session, now, ask.query.limit)
        return Reply({"now": format_instant(now), "items": [upcoming_document(one) for one in found]})

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


def clock_document(here: Timeline, now: Instant) -> dict[str, Any]:
    """Return a clock as it is shown."""
    return {"mode": here.mode, "rate": here.rate, "now": format_instant(now)}


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
