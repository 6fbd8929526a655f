"""Steps that open payment channels and let money arrive in them (contract §4.3, §4.4)."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from sender.domain import deposit
from sender.scenario.language.part import Part
from sender.scenario.language.rails import OnRail
from sender.scenario.language.values import Currency, DepositStatus, Money, Name, Network, OrderId, Percent, Project


class CreateChannel(Part):
    """Opens a payment channel: standing addresses for one customer. No event is sent."""

    example: ClassVar[str] = "create_channel: {as: ann}"

    name: Name = Field(alias="as", description="The name by which later steps mean this channel.")
    external_id: OrderId | None = Field(None, description="The merchant's own id of it; its name when left out.")
    customer_fee_percent: Percent = Field(0, description="The customer's share of the provider's fee, in percent.")
    project: Project | None = Field(None, description="The project, prj_…; the simulator's own when left out.")

    @property
    def own_id(self) -> str:
        """The merchant's id of the channel, which is what a repeated creation finds it by (contract §5.4)."""
        return self.external_id or self.name


class _OfChannel(Part):
    channel: Name = Field(description="The channel, by its name.")


class Block(_OfChannel):
    """Lets a channel take no more payments. No event is sent."""

    example: ClassVar[str] = "block: {channel: ann}"


class Unblock(_OfChannel):
    """Lets a blocked channel take payments again. No event is sent."""

    example: ClassVar[str] = "unblock: {channel: ann}"


class Deposit(OnRail):
    """Lets money arrive in a channel: ``payment_channel.deposit.confirming`` is sent first, then the stage."""

    example: ClassVar[str] = "deposit: {as: gift, channel: ann, amount: 20.00, currency: USDT, network: TRC20}"

    name: Name = Field(alias="as", description="The name by which later steps mean this deposit.")
    channel: Name = Field(description="The channel, by its name.")
    amount: Money = Field(description="What arrives, in the token.")
    currency: Currency = Field(description="The token, such as USDT.")
    network: Network = Field(description="The network that it arrives on.")
    stage: DepositStatus = Field(
        deposit.DepositStatus.CONFIRMED,
        description="confirmed (as when left out). confirming: it waits for a step confirm or reorg. reorged: it is "
        "seen and taken off the chain again.",
    )
