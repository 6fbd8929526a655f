"""The checkout page in a real browser: a payer's way from choice to paid."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tests.simulators import order

if TYPE_CHECKING:
    from collections.abc import Callable


async def test_a_payer_sees_the_payment_arrive(desk: Callable[..., Any]) -> None:
    """A network is chosen, the code is drawn, and the status follows without reloading."""
    async with desk(viewport={"width": 390, "height": 800}) as one:
        invoice = (await one.simulator.invoices.create(order(amount=Decimal(100)))).resource
        await one.open(f"/invoice/{invoice.id}")
        await one.page.get_by_role("button", name="USDT · TRC20").click()
        await one.page.get_by_role("img", name="QR code of the address").wait_for()
        await one.page.evaluate("document.stayed = true")
        await one.simulator.invoices.pay(invoice.id, Decimal(40), confirm=False)
        await one.says("is being confirmed")
        await one.simulator.invoices.confirm(invoice.id)
        await one.says("A part has arrived")
        await one.page.get_by_role("button", name="Pay in full").click()
        await one.page.locator(".standing .good", has_text="Paid").wait_for()
        assert await one.page.evaluate("document.stayed === true")
        assert await one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
