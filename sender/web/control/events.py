"""Deliveries over HTTP: in pages, one with its attempts and bytes, and one more attempt by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from sender.domain.delivery import DeliveryState
from sender.errors import NotFound
from sender.store import archive, mishaps, reads
from sender.store.cursor import Position, from_cursor, to_cursor
from sender.web.control.call import Ask, Call, Reply, number_of
from sender.web.control.documents import event_document, exact, exchange_document, instant
from sender.web.query import Query, digits
from sender.web.validation import Text

if TYPE_CHECKING:
    from sender.store.engine import Database, Session
    from sender.store.reads import EventView
    from sender.web.merchant.operation import Nothing

_CURSOR = "events"

Limit = Annotated[int, Field(ge=1, le=archive.NEWEST), digits]
Word = Annotated[Text, Field(min_length=1, max_length=100)]


class EventQuery(Query):
    """Which events are listed; ``cursor`` is the ``next_cursor`` of the page before."""

    limit: Limit = archive.NEWEST
    cursor: Word | None = None
    state: Annotated[DeliveryState, Field(strict=False)] | None = None
    event_type: Word | None = None
    endpoint_id: Word | None = None
    resource_id: Word | None = None


class AttemptQuery(Query):
    """Which attempts of an event are listed: those after the one with the id ``after``."""

    limit: Limit = archive.NEWEST
    after: Annotated[int, Field(ge=0), digits] = 0


class EventCalls:
    """Shows deliveries and what was sent for them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def calls(self) -> tuple[Call, ...]:
        """Return the calls."""
        return (
            Call(name="listEvents", method="GET", path="/events", handle=self.list, query=EventQuery,
                 answer="EventPage", summary="List events, newest first"),
            Call(name="getEvent", method="GET", path="/events/{id}", handle=self.get, answer="EventWithAttempts",
                 summary="Get an event with its body and its first hundred attempts"),
            Call(name="listAttempts", method="GET", path="/events/{id}/attempts", handle=self.attempts,
                 query=AttemptQuery, answer="AttemptPage", summary="List attempts of an event with every byte"),
            Call(name="getAttempt", method="GET", path="/attempts/{id}", handle=self.attempt, answer="Exchange",
                 summary="Get an attempt with exactly what was sent and answered"),
        )  # fmt: skip

    async def list(self, ask: Ask[Any, EventQuery]) -> Reply:
        """List events with the newest attempt of each."""
        query = ask.query
        before = None if query.cursor is None else from_cursor(_CURSOR, query.cursor).seq
        wanted = archive.EventQuery(
            limit=query.limit,
            before=before,
            state=query.state,
            event_type=query.event_type,
            endpoint_id=query.endpoint_id,
            resource_id=query.resource_id,
        )
        async with self._database.read() as session:
            page = await archive.page(session, wanted)
            last = await archive.last_attempts(session, page.items)
        items = [event_document(one, last.get(one.event_id)) for one in page.items]
        following = None if page.next_before is None else to_cursor(_CURSOR, Position(0, page.next_before))
        return Reply({"items": items, "next_cursor": following})

    async def get(self, ask: Ask[Any, Nothing]) -> Reply:
        """Get an event."""
        async with self._database.read() as session:
            event = await _required(session, ask.id)
            body = await reads.body_of(session, ask.id) or b""
            attempts = await archive.attempts_of(session, ask.id)
            last = await archive.last_attempts(session, [event])
            befell = await mishaps.of_event(session, ask.id)
        return Reply(
            {
                **event_document(event, last.get(ask.id)),
                "body": exact(body),
                "attempts_made": [exchange_document(one, body) for one in attempts],
                "mishaps": [{"what": one.what, "due_at": instant(one.due_at)} for one in befell],
            }
        )

    async def attempts(self, ask: Ask[Any, AttemptQuery]) -> Reply:
        """List attempts in the order in which they were recorded."""
        limit = ask.query.limit
        async with self._database.read() as session:
            await _required(session, ask.id)
            body = await reads.body_of(session, ask.id) or b""
            found = await archive.attempts_of(session, ask.id, ask.query.after, limit + 1)
        items = [exchange_document(one, body) for one in found[:limit]]
        return Reply({"items": items, "next_after": found[limit - 1].seq if len(found) > limit else None})

    async def attempt(self, ask: Ask[Any, Nothing]) -> Reply:
        """Get an attempt."""
        async with self._database.read() as session:
            attempt = await archive.attempt(session, number_of(ask.id) or 0)
            if attempt is None:
                raise NotFound(f"there is no attempt {ask.id[:64]}", code="attempt_not_found")
            body = await reads.body_of(session, attempt.event_id) or b""
        return Reply(exchange_document(attempt, body))


async def _required(session: Session, event_id: str) -> EventView:
    event = await archive.event(session, event_id)
    if event is None:
        raise NotFound(f"there is no event {event_id[:64]}", code="event_not_found")
    return event
