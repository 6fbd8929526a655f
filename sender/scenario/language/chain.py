"""Steps of the chain: transfers are seen, confirmed, and taken back by a reorg (contract §4.1, §4.4)."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from sender.scenario.language.part import OneOf, Part
from sender.scenario.language.values import Count, Money, Name


class Transfer(Part):
    """Lets a transfer to an invoice's address be seen on chain. Bodies list it, as they do in production."""

    example: ClassVar[str] = "transfer: {as: first, invoice: order, amount: 5.00}"

    name: Name | None = Field(None, alias="as", description="The name by which later steps mean this transfer.")
    invoice: Name = Field(description="The invoice, by its name.")
    amount: Money = Field(description="What arrives, in the token that is paid with.")
    confirmations: Count = Field(
        0,
        description="How many confirmations it has; with as many as the network asks for it is confirmed at once, "
        "with fewer it waits for a step confirm.",
    )


class Confirm(OneOf):
    """Gives a transfer or a deposit its confirmations, or everything that an invoice has on chain."""

    example: ClassVar[str] = "confirm: {invoice: order}"
    choices: ClassVar[tuple[str, ...]] = ("invoice", "transfer", "deposit")

    invoice: Name | None = Field(None, description="Every transfer of this invoice that waits for confirmations.")
    transfer: Name | None = Field(None, description="This transfer alone.")
    deposit: Name | None = Field(None, description="This deposit, also after a reorg.")


class Reorg(OneOf):
    """Takes a transfer or a deposit off the chain again, or everything that an open invoice has on it."""

    example: ClassVar[str] = "reorg: {invoice: order}"
    choices: ClassVar[tuple[str, ...]] = ("invoice", "transfer", "deposit")

    invoice: Name | None = Field(None, description="Every transfer of this invoice.")
    transfer: Name | None = Field(None, description="This transfer alone.")
    deposit: Name | None = Field(None, description="This deposit, while it waits for confirmations.")
