"""What a test does with withdrawals, payment channels and deposits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.domain.channel import Channel
from sender.domain.deposit import Deposit, DepositStatus
from sender.domain.withdrawal import Withdrawal
from sender.providers.paymos_addresses import address_for
from sender.scenario import commands
from sender.testing.orders import money
from sender.testing.stage import Stage, id_of
from sender.testing.thread import hops
from sender.withdrawals import WithdrawalRequest

if TYPE_CHECKING:
    from decimal import Decimal


class Money(Stage):
    """Money that goes out, and money that comes in without an invoice."""

    @hops
    async def create_withdrawal(
        self,
        amount: str | Decimal,
        currency: str = "USDT",
        network: str = "TRC20",
        *,
        order_id: str | None = None,
        address: str | None = None,
    ) -> Withdrawal:
        """Ask for a withdrawal, to an address of its own unless one is given."""
        own_id = self._own_id("payout", order_id)
        family = self._simulator.profile.catalogue.rail(currency, network).family
        request = WithdrawalRequest(
            external_id=own_id,
            amount=money(amount),
            currency=currency,
            network=network,
            destination_address=address or address_for(family, f"{own_id}/destination"),
        )
        withdrawal_id = await commands.create_withdrawal(self._play.api, request)
        self._add("withdrawal", withdrawal_id, own_id)
        return await self._done(Withdrawal, withdrawal_id)

    @hops
    async def review(self, withdrawal: Withdrawal | str) -> Withdrawal:
        """Let a person look at a withdrawal first."""
        return await self._move(withdrawal, "review")

    @hops
    async def process(self, withdrawal: Withdrawal | str) -> Withdrawal:
        """Sign a withdrawal and send it to the chain."""
        return await self._move(withdrawal, "process")

    @hops
    async def complete(self, withdrawal: Withdrawal | str) -> Withdrawal:
        """Let a withdrawal arrive."""
        return await self._move(withdrawal, "complete")

    @hops
    async def fail(self, withdrawal: Withdrawal | str) -> Withdrawal:
        """Let a withdrawal fail; its money is back in the balance."""
        return await self._move(withdrawal, "fail")

    @hops
    async def call_back(self, withdrawal: Withdrawal | str, reason: str = "called back by the test") -> Withdrawal:
        """Cancel a withdrawal before it is signed."""
        await commands.cancel_withdrawal(self._play.api, id_of(withdrawal), reason)
        return await self._done(Withdrawal, id_of(withdrawal))

    @hops
    async def withdrawal(self, withdrawal: Withdrawal | str) -> Withdrawal:
        """Return a withdrawal as it stands."""
        return await self._done(Withdrawal, id_of(withdrawal))

    @hops
    async def create_channel(self, customer_id: str | None = None, *, customer_fee_percent: int = 0) -> Channel:
        """Open a customer's payment channel, with an address on every network."""
        own_id = self._own_id("customer", customer_id)
        channel_id = await commands.open_channel(self._play.api, self._play.project_id, own_id, customer_fee_percent)
        self._add("channel", channel_id, own_id)
        return await self._done(Channel, channel_id)

    @hops
    async def block(self, channel: Channel | str) -> Channel:
        """Let a channel take no payments."""
        await commands.move_channel(self._play.api, "block", id_of(channel))
        return await self._done(Channel, id_of(channel))

    @hops
    async def unblock(self, channel: Channel | str) -> Channel:
        """Let a channel take payments again."""
        await commands.move_channel(self._play.api, "unblock", id_of(channel))
        return await self._done(Channel, id_of(channel))

    @hops
    async def deposit(
        self,
        channel: Channel | str,
        amount: str | Decimal,
        currency: str = "USDT",
        network: str = "TRC20",
        *,
        stage: str = "confirmed",
    ) -> Deposit:
        """Let money arrive in a channel; ``stage`` is confirming, confirmed or reorged."""
        given = (id_of(channel), money(amount), currency, network, DepositStatus(stage))
        deposit_id = await commands.deposit(self._play.api, *given)
        self._add("deposit", deposit_id, deposit_id)
        return await self._done(Deposit, deposit_id)

    @hops
    async def confirm_deposit(self, deposit: Deposit | str) -> Deposit:
        """Let a deposit have its confirmations."""
        await commands.move_deposit(self._play.api, "confirm", id_of(deposit))
        return await self._done(Deposit, id_of(deposit))

    @hops
    async def reorg_deposit(self, deposit: Deposit | str) -> Deposit:
        """Take a deposit off the chain."""
        await commands.move_deposit(self._play.api, "reorg", id_of(deposit))
        return await self._done(Deposit, id_of(deposit))

    async def _move(self, withdrawal: Withdrawal | str, method: str) -> Withdrawal:
        await commands.move_withdrawal(self._play.api, method, id_of(withdrawal))
        return await self._done(Withdrawal, id_of(withdrawal))
