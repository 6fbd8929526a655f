"""A payment channel: one customer's standing addresses, one on each rail (contract §3.4, §4.3).

At the provider a channel is ``provisioning`` until its rails have addresses, rail by rail. Sandbox channels derive
theirs and watch no chain, so here every channel is ``active`` on every rail from the start; ``provisioning`` is known,
for filters and bodies, and never reached. Nothing that happens to a channel sends a webhook.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import ClassVar

from sender.domain.invoice_rules import check_external_id, check_percent
from sender.domain.resource import Transition
from sender.domain.text import refusal
from sender.durations import Instant


class ChannelStatus(StrEnum):
    """Whether a channel takes money."""

    PROVISIONING = "provisioning"
    ACTIVE = "active"
    BLOCKED = "blocked"


class RailStatus(StrEnum):
    """Whether one rail of a channel has its address."""

    PROVISIONING = "provisioning"
    ACTIVE = "active"


@dataclass(frozen=True, slots=True)
class Token:
    """What a rail takes, and how little of it; without ``minimum_deposit`` the rail cannot quote one now."""

    symbol: str
    minimum_deposit: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Rail:
    """One network of a channel. ``address`` is absent until it is provisioned, and then never changes."""

    network: str
    status: RailStatus
    address: str | None
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Channel:
    """One payment channel. Percentages are of what arrives: ``applied`` is the provider's fee."""

    kind: ClassVar[str] = "payment_channel"

    id: str
    project_id: str
    external_id: str
    status: ChannelStatus
    is_test: bool
    applied_fee_percent: Decimal
    customer_fee_percent: int
    rails: tuple[Rail, ...]
    created_at: Instant
    updated_at: Instant

    @property
    def is_accepting_payments(self) -> bool:
        """Whether money is taken: not while it is blocked, and not before the first rail is there."""
        return self.status is ChannelStatus.ACTIVE

    @property
    def is_fully_provisioned(self) -> bool:
        """Whether every rail has its address."""
        return all(rail.status is RailStatus.ACTIVE for rail in self.rails)

    @property
    def deadline_at(self) -> Instant | None:
        """``None``: time alone never changes a channel."""
        return None

    def rail(self, network: str) -> Rail:
        """Return the rail of a network. Raises ``RequestRefused`` where the channel has none."""
        for rail in self.rails:
            if rail.network == network:
                return rail
        message = f"the channel has no rail {network}; it has {', '.join(rail.network for rail in self.rails)}"
        raise refusal(message, "network")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenChannel:
    """Give a customer of a project addresses of its own."""

    id: str
    project_id: str
    external_id: str
    applied_fee_percent: Decimal
    rails: tuple[Rail, ...]
    is_test: bool = True
    customer_fee_percent: int = 0


def opened(command: OpenChannel, now: Instant) -> Transition[Channel]:
    """Return a new channel. Raises ``RequestRefused`` for values that cannot be taken."""
    check_external_id(command.external_id, "external_id")
    check_percent(command.customer_fee_percent)
    channel = Channel(
        id=command.id,
        project_id=command.project_id,
        external_id=command.external_id,
        status=ChannelStatus.ACTIVE,
        is_test=command.is_test,
        applied_fee_percent=command.applied_fee_percent,
        customer_fee_percent=command.customer_fee_percent,
        rails=command.rails,
        created_at=now,
        updated_at=now,
    )
    return Transition(channel, None, "opened with all its rails; the provider sends nothing for that")


def blocked(channel: Channel, now: Instant) -> Transition[Channel] | None:
    """Return the channel that takes no money any more; ``None`` when it is blocked already."""
    return _moved(channel, ChannelStatus.BLOCKED, now)


def unblocked(channel: Channel, now: Instant) -> Transition[Channel] | None:
    """Return the channel that takes money again; ``None`` when it does already."""
    return _moved(channel, ChannelStatus.ACTIVE, now)


def _moved(channel: Channel, status: ChannelStatus, now: Instant) -> Transition[Channel] | None:
    if channel.status is status:
        return None
    moved = replace(channel, status=status, updated_at=now)
    return Transition(moved, None, f"now {status}; the provider sends nothing for that")
