"""What a traffic file says, as data: when something happens, and what may."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.domain.deposit import DepositStatus
from sender.domain.sandbox import Stage
from sender.durations import Duration, format_duration

if TYPE_CHECKING:
    from decimal import Decimal

NOTHING = "none"
"""The outcome of what is left to itself."""

STAGES = {stage.value: stage for stage in Stage if stage is not Stage.CANCEL}
"""The outcomes of an invoice that are stages of the sandbox."""

OUTCOMES = {
    "create_invoice": (*STAGES, "cancelled", "expired", NOTHING),
    "create_withdrawal": ("completed", "failed", "cancelled", NOTHING),
    "deposit": (DepositStatus.CONFIRMED.value, DepositStatus.REORGED.value, DepositStatus.CONFIRMING.value),
}
"""What may happen, and how each may end; the first is what happens when nothing is said."""


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that may happen: its verb, money, and outcome. Of all, ``weight`` says how often it is this one."""

    verb: str
    amount: Decimal
    currency: str
    network: str | None
    outcome: str
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Flow:
    """The traffic of one file. Either ``every`` (real time) or ``cron`` (in UTC) is set; ``times`` at each firing."""

    name: str
    every: Duration | None
    cron: str | None
    times: int
    deeds: tuple[Deed, ...]

    @property
    def rhythm(self) -> str:
        """When something happens, in words."""
        when = f"cron {self.cron}" if self.every is None else f"every {format_duration(self.every)}"
        return when if self.times == 1 else f"{self.times} at once, {when}"
