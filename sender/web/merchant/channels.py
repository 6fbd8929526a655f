"""The operations on payment channels and on what is paid into them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.domain.money import parse_amount
from sender.web.merchant.bodies import ChannelBody, DepositBody
from sender.web.merchant.operation import Nothing, Operation, Reply
from sender.web.merchant.queries import ChannelQuery, FeedQuery

if TYPE_CHECKING:
    from sender.channels import Channels
    from sender.dispatcher import Receipt
    from sender.providers.paymos import Paymos
    from sender.web.merchant.operation import Ask
    from sender.web.merchant.shelf import Shelf


class ChannelApi:
    """Open, get, list, block, unblock; let a deposit arrive, get one, read the feed of confirmed ones."""

    def __init__(self, channels: Channels, shelf: Shelf, profile: Paymos) -> None:
        self._channels = channels
        self._shelf = shelf
        self._profile = profile

    def operations(self) -> tuple[Operation, ...]:
        """Return the operations, in the order of contract §5.2."""
        all_, one, deposits = "/v1/payment-channels", "/v1/payment-channels/{id}", "/v1/payment-channel-deposits"
        return (
            Operation(name="createPaymentChannel", method="POST", path=all_, key="payment", handle=self.open,
                      summary="Open a payment channel, or get the one of the same external_id", body=ChannelBody,
                      answer="PaymentChannel", creates=True, refusals=(404, 409)),
            Operation(name="getPaymentChannel", method="GET", path=one, key="payment", handle=self.get,
                      summary="Get a payment channel", answer="PaymentChannel"),
            Operation(name="listPaymentChannels", method="GET", path=all_, key="payment", handle=self.list,
                      summary="List payment channels, newest first", query=ChannelQuery, answer="PaymentChannelPage"),
            Operation(name="blockPaymentChannel", method="POST", path=f"{one}/block", key="payment",
                      handle=self.block, summary="Take no more payments", answer="PaymentChannel"),
            Operation(name="unblockPaymentChannel", method="POST", path=f"{one}/unblock", key="payment",
                      handle=self.unblock, summary="Take payments again", answer="PaymentChannel"),
            Operation(name="simulateDeposit", method="POST", path="/v1/sandbox/payment-channels/{id}/simulate-deposit",
                      key="payment", sandbox=True, handle=self.simulate, summary="Let a sandbox deposit arrive",
                      body=DepositBody, answer="Deposit", refusals=(409,)),
            Operation(name="readDeposits", method="GET", path=deposits, key="payment", handle=self.feed,
                      summary="Read the feed of confirmed deposits, oldest first; it never ends", query=FeedQuery,
                      answer="DepositFeedPage"),
            Operation(name="getDeposit", method="GET", path=f"{deposits}/{{id}}", key="payment", handle=self.deposit,
                      summary="Get a deposit", answer="Deposit"),
        )  # fmt: skip

    async def open(self, ask: Ask[ChannelBody, Nothing]) -> Reply:
        """Open a channel; one that is there already is returned as it stands."""
        wish = ask.body
        await self._shelf.require_project(wish.project_id)
        receipt = await self._channels.open(wish.project_id, wish.external_id, is_test=ask.caller.is_test)
        return self._reply(receipt)

    async def get(self, ask: Ask[Nothing, Nothing]) -> Reply:
        """Get a channel."""
        return Reply(await self._shelf.show("payment_channel", ask.id, ask.caller))

    async def list(self, ask: Ask[Nothing, ChannelQuery]) -> Reply:
        """List channels."""
        return Reply(await self._shelf.page(ask.query.listed("payment_channel", is_test=ask.caller.is_test)))

    async def block(self, ask: Ask[Nothing, Nothing]) -> Reply:
        """Block a channel."""
        await self._shelf.require("payment_channel", ask.id, ask.caller)
        return self._reply(await self._channels.block(ask.id))

    async def unblock(self, ask: Ask[Nothing, Nothing]) -> Reply:
        """Unblock a channel."""
        await self._shelf.require("payment_channel", ask.id, ask.caller)
        return self._reply(await self._channels.unblock(ask.id))

    async def simulate(self, ask: Ask[DepositBody, Nothing]) -> Reply:
        """Let a deposit arrive and drive it to a stage."""
        await self._shelf.require("payment_channel", ask.id, ask.caller)
        wish = ask.body
        amount = parse_amount(wish.amount, wish.currency)
        receipt = await self._channels.deposit(ask.id, amount, wish.currency, wish.network, wish.stage)
        return Reply(self._profile.resource(receipt.resource))

    async def deposit(self, ask: Ask[Nothing, Nothing]) -> Reply:
        """Get a deposit."""
        return Reply(await self._shelf.show("deposit", ask.id, ask.caller))

    async def feed(self, ask: Ask[Nothing, FeedQuery]) -> Reply:
        """Read one page of the feed."""
        return Reply(await self._shelf.feed(ask.query.read(is_test=ask.caller.is_test)))

    def _reply(self, receipt: Receipt) -> Reply:
        return Reply(self._profile.resource(receipt.resource), created=receipt.created)
