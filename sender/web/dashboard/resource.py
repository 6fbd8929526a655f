"""The page of one resource: its life with the silent transitions, everything it caused, and the sandbox's buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sender.domain.invoice import Invoice
from sender.store import archive, mishaps, resources
from sender.store.settings import read_endpoints
from sender.web.dashboard.deeds import Doer, deeds_for
from sender.web.dashboard.events import by_id
from sender.web.dashboard.visit import Page, Visit, done

if TYPE_CHECKING:
    from sender.web.dashboard.visit import Went
    from sender.web.parts import Parts


class ResourcePage:
    """Shows an invoice, a withdrawal, a channel or a deposit; drives an invoice."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._doer = Doer(parts.invoices, parts.profile)

    async def show(self, visit: Visit) -> Page:
        """Show where it stands, how it came there, and what was sent because of it, at every endpoint."""
        async with self._parts.database.read() as session:
            resource = await resources.load(session, visit.id)
            history = await resources.history_of(session, visit.id)
            page = await archive.page(session, archive.EventQuery(resource_id=visit.id))
            last = await archive.last_attempts(session, page.items)
            died = await mishaps.taken_back_among(session, [one.seq for one in page.items])
            endpoints = await read_endpoints(session)
        is_invoice = isinstance(resource, Invoice)
        return Page(
            "resource.html",
            {
                "resource": resource,
                "kind": resource.kind,
                "document": self._parts.profile.resource(resource),
                "history": history,
                "events": page.items,
                "more": page.next_before is not None,
                "last": last,
                "died": died,
                "endpoints": by_id(endpoints),
                "payment": resource.payment if is_invoice else None,
                "deeds": deeds_for(resource) if is_invoice else [],
                "checkout": f"/invoice/{resource.id}" if is_invoice else None,
            },
        )

    async def do(self, visit: Visit) -> Went:
        """Press a button of the sandbox."""
        async with self._parts.database.read() as session:
            invoice: Any = await resources.load(session, visit.id, "invoice")
        deed = await self._doer.do(visit.given("deed") or "", invoice)
        return done("Done: {deed}.", deed=deed.says)
