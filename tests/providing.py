"""A provider without relays for tests of the store: commands, endpoints and reads on one database, at one instant."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sender.channels import Channels
from sender.clock import Clock, start_timeline
from sender.crash import CrashSwitch
from sender.dispatcher import Dispatcher
from sender.domain.balance import Movement
from sender.durations import SECOND
from sender.invoices import Invoices, Order
from sender.merchant import Merchant
from sender.providers.paymos import Paymos
from sender.runtime import Runtime
from sender.store import balances, reads, resources, world
from sender.store.engine import open_database
from sender.subscriptions import NewEndpoint, Subscriptions
from sender.telemetry import make_log
from sender.withdrawals import WithdrawalRequest, Withdrawals

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Sequence

    from sender.dispatcher import Receipt
    from sender.durations import Instant
    from sender.store.resources import Transitioned

START: Instant = 1_700_000_000 * SECOND
SEED = 7
PROJECT = "prj_1"


class Provider:
    """The writing side of one simulator on a database that is open."""

    def __init__(self, database_url: str, whitelist: Collection[str] | None = None) -> None:
        self.clock = Clock()
        self.profile = Paymos()
        self.database = open_database(database_url, self.clock)
        runtime = Runtime(self.clock, CrashSwitch(), make_log("error"))
        self.dispatcher = Dispatcher(runtime, self.database, self.profile)
        self.invoices = Invoices(self.dispatcher, self.profile)
        self.withdrawals = Withdrawals(self.dispatcher, self.profile, whitelist)
        self.channels = Channels(self.dispatcher, self.profile)
        self.merchant = Merchant(self.database)
        self.subscriptions = Subscriptions(runtime, self.database, lambda: None)

    async def subscribe(self, *categories: str, project_id: str | None = None, is_test: bool = True) -> str:
        """Add an endpoint; return its id."""
        new = NewEndpoint(url="http://127.0.0.1:9/", categories=categories, project_id=project_id, is_test=is_test)
        return (await self.subscriptions.add(new)).id

    async def move_to(self, instant: Instant) -> None:
        """Let it be another instant."""
        async with self.database.write() as session:
            here = (await world.read_world(session)).timeline
            await world.write_timeline(session, here.moved_to(instant, self.clock.real_now()))

    async def history(self, resource_id: str) -> Sequence[Transitioned]:
        """Return what happened to a resource, oldest first."""
        async with self.database.read() as session:
            return await resources.history_of(session, resource_id)

    async def queued(self, resource_id: str) -> list[tuple[str, str]]:
        """Return the type and the endpoint of each outbox row of a resource, in commit order."""
        async with self.database.read() as session:
            return [(row.event_type, row.endpoint_id) for row in await reads.events(session, resource_id)]

    async def body(self, receipt: Receipt) -> dict[str, Any]:
        """Return the stored body of the one event that a command queued."""
        (event_id,) = receipt.event_ids
        async with self.database.read() as session:
            return json.loads(await reads.body_of(session, event_id) or b"null")

    async def credit(self, amount: str, currency: str = "USDT") -> None:
        """Put money into the sandbox's balance."""
        async with self.database.write() as session:
            await balances.move(session, Movement(is_test=True, currency=currency, amount=Decimal(amount)))

    async def balance(self, currency: str = "USDT", *, is_test: bool = True) -> str:
        """Return what is available of a token, as text."""
        rows = await self.merchant.balances(is_test=is_test)
        return next((f"{row.available:f}" for row in rows if row.currency == currency), "none")


@asynccontextmanager
async def providing(
    database_url: str, whitelist: Collection[str] | None = None, seed: int = SEED
) -> AsyncIterator[Provider]:
    """Open a provider on a new database whose time stands still at ``START``."""
    provider = Provider(database_url, whitelist)
    try:
        await world.prepare(provider.database, seed, start_timeline("manual", provider.clock.real_now(), START))
        yield provider
    finally:
        await provider.database.close()


def order(external_id: str, *, project_id: str = PROJECT, is_test: bool = True) -> Order:
    """Return an order of 11.05 USD."""
    return Order(
        project_id=project_id, external_id=external_id, amount=Decimal("11.05"), currency="USD", is_test=is_test
    )


def payout(external_id: str = "payout_1", amount: str = "5.00", *, is_test: bool = True) -> WithdrawalRequest:
    """Return a request for a withdrawal of USDT on TRC20."""
    return WithdrawalRequest(
        external_id=external_id,
        amount=Decimal(amount),
        currency="USDT",
        network="TRC20",
        destination_address="TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m9",
        is_test=is_test,
    )
