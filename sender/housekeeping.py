"""Work that belongs to wall time, on APScheduler: it never decides when an attempt is due.

So far one duty: rows whose relay vanished on another host are claimable again once their lease has run out.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import UTC
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sender.errors import StoreError
from sender.store import outbox
from sender.telemetry import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.runtime import Runtime
    from sender.store.engine import Database

REAP_SECONDS = 5
"""Real seconds between two looks for leases that ran out; a lease lasts thirty."""


class Housekeeping:
    """Runs the duties of one process. ``reaped`` is called when rows became claimable."""

    def __init__(self, runtime: Runtime, database: Database, reaped: Callable[[], None]) -> None:
        self._clock = runtime.clock
        self._log = runtime.log
        self._database = database
        self._reaped = reaped
        self._scheduler: Any = None
        self._starting: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, once whoever starts has had time to become ready: importing the scheduler takes a while."""
        self._starting = asyncio.create_task(self._start())

    async def _start(self) -> None:
        await self._clock.sleep(REAP_SECONDS)
        loop = asyncio.get_running_loop()
        module = await loop.run_in_executor(None, import_module, "apscheduler.schedulers.asyncio")
        self._scheduler = module.AsyncIOScheduler(timezone=UTC, event_loop=loop)
        # A look that comes late is still wanted, and one is as good as several.
        self._scheduler.add_job(
            self.reap, "interval", seconds=REAP_SECONDS, misfire_grace_time=None, coalesce=True, max_instances=1
        )
        self._scheduler.start()

    async def reap(self) -> None:
        """Give back the rows whose lease has run out in real time."""
        try:
            async with self._database.write() as session:
                rows = await outbox.reap(session, self._clock.real_now())
        except StoreError as failure:
            self._log.warning(Event.STORE_FAILED, detail=str(failure))
            return
        if rows:
            self._log.warning(Event.RELAY_DIED, cause="its lease ran out", given_back=rows)
            self._reaped()

    async def stop(self) -> None:
        """End; a look that is under way is left to the loop."""
        if self._starting is not None:
            self._starting.cancel()
            with suppress(asyncio.CancelledError):
                await self._starting
        if self._scheduler is not None:
            self._scheduler.shutdown(wait=False)
