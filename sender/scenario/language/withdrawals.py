"""Steps that send money out and say what becomes of it (contract §4.2)."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from sender.scenario.language.part import Part
from sender.scenario.language.rails import OnRail
from sender.scenario.language.values import Address, Currency, Money, Name, Network, OrderId


class CreateWithdrawal(OnRail):
    """Creates a withdrawal, as a merchant does over the API. ``withdrawal.created`` is sent."""

    example: ClassVar[str] = "create_withdrawal: {as: payout, amount: 25.00, currency: USDT, network: TRC20}"

    name: Name = Field(alias="as", description="The name by which later steps mean this withdrawal.")
    amount: Money = Field(description="What is sent, in the token. The sandbox starts with 10,000 of USDT and of USDC.")
    currency: Currency = Field(description="The token, such as USDT.")
    network: Network = Field(description="The network that it is sent on.")
    address: Address | None = Field(None, description="Where it is sent; one is made up when left out.")
    external_order_id: OrderId | None = Field(None, description="The merchant's own id of it; its name when left out.")

    @property
    def order_id(self) -> str:
        """The merchant's id of the withdrawal, which is what a repeated creation finds it by (contract §5.4)."""
        return self.external_order_id or self.name


class _OfWithdrawal(Part):
    withdrawal: Name = Field(description="The withdrawal, by its name.")


class Review(_OfWithdrawal):
    """Holds a withdrawal for review by the provider. No event is sent."""

    example: ClassVar[str] = "review: {withdrawal: payout}"


class Process(_OfWithdrawal):
    """Signs and broadcasts a withdrawal: ``withdrawal.processing`` is sent."""

    example: ClassVar[str] = "process: {withdrawal: payout}"


class Complete(_OfWithdrawal):
    """Lets a withdrawal arrive: ``withdrawal.completed`` is sent."""

    example: ClassVar[str] = "complete: {withdrawal: payout}"


class Fail(_OfWithdrawal):
    """Lets a withdrawal fail: ``withdrawal.failed`` is sent, and the money returns to the balance."""

    example: ClassVar[str] = "fail: {withdrawal: payout}"
