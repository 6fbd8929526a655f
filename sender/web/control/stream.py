"""The stream of what happens, as server-sent events: queued events, recorded attempts, the clock, resets.

A brief one tells only how much there is that is new, some times a second however much happens: all that a page needs
that looks for itself. It reads no rows, so that a dashboard that is open costs the relays next to nothing.

It is fed from the database, because the relay is another process and may be on another host. Each follower has a
position of its own and reads on from it in bounded steps, so nothing is kept for one that is slow; one that does not
take what is written to it is cut off, and goes on from its last id when it comes back.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

from aiohttp import web
from pydantic import Field

from sender.durations import SECOND
from sender.errors import StoreError
from sender.store import clearing, reads, world
from sender.web.control.call import Ask, Call
from sender.web.control.clock import clock_document
from sender.web.control.documents import attempt_document, event_document, exchange_document
from sender.web.control.tail import News, Position, Tail, newest, read_position
from sender.web.query import Query
from sender.web.refusals import RateLimited
from sender.web.validation import Text

if TYPE_CHECKING:
    from sender.store.engine import Session
    from sender.store.reads import AttemptView
    from sender.web.parts import Parts

PAUSE = 0.25
"""Real seconds between two looks."""
HEARTBEAT = 15 * SECOND
"""Real time after which a follower is told that nothing happened."""
SLOW = 10.0
"""Real seconds that a follower gets to take what is written to it."""
MOST_FOLLOWERS = 100


class StreamQuery(Query):
    """Where the stream begins (the id of a message; now, when left out), and how much is told.

    ``bytes`` lets attempts come with all of theirs; ``brief`` tells only how many events and attempts are new.
    """

    after: Annotated[Text, Field(min_length=1, max_length=60)] | None = None
    bytes: Annotated[str, Field(pattern="^[01]$")] = "0"
    brief: Annotated[str, Field(pattern="^[01]$")] = "0"


class StreamCalls:
    """Lets followers follow."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._followers = 0
        self._closing = False

    def calls(self) -> tuple[Call, ...]:
        """Return the call."""
        return (
            Call(name="follow", method="GET", path="/stream", handle=self.follow, query=StreamQuery,
                 content="text/event-stream", refusals=(429,),
                 summary="Follow queued events, attempts, clock and resets as server-sent events"),
        )  # fmt: skip

    async def close(self, _app: web.Application) -> None:
        """Let every follower go at its next look: a server that stops waits for nobody who listens for ever."""
        self._closing = True

    async def follow(self, ask: Ask[Any, StreamQuery]) -> web.StreamResponse:
        """Write until the follower leaves, is too slow, or the server stops."""
        if self._followers >= MOST_FOLLOWERS:
            raise RateLimited(f"{MOST_FOLLOWERS} followers are there already", retry_after=1)
        response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store"}
        )
        self._followers += 1
        try:
            with suppress(ConnectionError):
                await self._write_to(ask, response)
        except TimeoutError:
            if ask.request.transport is not None:
                ask.request.transport.abort()
        finally:
            self._followers -= 1
        return response

    async def _write_to(self, ask: Ask[Any, StreamQuery], response: web.StreamResponse) -> None:
        clock = self._parts.runtime.clock
        await response.prepare(ask.request)
        asked = ask.request.headers.get("Last-Event-ID") or ask.query.after or ""
        query = ask.query
        follower = Follower(self._parts, read_position(asked), whole=query.bytes == "1", brief=query.brief == "1")
        written = clock.monotonic()
        while not self._closing:
            try:
                text = await follower.news()
            except StoreError:
                text = ""
            if not text and clock.monotonic() - written > HEARTBEAT:
                text = ":\n\n"
            if text:
                written = clock.monotonic()
                async with clock.timeout(SLOW):
                    await response.write(text.encode())
            if not follower.behind:
                await clock.sleep(PAUSE)


class Follower:
    """One follower: what it has seen of events, attempts, the clock and resets."""

    def __init__(self, parts: Parts, position: Position | None, *, whole: bool, brief: bool = False) -> None:
        self._parts = parts
        self._whole = whole
        self._brief = brief
        self._tail = None if position is None else Tail(position)
        self._world: world.World | None = None
        self.behind = False

    async def news(self) -> str:
        """Return what is new as text of the stream."""
        async with self._parts.database.read() as session:
            said = await self._about_the_world(session)
            assert self._tail is not None  # noqa: S101 - the world was looked at first
            said += await (self._in_brief(session, self._tail) if self._brief else self._in_full(session, self._tail))
            position = self._tail.position
        # Only the last one carries the id: whoever is cut off in between gets all of them again.
        return "".join(_message(*one) for one in said[:-1]) + "".join(_message(*one, position) for one in said[-1:])

    async def _about_the_world(self, session: Session) -> list[tuple[str, Any]]:
        said: list[tuple[str, Any]] = []
        resets = await clearing.resets(session)
        if self._tail is None:
            self._tail = Tail(await newest(session, resets))
        elif self._tail.position.resets != resets:
            self._tail = Tail(Position(resets, 0, 0))
            said.append(("reset", {"resets": resets}))
        here = await world.read_world(session)
        if here != self._world:
            now = here.timeline.at(self._parts.runtime.clock.real_now())
            said.append(("clock", clock_document(here.timeline, now)))
            if self._world is not None and here.revision != self._world.revision:
                said.append(("changed", {"revision": here.revision}))
            self._world = here
        return said

    async def _in_brief(self, session: Session, tail: Tail) -> list[tuple[str, Any]]:
        counts = await tail.jump(session)
        return [("news", counts)] if any(counts.values()) else []

    async def _in_full(self, session: Session, tail: Tail) -> list[tuple[str, Any]]:
        news = await tail.look(session, self._parts.runtime.clock.monotonic())
        self.behind = news.more
        return await self._about(session, news)

    async def _about(self, session: Session, news: News) -> list[tuple[str, Any]]:
        said: list[tuple[str, Any]] = [("skipped", {"attempts": news.skipped})] if news.skipped else []
        said += [("queued", event_document(one)) for one in news.queued]
        for attempt in news.recorded:
            said.append(("attempt", await self._attempt(session, attempt)))
        return said

    async def _attempt(self, session: Session, attempt: AttemptView) -> dict[str, Any]:
        if not self._whole:
            return attempt_document(attempt)
        return exchange_document(attempt, await reads.body_of(session, attempt.event_id) or b"")


def _message(kind: str, data: Any, position: Position | None = None) -> str:
    where = "" if position is None else f"id: {position}\n"
    return f"event: {kind}\n{where}data: {json.dumps(data)}\n\n"
