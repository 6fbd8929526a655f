"""What can be done to payment channels and their deposits; each transition is one transaction of the dispatcher."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sender.domain.channel import Channel, OpenChannel, blocked, opened, unblocked
from sender.domain.deposit import Deposit, DepositStatus, Sighting, confirmed, reorged, sighted
from sender.domain.ids import Prefix
from sender.domain.resource import Transition, Wanted
from sender.domain.sandbox import transaction_hash
from sender.providers.paymos_addresses import address_for

if TYPE_CHECKING:
    from decimal import Decimal

    from sender.dispatcher import Dispatcher, Place, Receipt
    from sender.providers.paymos import Paymos


class Channels:
    """The channel and deposit commands of one simulator. Every call raises ``RequestRefused`` as the contract does."""

    def __init__(self, dispatcher: Dispatcher, profile: Paymos) -> None:
        self._dispatcher = dispatcher
        self._profile = profile

    async def open(
        self, project_id: str, external_id: str, *, is_test: bool = True, customer_fee_percent: int = 0
    ) -> Receipt:
        """Open a channel, or return the one that the project already has under this external id, whatever its status.

        Raises ``Conflict`` (``conflict``) for an id of the other environment.
        """

        def decide(place: Place) -> Transition[Channel]:
            channel_id = place.new_id(Prefix.PAYMENT_CHANNEL)
            command = OpenChannel(
                id=channel_id,
                project_id=project_id,
                external_id=external_id,
                applied_fee_percent=self._profile.fee_rate.scaleb(2),
                rails=self._profile.rails(channel_id),
                is_test=is_test,
                customer_fee_percent=customer_fee_percent,
            )
            return opened(command, place.now)

        return await self._dispatcher.create(Wanted(Channel.kind, project_id, external_id, is_test), decide)

    async def block(self, channel_id: str) -> Receipt:
        """Let a channel take no payments; one that is blocked stays as it is."""
        return await self._dispatcher.change(Channel.kind, channel_id, lambda one, place: blocked(one, place.now))

    async def unblock(self, channel_id: str) -> Receipt:
        """Let a channel take payments again; one that is active stays as it is."""
        return await self._dispatcher.change(Channel.kind, channel_id, lambda one, place: unblocked(one, place.now))

    async def deposit(
        self,
        channel_id: str,
        amount: Decimal,
        currency: str,
        network: str,
        stage: DepositStatus = DepositStatus.CONFIRMED,
    ) -> Receipt:
        """Let money arrive: ``simulate-deposit``. It is confirming first, then what the stage says (contract §4.4).

        The receipt is that of the last transition. Raises ``Conflict`` for a channel that takes no payments.
        """
        receipt = await self._dispatcher.derive(
            Channel.kind,
            channel_id,
            lambda channel, place: sighted(channel, self._sighting(place, amount, currency, network), place.now),
        )
        if stage is DepositStatus.CONFIRMING:
            return receipt
        follow = self.confirm if stage is DepositStatus.CONFIRMED else self.reorg
        return replace(await follow(receipt.resource.id), created=True)

    async def confirm(self, deposit_id: str) -> Receipt:
        """Let a deposit have its confirmations, also after a reorg; what it nets is credited."""
        return await self._dispatcher.change(Deposit.kind, deposit_id, lambda one, place: confirmed(one, place.now))

    async def reorg(self, deposit_id: str) -> Receipt:
        """Take a deposit that is confirming off the chain again."""
        return await self._dispatcher.change(Deposit.kind, deposit_id, lambda one, place: reorged(one, place.now))

    def _sighting(self, place: Place, amount: Decimal, currency: str, network: str) -> Sighting:
        catalogue = self._profile.catalogue
        rail = catalogue.rail(currency, network)
        deposit_id = place.new_id(Prefix.DEPOSIT)
        return Sighting(
            id=deposit_id,
            transfer_id=place.new_id(Prefix.TRANSFER),
            currency=currency,
            network=network,
            chain_id=rail.chain_id,
            contract_address=catalogue.contracts[currency, network],
            gross=amount,
            tx_hash=transaction_hash(deposit_id, 0),
            source_address=address_for(rail.family, f"{deposit_id}/payer"),
            explorer=rail.explorer,
        )
