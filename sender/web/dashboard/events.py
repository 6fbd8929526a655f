"""The page of events: the newest hundred, the archive behind them, and filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from sender.store import archive, mishaps
from sender.store.settings import read_endpoints
from sender.web.control.call import number_of
from sender.web.dashboard.visit import Page

if TYPE_CHECKING:
    from sender.domain.endpoint import Endpoint
    from sender.web.dashboard.visit import Visit
    from sender.web.parts import Parts

FILTERS = ("state", "event_type", "endpoint_id", "resource_id")
_LONGEST = 100


class EventsPage:
    """Shows events, newest first."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def show(self, visit: Visit) -> Page:
        """Show one page of the archive; the first one is what the provider's dashboard has (contract §1.10)."""
        wanted: dict[str, Any] = {name: value[:_LONGEST] for name in FILTERS if (value := visit.asked(name))}
        query = archive.EventQuery(before=number_of(visit.asked("before") or ""), **wanted)
        async with self._parts.database.read() as session:
            page = await archive.page(session, query)
            last = await archive.last_attempts(session, page.items)
            died = await mishaps.taken_back_among(session, [one.seq for one in page.items])
            counts = await archive.counts(session)
            endpoints = await read_endpoints(session)
        return Page(
            "events.html",
            {
                "events": page.items,
                "last": last,
                "died": died,
                "counts": counts,
                "endpoints": by_id(endpoints),
                "event_types": self._parts.profile.event_types,
                "wanted": {name: wanted.get(name, "") for name in FILTERS},
                "filtered": bool(wanted),
                "older": page.next_before and _link({**wanted, "before": str(page.next_before)}),
                "newest": _link(wanted) if query.before else None,
                "link": lambda **changes: _link({**wanted, **changes}),
            },
        )


def by_id(endpoints: list[Endpoint]) -> dict[str, Endpoint]:
    """Return endpoints by their ids."""
    return {one.id: one for one in endpoints}


def _link(query: dict[str, str]) -> str:
    kept = {name: value for name, value in query.items() if value}
    return f"/?{urlencode(kept)}" if kept else "/"
