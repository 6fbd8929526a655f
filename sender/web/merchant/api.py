"""The merchant API as a whole: its operations and the routes to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.web.merchant.channels import ChannelApi
from sender.web.merchant.door import Door
from sender.web.merchant.gate import Gate
from sender.web.merchant.invoices import InvoiceApi
from sender.web.merchant.kept import Kept
from sender.web.merchant.limiter import Limiter
from sender.web.merchant.shelf import Shelf
from sender.web.merchant.system import SystemApi
from sender.web.merchant.withdrawals import WithdrawalApi

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aiohttp import web

    from sender.clock import Clock
    from sender.domain.access import ApiKey, Project
    from sender.web.merchant.operation import Operation
    from sender.web.parts import ApiOptions, Parts


class Memory:
    """What the merchant API remembers of keys and projects, for a moment."""

    def __init__(self, clock: Clock) -> None:
        self.keys: Kept[ApiKey] = Kept(clock)
        self.projects: Kept[Project] = Kept(clock)

    def forget(self) -> None:
        """Drop all of it: something was taken away."""
        self.keys.forget()
        self.projects.forget()


def merchant_operations(parts: Parts, memory: Memory) -> tuple[Operation, ...]:
    """Return the 21 operations of contract §5.2."""
    shelf = Shelf(parts.database, parts.profile, memory.projects)
    return (
        *SystemApi(parts.database, parts.runtime.clock).operations(),
        *InvoiceApi(parts.invoices, shelf, parts.profile).operations(),
        *WithdrawalApi(parts.withdrawals, shelf, parts.profile).operations(),
        *ChannelApi(parts.channels, shelf, parts.profile).operations(),
    )


def merchant_routes(
    parts: Parts, options: ApiOptions, operations: Iterable[Operation], memory: Memory
) -> list[web.RouteDef]:
    """Return a route for each operation."""
    clock = parts.runtime.clock
    gate = Gate(parts.database, clock, memory.keys) if options.authenticate else None
    limiter = None if options.rate_limit is None else Limiter(clock, options.rate_limit)
    return Door(gate, limiter, parts.profile.catalogue).routes(operations)
