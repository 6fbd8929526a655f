"""The checkout page of an invoice: what is to be paid, on which network, to which address, and whether it came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from aiohttp import web

from sender.domain.invoice import InvoiceStatus
from sender.domain.money import ZERO, format_money, format_token, minus
from sender.store import resources
from sender.web.dashboard.deeds import Doer, deeds_for
from sender.web.dashboard.visit import Page, Visit, done
from sender.web.refusals import Flaw, Invalid

if TYPE_CHECKING:
    from sender.domain.invoice import Invoice
    from sender.domain.payment import Payment
    from sender.web.dashboard.door import Door
    from sender.web.dashboard.visit import Went
    from sender.web.parts import Parts

BUTTONS = frozenset({"paid", "underpay", "overpaid", "cancel"})
"""What the provider's sandbox has on this page (contract §4.1)."""

STATUSES = {
    InvoiceStatus.AWAITING_CLIENT: "Choose how to pay",
    InvoiceStatus.AWAITING_PAYMENT: "Waiting for your payment",
    InvoiceStatus.CONFIRMING: "Your payment was seen and is being confirmed",
    InvoiceStatus.UNDERPAID_WAITING: "A part has arrived; the rest is missing",
    InvoiceStatus.PAID: "Paid",
    InvoiceStatus.PAID_OVER: "Paid, and more than was asked for",
    InvoiceStatus.UNDERPAID: "Expired before all of it arrived",
    InvoiceStatus.EXPIRED: "Expired",
    InvoiceStatus.CANCELLED: "Cancelled",
}


class Offer(NamedTuple):
    """One way to pay: token and network, and what it costs there."""

    currency: str
    network: str
    amount: str


class Checkout:
    """Shows the page, takes the payer's choice, and presses the sandbox's buttons for whoever may steer."""

    def __init__(self, parts: Parts, door: Door) -> None:
        self._parts = parts
        self._door = door
        self._doer = Doer(parts.invoices, parts.profile)

    def add_to(self, app: web.Application) -> None:
        """Add the routes."""
        app.add_routes(
            [
                web.get("/invoice/{id}", self._door.shows(self.show, public=True)),
                web.post("/invoice/{id}/choose", self._door.acts(self.choose, public=True)),
                web.post("/invoice/{id}/simulate", self._door.acts(self.simulate)),
            ]
        )

    async def show(self, visit: Visit) -> Page:
        """Show the invoice to its payer."""
        invoice = await self._invoice(visit)
        return Page(
            "checkout.html",
            {
                "invoice": invoice,
                "amount": format_money(invoice.amount, invoice.currency),
                "says": STATUSES[invoice.status],
                "offers": self._offers(invoice) if invoice.status is InvoiceStatus.AWAITING_CLIENT else [],
                "payment": None if invoice.payment is None else _payment(invoice.payment),
                "deeds": [deed for deed in deeds_for(invoice) if deed.name in BUTTONS],
                "payer_token": self._door.payer_token(invoice.id),
                "poll": not invoice.is_final,
            },
        )

    async def choose(self, visit: Visit) -> Went:
        """Lock what it is paid with, and where."""
        currency, mark, network = (visit.given("pair") or "").partition(":")
        if not mark:
            raise Invalid([Flaw("field_required", "pair", "choose a network")])
        await self._parts.invoices.choose_network((await self._invoice(visit)).id, currency, network)
        return done("Locked: {currency} on {network}.", currency=currency, network=network)

    async def simulate(self, visit: Visit) -> Went:
        """Press a button of the sandbox."""
        deed = await self._doer.do(visit.given("deed") or "", await self._invoice(visit))
        return done("Done: {deed}.", deed=deed.says)

    async def _invoice(self, visit: Visit) -> Invoice:
        async with self._parts.database.read() as session:
            invoice: Invoice = await resources.load(session, visit.id, "invoice")
        return invoice

    def _offers(self, invoice: Invoice) -> list[Offer]:
        profile = self._parts.profile
        pairs = [pair for pair in profile.catalogue.contracts if invoice.network in {None, pair[1]}]
        own = [pair for pair in pairs if pair[0] == invoice.currency] or pairs
        return [Offer(*pair, format_token(profile.quote(invoice, *pair).expected)) for pair in own]


def _payment(payment: Payment) -> dict[str, Any]:
    """Return what the page shows of a payment; amounts are in the token."""
    missing = max(minus(payment.expected, payment.on_chain), ZERO)
    return {
        "quote": payment.quote,
        "missing": format_token(missing),
        "expected": format_token(payment.expected),
        "arrived": format_token(payment.on_chain),
        "qr": qr(payment.quote.address),
    }


def qr(text: str) -> str:
    """Return a QR code as markup of a drawing; the text is in its modules only."""
    import segno  # noqa: PLC0415 - who opens no checkout page needs none

    drawn: str = segno.make(text, error="m", micro=False).svg_inline(
        border=3, svgclass="qr", lineclass=None, omitsize=True
    )
    return drawn
