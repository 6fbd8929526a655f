"""Making an event: the invoice, withdrawal or deposit that it needs, driven to where the event is sent."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from sender.domain.deposit import DepositStatus
from sender.domain.money import parse_amount
from sender.domain.payment import Payment
from sender.domain.sandbox import Stage
from sender.invoices import Order
from sender.providers.paymos import EVENT_TYPES
from sender.suggest import remedy, shown
from sender.web.control.call import Ask, Call, Reply
from sender.web.control.events import Word
from sender.web.refusals import Flaw, Invalid
from sender.web.validation import Fields
from sender.withdrawals import WithdrawalRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sender.dispatcher import Receipt
    from sender.web.merchant.operation import Nothing
    from sender.web.parts import Parts

DEFAULTS: Mapping[str, Mapping[str, str]] = {
    "invoice": {"amount": "100.00", "currency": "USD", "project_id": "", "external_order_id": "", "client_id": ""},
    "withdrawal": {
        "amount": "10", "currency": "USDT", "network": "TRC20", "destination_address": "TTriggered",
        "external_order_id": "",
    },
    "payment_channel": {
        "amount": "10", "currency": "USDT", "network": "TRC20", "project_id": "", "external_id": "",
    },
}  # fmt: skip
"""What can be overridden for each category of events, and what stands there otherwise; empty is made up."""

_STAGES = {
    "invoice.paid": Stage.PAID,
    "invoice.paid_over": Stage.OVERPAID,
    "invoice.underpaid_waiting": Stage.UNDERPAY,
    "invoice.underpaid": Stage.UNDERPAY,
    "invoice.cancelled": Stage.CANCEL,
}


class TriggerBody(Fields):
    """The event to make, and values that the resource behind it shall have."""

    event_type: Word
    overrides: Annotated[dict[Word, Word], Field(max_length=20, default_factory=dict)]


class TriggerCalls:
    """Makes events in the sandbox, where anything can be made to happen."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def calls(self) -> tuple[Call, ...]:
        """Return the calls."""
        return (
            Call(name="trigger", method="POST", path="/trigger", handle=self.trigger, body=TriggerBody,
                 answer="Triggered", status=201, refusals=(404, 409), summary="Make what an event needs, and drive it "
                 "there; the answer names the deliveries, one for each subscribed endpoint"),
        )  # fmt: skip

    async def trigger(self, ask: Ask[TriggerBody, Nothing]) -> Reply:
        """Make one event."""
        wanted = ask.body.event_type
        if wanted not in EVENT_TYPES:
            raise Invalid(
                [Flaw("field_invalid", "event_type", f"{shown(wanted)} is no event; {remedy(wanted, EVENT_TYPES)}")]
            )
        category = wanted.partition(".")[0]
        values = _values(category, ask.body.overrides)
        if "project_id" in values and not values["project_id"]:
            values["project_id"] = (await self._parts.merchant.projects())[0].id
        make = {"invoice": self._invoice, "withdrawal": self._withdrawal}.get(category, self._deposit)
        receipt = await make(wanted, values)
        return Reply(
            {"event_type": wanted, "resource_id": receipt.resource.id, "event_ids": list(receipt.event_ids)}, 201
        )

    async def _invoice(self, event_type: str, values: Mapping[str, str]) -> Receipt:
        invoices = self._parts.invoices
        order = Order(
            project_id=values["project_id"],
            external_id=values["external_order_id"],
            amount=parse_amount(values["amount"], values["currency"]),
            currency=values["currency"],
            client_id=values["client_id"] or None,
        )
        invoice = (await invoices.create(order)).resource
        if event_type in _STAGES:
            receipt = await invoices.simulate(invoice.id, _STAGES[event_type])
            return await invoices.expire(invoice.id) if event_type == "invoice.underpaid" else receipt
        if event_type == "invoice.expired":
            return await invoices.expire(invoice.id)
        expected = Payment(self._parts.profile.choose(invoice).quote).expected
        receipt = await invoices.pay(invoice.id, expected, confirm=False)
        # Waiting for money again is what a reorg leaves behind; nothing else announces it.
        return await invoices.reorg(invoice.id) if event_type == "invoice.awaiting_payment" else receipt

    async def _withdrawal(self, event_type: str, values: Mapping[str, str]) -> Receipt:
        withdrawals = self._parts.withdrawals
        request = WithdrawalRequest(
            external_id=values["external_order_id"],
            amount=parse_amount(values["amount"], values["currency"]),
            currency=values["currency"],
            network=values["network"],
            destination_address=values["destination_address"],
        )
        receipt = await withdrawals.create(request)
        made = receipt.resource.id
        match event_type:
            case "withdrawal.processing":
                return await withdrawals.process(made)
            case "withdrawal.completed":
                return await withdrawals.complete(made)
            case "withdrawal.failed":
                return await withdrawals.fail(made)
            case "withdrawal.cancelled":
                return await withdrawals.cancel(made, "triggered")
        return receipt

    async def _deposit(self, event_type: str, values: Mapping[str, str]) -> Receipt:
        channels = self._parts.channels
        channel = await channels.open(values["project_id"], values["external_id"])
        amount = parse_amount(values["amount"], values["currency"])
        stage = DepositStatus(event_type.rpartition(".")[2])
        return await channels.deposit(channel.resource.id, amount, values["currency"], values["network"], stage)


def _values(category: str, overrides: Mapping[str, str]) -> dict[str, str]:
    """Return what the resource is made of. Raises ``Invalid`` for an override of something else."""
    known = DEFAULTS[category]
    for name in overrides:
        if name not in known:
            message = f"{category} events have no {shown(name)} to override; {remedy(name, known)}"
            raise Invalid([Flaw("field_unknown", f"overrides.{name[:64]}", message)])
    values = {**known, **overrides}
    for name in ("external_order_id", "external_id"):
        if values.get(name) == "":
            values[name] = f"triggered-{secrets.token_hex(6)}"
    return values
