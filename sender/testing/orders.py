"""What a test does with invoices. Each call returns when everything that it announced has been attempted."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from sender.domain.invoice import Invoice
from sender.domain.money import parse_decimal
from sender.domain.sandbox import Stage as Outcome
from sender.errors import UsageError
from sender.invoices import Order
from sender.scenario import commands
from sender.suggest import remedy, shown
from sender.testing.stage import Stage, id_of
from sender.testing.thread import hops

if TYPE_CHECKING:
    from collections.abc import Iterable

_PAYING = [outcome.value for outcome in Outcome if outcome is not Outcome.CANCEL]


class Orders(Stage):
    """Invoices."""

    @hops
    async def create_invoice(
        self,
        amount: str | Decimal,
        currency: str = "USD",
        *,
        order_id: str | None = None,
        client_id: str | None = None,
        network: str | None = None,
        allow_multiple_payments: bool = True,
    ) -> Invoice:
        """Create an invoice, as the merchant's backend does; without ``order_id`` they are numbered."""
        external_id = self._own_id("order", order_id)
        order = Order(
            project_id=self._play.project_id,
            external_id=external_id,
            amount=money(amount),
            currency=currency,
            client_id=client_id,
            network=network,
            allow_multiple_payments=allow_multiple_payments,
        )
        receipt = await self._play.api.create(order)
        self._add("invoice", receipt.resource.id, external_id)
        return await self._done(Invoice, receipt.resource.id)

    @hops
    async def pay(
        self, invoice: Invoice | str, amount: str | Decimal | None = None, *, outcome: str = "paid"
    ) -> Invoice:
        """Pay an invoice: in full, an ``amount`` of token units, or to an ``outcome``.

        Outcomes are those of the provider's sandbox: paid, overpaid, underpay, paid_late.
        """
        if outcome not in _PAYING:
            raise UsageError(f"{shown(outcome)} is no outcome of a payment; {remedy(outcome, _PAYING)}")
        if amount is None:
            await self._play.api.reach(id_of(invoice), Outcome(outcome))
        else:
            await self._play.api.pay(id_of(invoice), money(amount))
        return await self._done(Invoice, id_of(invoice))

    @hops
    async def choose_network(self, invoice: Invoice | str, currency: str, network: str) -> Invoice:
        """Choose token and network, as the buyer does."""
        await self._play.api.choose_network(id_of(invoice), currency, network)
        return await self._done(Invoice, id_of(invoice))

    @hops
    async def transfer(self, invoice: Invoice | str, amount: str | Decimal) -> str:
        """Let a transfer to the invoice be seen on chain, unconfirmed; return its transaction."""
        tx_hash = await commands.see_transfer(self._play.api, id_of(invoice), money(amount))
        await self._settle()
        return tx_hash

    @hops
    async def confirm_transfers(self, invoice: Invoice | str, transfers: Iterable[str] | None = None) -> Invoice:
        """Confirm transfers: those named, or all that are seen."""
        await commands.confirm(self._play.api, id_of(invoice), None if transfers is None else tuple(transfers))
        return await self._done(Invoice, id_of(invoice))

    @hops
    async def reorg_transfers(self, invoice: Invoice | str, transfers: Iterable[str] | None = None) -> Invoice:
        """Take transfers off the chain: those named, or all that are there."""
        await commands.reorg(self._play.api, id_of(invoice), None if transfers is None else tuple(transfers))
        return await self._done(Invoice, id_of(invoice))

    @hops
    async def cancel(self, invoice: Invoice | str, reason: str = "cancelled by the test") -> Invoice:
        """Cancel an invoice that still waits for the client."""
        await self._play.api.cancel(id_of(invoice), reason)
        return await self._done(Invoice, id_of(invoice))

    @hops
    async def expire(self, invoice: Invoice | str) -> Invoice:
        """End an invoice as its deadline would, now."""
        await self._play.api.expire(id_of(invoice))
        return await self._done(Invoice, id_of(invoice))

    @hops
    async def invoice(self, invoice: Invoice | str) -> Invoice:
        """Return an invoice as it stands."""
        return await self._done(Invoice, id_of(invoice))


def money(amount: str | Decimal) -> Decimal:
    """Read an amount. Raises ``UsageError`` for a float, which is no amount of money."""
    if isinstance(amount, Decimal):
        return amount
    if not isinstance(amount, str):
        raise UsageError(f'an amount of money is text or a Decimal, as in amount="10.00", not {shown(str(amount))}')
    return parse_decimal(amount)
