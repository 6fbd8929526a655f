"""What a test sees and expects of deliveries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sender.durations import parse_duration
from sender.errors import UsageError
from sender.scenario.evidence import gather
from sender.scenario.judging import sums
from sender.scenario.language.values import EVENTS
from sender.store import archive, reads
from sender.suggest import remedy, shown
from sender.testing.delivery import Delivery, delivery_of
from sender.testing.report import text_of
from sender.testing.stage import Stage, id_of
from sender.testing.thread import hops

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sender.domain.endpoint import Endpoint
    from sender.scenario.events import EventSummed
    from sender.store.engine import Session
    from sender.store.reads import EventView


class Looking(Stage):
    """Deliveries, in the order in which they were committed."""

    @hops
    async def deliveries(
        self, about: Any = None, event: str | None = None, *, endpoint: Endpoint | str | None = None
    ) -> list[Delivery]:
        """Return the deliveries about a resource, or all; of one event and for one endpoint where these are named."""
        if event is not None and event not in EVENTS:
            raise UsageError(f"{shown(event)} is no event; {remedy(event, EVENTS)}")
        await self._settle()
        async with self._simulator.database.read() as session:
            found = await reads.events(session, None if about is None else id_of(about))
            if endpoint is not None:
                found = [one for one in found if one.endpoint_id == id_of(endpoint)]
            return [await _delivery(session, one) for one in found if event in {None, one.event_type}]

    @hops
    async def expect(  # noqa: PLR0913 - each is a thing to expect
        self,
        about: Any,
        event: str,
        *,
        endpoint: Endpoint | str | None = None,
        state: str | None = None,
        attempts: int | None = None,
        statuses: Sequence[int | None] | None = None,
        at: Sequence[str] | None = None,
    ) -> list[Delivery]:
        """Expect that an event was announced, and what became of it at every endpoint; return its deliveries.

        Raises ``AssertionError``, which says everything that is otherwise and shows these deliveries.
        """
        found = await self.deliveries(about, event, endpoint=endpoint)
        if not found:
            told = [one.event for one in await self.deliveries(about)]
            raise AssertionError(f"{event} was not announced; announced were {told}")
        wanted = {"state": state, "attempts": attempts, "statuses": statuses, "at": at}
        given = {name: value for name, value in wanted.items() if value is not None}
        wrong = [line for one in found for line in _wrong(one, given)]
        if wrong:
            about_these = [one for one in await self._sums() if one.event_id in {each.event_id for each in found}]
            raise AssertionError("\n".join([*wrong, "", text_of(self._told, about_these)]))
        return found

    @hops
    async def report(self, *, last: int | None = None) -> str:
        """Return what has happened so far: every delivery, or the ``last`` ones, with its attempts on a time line."""
        return text_of(self._told, await self._sums(), last)

    async def _sums(self) -> list[EventSummed]:
        await self._watch.report()
        evidence = await gather(self._play, self._watch)
        return list(sums(evidence, await self._simulator.now(), self._names))


async def _delivery(session: Session, event: EventView) -> Delivery:
    body = await reads.body_of(session, event.event_id) or b""
    made = await archive.attempts_of(session, event.event_id, limit=1_000)
    return delivery_of(event, body, sorted(made, key=lambda one: (one.number, one.seq)))


def _wrong(one: Delivery, wanted: dict[str, Any]) -> Iterator[str]:
    found = {"state": one.state, "attempts": len(one.attempts), "statuses": one.statuses, "at": one.at}
    for name, value in wanted.items():
        same = _durations(value) == _durations(one.at) if name == "at" else _plain(value) == found[name]
        if not same:
            yield f"{one.event} {one.event_id}: {name} is {found[name]}, and {_plain(value)} was expected"


def _durations(texts: Sequence[str]) -> list[int]:
    return [parse_duration(text) for text in texts]


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int) else list(value)
