"""The composition root: the one place that names concrete classes and puts them together.

A simulator has no globals, so several of them live in one process, each with its own database, clock and relays.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from sender.channels import Channels
from sender.clock import Clock, start_timeline
from sender.conductor import Conductor
from sender.crash import CrashSwitch
from sender.dispatcher import Dispatcher
from sender.invoices import Invoices
from sender.merchant import Merchant
from sender.providers.paymos import paymos
from sender.resetting import Resetting
from sender.runtime import Runtime
from sender.store import world
from sender.store.engine import open_database
from sender.subscriptions import Subscriptions
from sender.telemetry import make_log
from sender.withdrawals import Withdrawals

if TYPE_CHECKING:
    from types import TracebackType

    from sender.config import Settings
    from sender.durations import Instant
    from sender.relay_host import RelayHost
    from sender.store.engine import Database
    from sender.telemetry import Log


class Simulator:
    """One local provider: commands, endpoints, time, and relays that deliver. Use it as an async context manager."""

    def __init__(self, settings: Settings, *, log: Log | None = None) -> None:
        self.settings = settings
        self.clock = Clock()
        self.runtime = Runtime(
            self.clock, CrashSwitch(), log or make_log(settings.log_level, as_json=settings.log_json)
        )
        self.profile = paymos(settings.checkout_url)
        self.database: Database = open_database(
            settings.database_url, self.clock, durable=settings.durable, pool_size=settings.pool_size
        )
        self.dispatcher = Dispatcher(
            self.runtime, self.database, self.profile, wake=self._wake_relays, changed=self._rethink
        )
        self.invoices = Invoices(self.dispatcher, self.profile)
        self.withdrawals = Withdrawals(self.dispatcher, self.profile, settings.withdrawal_whitelist)
        self.channels = Channels(self.dispatcher, self.profile)
        self.merchant = Merchant(self.database)
        self.subscriptions = Subscriptions(
            self.runtime, self.database, self._committed, strict=settings.strict_endpoints
        )
        self.conductor = Conductor(self.runtime, self.database, self.invoices.expire_if_due, self._wake_relays)
        self.relays: RelayHost = self._host()
        self.resetting = Resetting(
            self.runtime,
            self.database,
            settings,
            conductor=self.conductor,
            restart=self.relays.restart,
            wake=self._committed,
        )
        self._conducting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Make or check the schema, then start relays and conductor. Raises ``NotAvailable`` or ``StoreError``."""
        settings = self.settings
        start = start_timeline(settings.clock, self.clock.real_now(), settings.start)
        await world.prepare(self.database, settings.seed, start)
        await self.relays.start()
        self._conducting = asyncio.create_task(self.conductor.run())

    async def close(self) -> None:
        """Stop in order: time, relays, database."""
        if self._conducting is not None:
            self._conducting.cancel()
            with suppress(asyncio.CancelledError):
                await self._conducting
        await self.relays.stop()
        await self.database.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def now(self) -> Instant:
        """Return the virtual instant."""
        return await self.conductor.now()

    def _committed(self) -> None:
        self._wake_relays()
        self.conductor.changed()

    def _wake_relays(self) -> None:
        self.relays.wake()

    def _rethink(self) -> None:
        self.conductor.changed()

    def _settled(self) -> None:
        self.conductor.settled()

    def _host(self) -> RelayHost:
        if self.settings.in_process:
            from sender.in_process import in_process_host  # noqa: PLC0415 - a parent of children needs no HTTP client

            return in_process_host(self.runtime, self.database, self.profile, self.settings, self._settled)
        from sender.supervisor import Supervisor  # noqa: PLC0415

        return Supervisor(self.runtime, self.database, self.settings, self._settled)
