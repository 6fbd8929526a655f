"""The page of one event: its attempts on a time axis, one of them in full, and what may be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aiohttp import web

from sender.domain.endpoint import EndpointStatus
from sender.durations import SECOND
from sender.errors import Conflict, NotFound
from sender.store import archive, mishaps, reads
from sender.store.settings import read_endpoint, read_endpoints
from sender.web.control.call import Ask, number_of
from sender.web.control.resend import ResendBody, ResendCalls
from sender.web.dashboard.axis import axis
from sender.web.dashboard.curl import curl
from sender.web.dashboard.difference import difference
from sender.web.dashboard.pages import HEADERS
from sender.web.dashboard.shown import show
from sender.web.dashboard.signing import explain
from sender.web.dashboard.visit import Page, done
from sender.web.dashboard.why import ADVICE, why_twice
from sender.web.merchant.operation import Nothing
from sender.web.validation import checked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.domain.endpoint import Endpoint
    from sender.store.engine import Session
    from sender.store.reads import AttemptView, EventView
    from sender.web.dashboard.visit import Visit, Went
    from sender.web.parts import Parts


class EventPage:
    """Shows one event, hands out its bytes, and resends."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._resends = ResendCalls(parts.database, parts.subscriptions)

    async def show(self, visit: Visit) -> Page:
        """Show the event with the attempt that was chosen, or the last one, and beside another where that is asked."""
        after = number_of(visit.asked("after") or "") or 0
        async with self._parts.database.read() as session:
            event = await _required(session, visit.id)
            endpoint = await _endpoint(session, event.endpoint_id)
            body = await reads.body_of(session, visit.id) or b""
            attempts = await archive.attempts_of(session, visit.id, after, archive.NEWEST + 1)
            befell = await mishaps.of_event(session, visit.id)
            subscribed = _subscribed(await read_endpoints(session), endpoint)
        more = len(attempts) > archive.NEWEST
        attempts = attempts[: archive.NEWEST]
        chosen = _chosen(attempts, visit.asked("attempt")) or (attempts[-1] if attempts else None)
        other = _chosen(attempts, visit.asked("with"))
        lost = [one.due_at for one in befell if one.what == mishaps.TAKEN_BACK and one.due_at is not None]
        values = {
            "event": event,
            "endpoint": endpoint,
            "attempts": attempts,
            "more_after": attempts[-1].seq if more else None,
            "after": after,
            "axis": axis(attempts, event.due_at, visit.now, lost),
            "why": why_twice(attempts, befell, subscribed),
            "advice": ADVICE,
            "body": show(body),
            "chosen": chosen,
            "other": other,
        }
        return Page("event.html", {**values, **_exchange(chosen, other, body, endpoint, self._parts)})

    async def curl(self, visit: Visit) -> web.Response:
        """Hand out the delivery as a command, signed now."""
        async with self._parts.database.read() as session:
            event = await _required(session, visit.id)
            endpoint = await _endpoint(session, event.endpoint_id)
            body = await reads.body_of(session, visit.id) or b""
        if endpoint is None:
            raise Conflict("the endpoint is gone, and its secret with it")
        stamp = self._parts.runtime.clock.real_now() // SECOND
        return _download(curl(self._parts.profile, endpoint, event.event_id, body, (visit.now, stamp)).encode())

    async def body(self, visit: Visit) -> web.Response:
        """Hand out the bytes that are sent."""
        async with self._parts.database.read() as session:
            await _required(session, visit.id)
            return _download(await reads.body_of(session, visit.id) or b"", f"{visit.id[:64]}.json")

    async def answer(self, visit: Visit) -> web.Response:
        """Hand out the bytes that a receiver answered."""
        async with self._parts.database.read() as session:
            attempt = await archive.attempt(session, number_of(visit.id) or 0)
        if attempt is None:
            raise NotFound(f"there is no attempt {visit.id[:64]}", code="attempt_not_found")
        return _download(attempt.answer_body, f"answer-{attempt.seq}.bin")

    async def resend(self, visit: Visit) -> Went:
        """Ask for one more attempt."""
        await self._resends.one(Ask(visit.request, visit.id, Nothing(), Nothing()))
        return done("One more attempt was asked for.")

    async def resend_failed(self, visit: Visit) -> Went:
        """Ask for one more attempt of everything that failed, at one endpoint or at all."""
        wish = checked(ResendBody, {"failed": True, "endpoint_id": visit.given("endpoint_id")})
        reply = await self._resends.many(Ask(visit.request, "", wish, Nothing()))
        return done("Events that are sent once more: {count}.", count=len(reply.document["resent"]))


def _exchange(
    chosen: AttemptView | None, other: AttemptView | None, body: bytes, endpoint: Endpoint | None, parts: Parts
) -> dict[str, Any]:
    if chosen is None:
        return {}
    header = parts.profile.signature_header.lower()
    signed = next((value for name, value in chosen.request_headers if name.lower() == header), "")
    return {
        "answer": show(chosen.answer_body),
        "explained": explain(signed, body, endpoint),
        "differences": difference(other, chosen) if other is not None and other is not chosen else None,
        "detail": show(chosen.detail.encode("utf-8", "replace")),
    }


def _chosen(attempts: Sequence[AttemptView], asked: str | None) -> AttemptView | None:
    return next((one for one in attempts if str(one.seq) == asked), None)


def _subscribed(endpoints: Sequence[Endpoint], endpoint: Endpoint | None) -> int:
    """Return how many endpoints that are there have the URL of this one."""
    there = [one.url for one in endpoints if one.status is not EndpointStatus.DELETED]
    return 1 if endpoint is None else there.count(endpoint.url)


async def _endpoint(session: Session, endpoint_id: str) -> Endpoint | None:
    try:
        return await read_endpoint(session, endpoint_id)
    except NotFound:
        return None


async def _required(session: Session, event_id: str) -> EventView:
    event = await archive.event(session, event_id)
    if event is None:
        raise NotFound(f"there is no event {event_id[:64]}", code="event_not_found")
    return event


def _download(data: bytes, name: str | None = None) -> web.Response:
    """Return bytes that no browser shows as anything but text, or saves."""
    headers = {**HEADERS, "Content-Security-Policy": "default-src 'none'; sandbox"}
    if name is None:
        return web.Response(body=data, content_type="text/plain", charset="utf-8", headers=headers)
    headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return web.Response(body=data, content_type="application/octet-stream", headers=headers)
