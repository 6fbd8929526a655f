"""Fires traffic in wall time, by APScheduler. It says when somebody buys, and never when an attempt is due."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from datetime import UTC
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, Any

from sender.crash import Crashed
from sender.durations import MILLISECOND, SECOND
from sender.errors import RequestRefused, StoreError
from sender.telemetry import Event

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.runtime import Runtime
    from sender.traffic.flow import Flow
    from sender.traffic.shop import Shop

_SCHEDULER = "apscheduler.schedulers.asyncio"


class Traffic:
    """Lets each flow happen until it is stopped. The same seed chooses the same deeds in the same order."""

    def __init__(self, flows: Sequence[Flow], shop: Shop, runtime: Runtime, seed: int) -> None:
        self._flows = [_Firing(flow, shop, runtime, seed) for flow in flows]
        self._scheduler: Any = None
        self._starting: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, while whoever starts goes on: importing the scheduler takes a while."""
        if self._flows:
            self._starting = asyncio.create_task(self._start())

    async def _start(self) -> None:
        loop = asyncio.get_running_loop()
        module = await loop.run_in_executor(None, import_module, _SCHEDULER)
        # It warns in words of its own of each firing that comes while the one before is still under way.
        logging.getLogger("apscheduler").setLevel(logging.ERROR)
        self._scheduler = module.AsyncIOScheduler(timezone=UTC, event_loop=loop)
        for firing in self._flows:
            # What was missed, or comes while the one before is under way, is left out: nobody buys twice for that.
            self._scheduler.add_job(firing.fire, _trigger(firing.flow), coalesce=True, max_instances=1)
        self._scheduler.start()

    async def stop(self) -> None:
        """End; what is under way is cancelled between two transactions."""
        if self._starting is not None:
            self._starting.cancel()
            with suppress(asyncio.CancelledError):
                await self._starting
        if self._scheduler is not None:
            self._scheduler.shutdown(wait=False)


class _Firing:
    """One flow and where it stands."""

    def __init__(self, flow: Flow, shop: Shop, runtime: Runtime, seed: int) -> None:
        self.flow = flow
        self._shop = shop
        self._log = runtime.log
        self._random = Random(f"{seed}/{flow.name}")
        # A database that was used before knows the orders of earlier starts, so each start has ids of its own.
        self._began = runtime.clock.real_now() // MILLISECOND
        self._orders = 0
        self._complaint: str | None = None

    async def fire(self) -> None:
        """Let it happen, as often as one firing says."""
        weights = [deed.weight for deed in self.flow.deeds]
        for deed in self._random.choices(self.flow.deeds, weights, k=self.flow.times):
            self._orders += 1
            try:
                await self._shop.carry_out(deed, f"{self.flow.name[:64]}-{self._began}-{self._orders}")
            except (RequestRefused, StoreError) as failure:
                self._complain(failure.code, f"{deed.verb}: {failure}")
            except Crashed as death:
                self._complain(death.point, f"{deed.verb}: the API died at {death.point}")
            else:
                self._complaint = None

    def _complain(self, kind: str, sentence: str) -> None:
        """Log what went wrong, once for all that goes wrong in the same way right behind it."""
        if kind != self._complaint:
            self._log.warning(Event.TRAFFIC_REFUSED, traffic=self.flow.name, detail=sentence)
        self._complaint = kind


def _trigger(flow: Flow) -> Any:
    if flow.every is None:
        from sender.traffic.calendar import trigger  # noqa: PLC0415 - a scheduler, only where a calendar is wanted

        return trigger(str(flow.cron))
    return import_module("apscheduler.triggers.interval").IntervalTrigger(seconds=flow.every / SECOND, timezone=UTC)
