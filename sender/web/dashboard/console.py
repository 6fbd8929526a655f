"""The console: make an invoice and drive it to an outcome, or make any event there is."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sender.domain.money import parse_amount
from sender.invoices import Order
from sender.store import lists
from sender.web.control.call import Ask
from sender.web.control.trigger import TriggerBody, TriggerCalls
from sender.web.dashboard.deeds import DEEDS, Doer
from sender.web.dashboard.visit import Page, Visit, done
from sender.web.merchant.operation import Nothing
from sender.web.validation import checked

if TYPE_CHECKING:
    from sender.web.dashboard.visit import Went
    from sender.web.parts import Parts

OUTCOMES = tuple(deed for deed in DEEDS if deed.name not in {"confirm", "reorg", "paid_late"})
"""What a new invoice can be driven to at once."""
NEWEST = 20


class ConsolePage:
    """Makes things happen in the sandbox."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._doer = Doer(parts.invoices, parts.profile)
        self._trigger = TriggerCalls(parts)

    async def show(self, _visit: Visit) -> Page:
        """Show the forms and the newest invoices."""
        async with self._parts.database.read() as session:
            newest = await lists.page(session, lists.Query(kind="invoice", is_test=True, limit=NEWEST))
        return Page(
            "console.html",
            {
                "projects": await self._parts.merchant.projects(),
                "currencies": sorted(self._parts.profile.catalogue.per_usd, key=lambda one: (one != "USD", one)),
                "outcomes": OUTCOMES,
                "event_types": self._parts.profile.event_types,
                "invoices": newest.items,
            },
        )

    async def invoice(self, visit: Visit) -> Went:
        """Make an invoice, and drive it where that is asked for."""
        currency = visit.given("currency") or "USD"
        order = Order(
            project_id=visit.given("project_id") or (await self._parts.merchant.projects())[0].id,
            external_id=visit.given("external_id") or f"console-{secrets.token_hex(4)}",
            amount=parse_amount(visit.given("amount") or "", currency),
            currency=currency,
        )
        invoice = (await self._parts.invoices.create(order)).resource
        to = f"/resources/{invoice.id}"
        if visit.given("deed") is None:
            return done("Made. Nothing is sent for that; the buttons drive it on.", to=to)
        deed = await self._doer.do(visit.given("deed") or "", invoice)
        return done("Made, and done: {deed}.", to=to, deed=deed.says)

    async def trigger(self, visit: Visit) -> Went:
        """Make one event, with whatever it needs."""
        wish = checked(TriggerBody, {"event_type": visit.given("event_type") or ""})
        made = (await self._trigger.trigger(Ask(visit.request, "", wish, Nothing()))).document
        count, to = len(made["event_ids"]), f"/resources/{made['resource_id']}"
        return done("Made: {event}. Deliveries: {count}.", to=to, event=wish.event_type, count=count)
