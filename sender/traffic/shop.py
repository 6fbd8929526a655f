"""Carries out what a traffic file says: creates something at the simulator, and lets it end as it is meant to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.domain.deposit import DepositStatus
from sender.invoices import Order
from sender.providers.paymos_addresses import address_for
from sender.providers.paymos_networks import load_catalogue
from sender.traffic.flow import NOTHING, STAGES
from sender.withdrawals import WithdrawalRequest

if TYPE_CHECKING:
    from sender.channels import Channels
    from sender.invoices import Invoices
    from sender.traffic.flow import Deed
    from sender.withdrawals import Withdrawals

WHY = "cancelled by the traffic"


@dataclass(frozen=True, slots=True)
class Shop:
    """A merchant and its customers. Each method raises ``RequestRefused`` where the contract refuses."""

    invoices: Invoices
    withdrawals: Withdrawals
    channels: Channels
    project_id: str

    async def carry_out(self, deed: Deed, external_id: str) -> None:
        """Do it under an external id that is new."""
        if deed.verb == "create_invoice":
            await self._buy(deed, external_id)
        elif deed.verb == "create_withdrawal":
            await self._withdraw(deed, external_id)
        else:
            await self._deposit(deed)

    async def _buy(self, deed: Deed, external_id: str) -> None:
        order = Order(
            project_id=self.project_id,
            external_id=external_id,
            amount=deed.amount,
            currency=deed.currency,
            network=deed.network,
        )
        invoice_id = (await self.invoices.create(order)).resource.id
        if deed.outcome == "cancelled":
            await self.invoices.cancel(invoice_id, WHY)
        elif deed.outcome == "expired":
            await self.invoices.expire(invoice_id)
        elif deed.outcome != NOTHING:
            await self.invoices.simulate(invoice_id, STAGES[deed.outcome])

    async def _withdraw(self, deed: Deed, external_id: str) -> None:
        network = deed.network or ""
        family = load_catalogue().rail(deed.currency, network).family
        request = WithdrawalRequest(
            external_id=external_id,
            amount=deed.amount,
            currency=deed.currency,
            network=network,
            destination_address=address_for(family, f"{external_id}/destination"),
        )
        made = (await self.withdrawals.create(request)).resource.id
        if deed.outcome == "cancelled":
            await self.withdrawals.cancel(made, WHY)
        elif deed.outcome != NOTHING:
            await self.withdrawals.process(made)
            await (self.withdrawals.complete if deed.outcome == "completed" else self.withdrawals.fail)(made)

    async def _deposit(self, deed: Deed) -> None:
        """Let money arrive in the one channel that all traffic shares; it is found again by its external id."""
        channel = (await self.channels.open(self.project_id, "traffic")).resource.id
        stage = DepositStatus(deed.outcome)
        await self.channels.deposit(channel, deed.amount, deed.currency, deed.network or "", stage)
