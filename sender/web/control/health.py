"""Whether the simulator works: what start scripts, containers and monitoring ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aiohttp import web

from sender.durations import SECOND, format_duration
from sender.errors import StoreError
from sender.store import archive, clearing, outbox, reads, settings, world
from sender.web.control.call import Ask, Call, Reply
from sender.web.control.metrics import Sample, text_of

if TYPE_CHECKING:
    from sender.durations import Duration
    from sender.store.engine import Session
    from sender.web.parts import Parts

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class HealthCalls:
    """Tells of API, database and relays, and counts."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def calls(self) -> tuple[Call, ...]:
        """Return the calls."""
        return (
            Call(name="getHealth", method="GET", path="/health", handle=self.health, answer="Health",
                 refusals=(503,), open=True, summary="Tell what works; 503 when some of it does not"),
            Call(name="getMetrics", method="GET", path="/metrics", handle=self.metrics, content="text/plain",
                 summary="Tell numbers in the text format of Prometheus"),
        )  # fmt: skip

    async def health(self, _ask: Ask[Any, Any]) -> Reply:
        """Answer 200 when all of it works, and 503 with the same document when some of it does not.

        ``lag`` is the virtual time for which the delivery that is due longest has waited.
        """
        lag = await self._lag()
        works = {"api": True, "database": lag is not None, "relay": self._parts.relays_alive()}
        healthy = all(works.values())
        told = None if lag is None else format_duration(lag)
        return Reply({"status": "ok" if healthy else "failing", **works, "lag": told}, 200 if healthy else 503)

    async def metrics(self, _ask: Ask[Any, Any]) -> web.Response:
        """Answer every number there is."""
        async with self._parts.database.read() as session:
            samples = await self._samples(session)
        return web.Response(body=text_of(samples).encode(), headers={"Content-Type": METRICS_TYPE})

    async def _lag(self) -> Duration | None:
        try:
            async with self._parts.database.read() as session:
                return await self._overdue(session)
        except StoreError:
            return None

    async def _overdue(self, session: Session) -> Duration:
        here = (await world.read_world(session)).timeline
        now = here.at(self._parts.runtime.clock.real_now())
        # A resend that waits for a new relay is parked at 0: due, and nobody knows since when.
        due = [at for at in (await outbox.heads(session)).values() if at]
        return max(now - min(due, default=now), 0)

    async def _samples(self, session: Session) -> list[Sample]:
        here = (await world.read_world(session)).timeline
        now = here.at(self._parts.runtime.clock.real_now())
        queued, recorded = await archive.newest_numbers(session)
        endpoints = [one.status.value for one in await settings.read_endpoints(session)]
        states = await reads.counts(session)
        return [
            Sample("relay_up", "Whether a relay of this process runs", int(self._parts.relays_alive())),
            *[Sample("events", "Events by state", states.get(one, 0), state=one) for one in archive.STATES],
            Sample("events_in_flight", "Events in the hands of relays", await outbox.leased(session)),
            Sample("event_newest_number", "Number of the newest event; numbers are shared with commands", queued),
            Sample("attempt_newest_number", "Number of the newest recorded attempt", recorded),
            Sample("lag_seconds", "Virtual time for which the delivery due longest has waited",
                   await self._overdue(session) / SECOND),
            *[Sample("endpoints", "Endpoints by status", endpoints.count(one), status=one)
              for one in ("active", "suspended", "deleted")],
            Sample("faults_armed", "Faults that still strike", len(await settings.armed_faults(session))),
            Sample("virtual_time_seconds", "Where virtual time stands", now / SECOND),
            Sample("clock_rate", "Virtual seconds in a real one", here.rate),
            Sample("resets_total", "How often the state was cleared", await clearing.resets(session)),
        ]  # fmt: skip
