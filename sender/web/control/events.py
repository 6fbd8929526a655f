"""Deliveries over HTTP: the newest, one with its attempts and bytes, and one more attempt by hand."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from sender.durations import format_duration, format_instant
from sender.errors import NotFound
from sender.store import reads
from sender.web.control.route import Route, answer, id_of, query_of
from sender.web.query import Query, digits
from sender.web.validation import Text

if TYPE_CHECKING:
    from aiohttp import web

    from sender.store.reads import AttemptView, EventView
    from sender.web.parts import Parts

NEWEST = 100
"""As many as the provider's dashboard shows (contract §1.10)."""


Limit = Annotated[int, Field(ge=1, le=NEWEST), digits]
ResourceId = Annotated[Text, Field(min_length=1, max_length=64)]


class EventQuery(Query):
    """Which events are listed."""

    limit: Limit = NEWEST
    resource_id: ResourceId | None = None


class EventApi:
    """Shows deliveries and resends them."""

    def __init__(self, parts: Parts) -> None:
        self._database = parts.database
        self._subscriptions = parts.subscriptions

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            ("GET", "/events", self.list),
            ("GET", "/events/{id}", self.get),
            ("POST", "/events/{id}/resend", self.resend),
        ]

    async def list(self, request: web.Request) -> web.Response:
        """Show the newest events, newest first."""
        query = query_of(request, EventQuery)
        async with self._database.read() as session:
            found = await reads.events(session, query.resource_id)
        return answer({"items": [_event(one) for one in reversed(found[-query.limit :])]})

    async def get(self, request: web.Request) -> web.Response:
        """Show one event with its body and every attempt."""
        event_id = id_of(request)
        async with self._database.read() as session:
            event = next((one for one in await reads.events(session) if one.event_id == event_id), None)
            if event is None:
                raise NotFound(f"there is no event {event_id[:64]}", code="event_not_found")
            body = await reads.body_of(session, event_id)
            attempts = [one for one in await reads.attempts_after(session) if one.event_id == event_id]
        return answer(
            {**_event(event), "body": _bytes(body or b""), "attempts_made": [_attempt(one) for one in attempts]}
        )

    async def resend(self, request: web.Request) -> web.Response:
        """Ask for one extra attempt at once; it is made after this is answered."""
        event_id = id_of(request)
        await self._subscriptions.resend(event_id)
        return answer({"event_id": event_id}, status=202)


def _event(event: EventView) -> dict[str, Any]:
    return {
        "event_id": event.event_id,
        "event_type": event.event_type,
        "resource_id": event.resource_id,
        "endpoint_id": event.endpoint_id,
        "state": event.state,
        "attempts": event.attempts,
        "failures": event.failures,
        "in_flight": event.in_flight,
        "next_attempt_at": None if event.due_at is None else format_instant(event.due_at),
    }


def _attempt(attempt: AttemptView) -> dict[str, Any]:
    return {
        "number": attempt.number,
        "trigger": attempt.trigger,
        "counted": attempt.counted,
        "due_at": format_instant(attempt.due_at),
        "started_at": format_instant(attempt.started_at),
        "finished_at": format_instant(attempt.finished_at),
        "duration": format_duration(attempt.duration),
        "outcome": attempt.outcome,
        "reason": attempt.reason,
        "status": attempt.status,
        "detail": attempt.detail,
        "url": attempt.url,
        "request_headers": attempt.request_headers,
        "answer_headers": attempt.answer_headers,
        "answer_body": _bytes(attempt.answer_body),
        "answer_cut": attempt.answer_cut,
        "faults": attempt.faults,
    }


def _bytes(data: bytes) -> dict[str, str]:
    """Return bytes as text to read and as base64 to be exact."""
    return {"text": data.decode(errors="replace"), "base64": base64.b64encode(data).decode()}
