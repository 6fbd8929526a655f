"""The operations on invoices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.domain.money import parse_amount
from sender.invoices import Order
from sender.web.merchant.bodies import ChoiceBody, InvoiceBody, ReasonBody, StageBody
from sender.web.merchant.operation import Nothing, Operation, Reply
from sender.web.merchant.queries import InvoiceQuery

if TYPE_CHECKING:
    from sender.dispatcher import Receipt
    from sender.invoices import Invoices
    from sender.providers.paymos import Paymos
    from sender.web.merchant.operation import Ask
    from sender.web.merchant.shelf import Shelf


class InvoiceApi:
    """Create, get, list, cancel, confirm, simulate."""

    def __init__(self, invoices: Invoices, shelf: Shelf, profile: Paymos) -> None:
        self._invoices = invoices
        self._shelf = shelf
        self._profile = profile

    def operations(self) -> tuple[Operation, ...]:
        """Return the operations, in the order of contract §5.2."""
        one = "/v1/invoices/{id}"
        return (
            Operation(name="createInvoice", method="POST", path="/v1/invoices", key="payment", handle=self.create,
                      summary="Create an invoice, or get the one made under the same external_order_id",
                      body=InvoiceBody, answer="Invoice", creates=True, refusals=(404, 409)),
            Operation(name="getInvoice", method="GET", path=one, key="payment", handle=self.get,
                      summary="Get an invoice", answer="Invoice"),
            Operation(name="listInvoices", method="GET", path="/v1/invoices", key="payment", handle=self.list,
                      summary="List invoices, newest first", query=InvoiceQuery, answer="InvoicePage"),
            Operation(name="cancelInvoice", method="POST", path=f"{one}/cancel", key="payment", handle=self.cancel,
                      summary="Cancel an invoice that waits for the client", body=ReasonBody, answer="Invoice",
                      refusals=(409,)),
            Operation(name="confirmPayment", method="POST", path=f"{one}/confirm-payment", key="payment",
                      handle=self.confirm, summary="Choose what an invoice is paid with, and where", body=ChoiceBody,
                      answer="Invoice", refusals=(409,)),
            Operation(name="simulatePayment", method="POST", path="/v1/sandbox/invoices/{id}/simulate-payment",
                      key="payment", sandbox=True, handle=self.simulate, summary="Drive a sandbox invoice to a stage",
                      body=StageBody, answer="Invoice", refusals=(409,)),
        )  # fmt: skip

    async def create(self, ask: Ask[InvoiceBody, Nothing]) -> Reply:
        """Create an invoice; one that is there already is returned as it stands (contract §5.4)."""
        wish = ask.body
        await self._shelf.require_project(wish.project_id)
        order = Order(
            project_id=wish.project_id,
            external_id=wish.external_order_id,
            amount=parse_amount(wish.amount, wish.currency),
            currency=wish.currency,
            is_test=ask.caller.is_test,
            client_id=wish.client_id,
            network=wish.network,
            allow_multiple_payments=wish.allow_multiple_payments is not False,
            customer_fee_percent=wish.customer_fee_percent,
        )
        return self._reply(await self._invoices.create(order))

    async def get(self, ask: Ask[Nothing, Nothing]) -> Reply:
        """Get an invoice."""
        return Reply(await self._shelf.show("invoice", ask.id, ask.caller))

    async def list(self, ask: Ask[Nothing, InvoiceQuery]) -> Reply:
        """List invoices."""
        return Reply(await self._shelf.page(ask.query.listed("invoice", is_test=ask.caller.is_test)))

    async def cancel(self, ask: Ask[ReasonBody, Nothing]) -> Reply:
        """Cancel an invoice."""
        await self._shelf.require("invoice", ask.id, ask.caller)
        return self._reply(await self._invoices.cancel(ask.id, ask.body.reason))

    async def confirm(self, ask: Ask[ChoiceBody, Nothing]) -> Reply:
        """Choose token and network."""
        await self._shelf.require("invoice", ask.id, ask.caller)
        return self._reply(await self._invoices.choose_network(ask.id, ask.body.currency, ask.body.network))

    async def simulate(self, ask: Ask[StageBody, Nothing]) -> Reply:
        """Drive an invoice to a stage."""
        await self._shelf.require("invoice", ask.id, ask.caller)
        return self._reply(await self._invoices.simulate(ask.id, ask.body.stage))

    def _reply(self, receipt: Receipt) -> Reply:
        return Reply(self._profile.resource(receipt.resource), created=receipt.created)
