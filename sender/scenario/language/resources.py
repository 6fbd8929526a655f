"""Steps that create invoices and move them through their life (contract §4.1)."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field, model_validator

from sender.domain.money import require_amount
from sender.domain.sandbox import Stage as Stages
from sender.errors import RequestRefused
from sender.scenario.language.part import OneOf, Part
from sender.scenario.language.rails import OnRail
from sender.scenario.language.values import (
    CancelReason,
    ClientId,
    Currency,
    Flag,
    Money,
    Name,
    Network,
    OrderId,
    Project,
    Stage,
)


class CreateInvoice(Part):
    """Creates an invoice, as a merchant does over the API. No event is sent for it."""

    example: ClassVar[str] = "create_invoice: {as: order, amount: 11.05, currency: USD}"

    name: Name = Field(alias="as", description="The name by which later steps mean this invoice.")
    amount: Money = Field(description="What is to be paid: plain digits with at most one dot, as in 11.05.")
    currency: Currency = Field(description="The currency of the amount: a fiat code such as USD, or USDT, USDC.")
    network: Network | None = Field(None, description="Locks the invoice to a network; else the buyer chooses.")
    external_order_id: OrderId | None = Field(
        None,
        description="The merchant's own id of the order; its name when left out. The same id again is no new invoice.",
    )
    client_id: ClientId | None = Field(None, description="The merchant's own id of the buyer.")
    allow_multiple_payments: Flag = Field(
        default=True, description="Whether a payment that is too small may be topped up."
    )
    project: Project | None = Field(None, description="The project, prj_…; the simulator's own when left out.")

    @property
    def order_id(self) -> str:
        """The merchant's id of the order, which is what a repeated creation finds it by (contract §5.4)."""
        return self.external_order_id or self.name

    @model_validator(mode="after")
    def _payable(self) -> Self:
        try:
            require_amount(self.amount, self.currency)
        except RequestRefused as error:
            raise ValueError(f"{error.field}: {error}") from None
        return self


class ConfirmPayment(OnRail):
    """Chooses token and network, as the buyer does. No event is sent; the invoice's lifetime starts again."""

    example: ClassVar[str] = "confirm_payment: {invoice: order, currency: USDT, network: TRC20}"

    invoice: Name = Field(description="The invoice, by its name.")
    currency: Currency = Field(description="The token that is paid with, such as USDT.")
    network: Network = Field(description="The network that it is paid on.")


class Pay(Part):
    """Pays an invoice: ``invoice.confirming`` is sent first, then the outcome.

    With neither ``amount`` nor ``stage`` the invoice is paid in full.
    """

    example: ClassVar[str] = "pay: {invoice: order}"

    invoice: Name = Field(description="The invoice, by its name.")
    amount: Money | None = Field(None, description="What arrives, in the token that is paid with. Not beside stage.")
    stage: Stage | None = Field(
        None,
        description="The outcome: paid in full (as when left out), overpaid (150 %), underpay (50 %, waiting for the "
        "rest), paid_late (expired first, then paid; no event). Not beside amount.",
    )

    @property
    def outcome(self) -> Stages | None:
        """The stage to drive the invoice to, or ``None`` where an amount is paid."""
        return self.stage or (Stages.PAID if self.amount is None else None)

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if self.amount is not None and self.stage is not None:
            raise ValueError("amount and stage say the same thing twice; keep one of them")
        return self


class Cancel(OneOf):
    """Cancels an invoice that waits for the client, or calls back a withdrawal that is not broadcast yet."""

    example: ClassVar[str] = "cancel: {invoice: order}"
    choices: ClassVar[tuple[str, ...]] = ("invoice", "withdrawal")

    invoice: Name | None = Field(None, description="The invoice, by its name. Not beside withdrawal.")
    withdrawal: Name | None = Field(None, description="The withdrawal, by its name. Not beside invoice.")
    reason: CancelReason = Field("cancelled by the scenario", description="Why; kept with it.")


class Expire(Part):
    """Ends an invoice as its deadline would, at once: expired, or underpaid when a part was paid."""

    example: ClassVar[str] = "expire: {invoice: order}"

    invoice: Name = Field(description="The invoice, by its name.")
