"""Fires traffic in wall time, by APScheduler. It says when somebody buys, and never when an attempt is due."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from contextlib import suppress
from datetime import UTC
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sender.durations import MILLISECOND, SECOND
from sender.errors import Conflict, NotFound
from sender.schedules import names
from sender.traffic.firing import Firing
from sender.traffic.flowfile import load_flow, read_flow

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from sender.runtime import Runtime
    from sender.traffic.flow import Flow
    from sender.traffic.shop import Shop

AT_ONCE = 20
"""How many flows go on at the same time."""
REMEMBERED = 50
_SCHEDULER = "apscheduler.schedulers.asyncio"


class Traffic:
    """Lets flows happen until they are stopped. The same seed chooses the same deeds in the same order.

    ``open_shop`` gives the shop in which they buy; it is asked when the first flow starts.
    """

    def __init__(self, open_shop: Callable[[], Awaitable[Shop]], runtime: Runtime, seed: int) -> None:
        self._open_shop = open_shop
        self._runtime = runtime
        self._seed = seed
        self._known: OrderedDict[str, Firing] = OrderedDict()
        self._count = 0
        self._mark = 0
        self._scheduler: Any = None
        self._beginning: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()

    def begin(self, flows: Sequence[Flow]) -> None:
        """Start flows while whoever asks goes on: importing the scheduler takes a while."""
        if flows:
            self._beginning = asyncio.create_task(self._begin(flows))

    async def start(self, *, name: str | None = None, document: str | None = None) -> Firing:
        """Start a flow that ships, by its name, or one that is given as text.

        Raises ``NotFound`` for a name that is none, ``FileRefused`` with every problem of a text, and ``Conflict``
        while as many flows go on as may.
        """
        if document is not None:
            return await self.start_flow(await asyncio.to_thread(read_flow, document))
        if name not in self.names():
            raise NotFound(f"there is no traffic {(name or '')[:64]!r}", code="traffic_not_found")
        return await self.start_flow(load_flow(name))

    async def start_flow(self, flow: Flow) -> Firing:
        """Start a flow; where exactly this one goes on already, that one is meant."""
        async with self._turn:
            going = [one for one in self._known.values() if one.finished_at is None]
            same = next((one for one in going if one.flow == flow), None)
            if same is not None:
                return same
            if len(going) >= AT_ONCE:
                raise Conflict(f"{AT_ONCE} flows go on; stop one of them", code="too_much_traffic")
            return await self._start(flow)

    def names(self) -> list[str]:
        """Return the names of the traffic that ships."""
        return names("traffic")

    def all(self) -> list[Firing]:
        """Return the flows that are remembered, newest first."""
        return list(reversed(self._known.values()))

    def get(self, traffic_id: str) -> Firing:
        """Return a flow. Raises ``NotFound``."""
        if traffic_id not in self._known:
            raise NotFound(f"there is no traffic {traffic_id[:64]!r}", code="traffic_not_found")
        return self._known[traffic_id]

    async def stop(self, traffic_id: str) -> Firing:
        """End a flow that goes on; one that has ended stays as it is. Raises ``NotFound``."""
        firing = self.get(traffic_id)
        await firing.stop()
        return firing

    async def stop_all(self) -> list[Firing]:
        """End every flow; nothing is bought after this has returned. Those that were remembered are returned."""
        await self._give_up_beginning()
        async with self._turn:
            for firing in self._known.values():
                await firing.stop()
        return self.all()

    async def close(self) -> None:
        """End; what is under way is cancelled between two transactions."""
        await self._give_up_beginning()
        scheduler, self._scheduler = self._scheduler, None
        if scheduler is not None:
            scheduler.shutdown(wait=False)

    async def _begin(self, flows: Sequence[Flow]) -> None:
        for flow in flows:
            await self.start_flow(flow)

    async def _give_up_beginning(self) -> None:
        if self._beginning is not None:
            self._beginning.cancel()
            with suppress(asyncio.CancelledError):
                await self._beginning

    async def _start(self, flow: Flow) -> Firing:
        scheduler = await self._running_scheduler()
        shop = await self._open_shop()
        self._count += 1
        # A database that was used before knows the orders of earlier starts, so each start has ids of its own.
        self._mark = max(self._runtime.clock.real_now() // MILLISECOND, self._mark + 1)
        firing = Firing(f"traffic_{self._count}", flow, shop, self._runtime, seed=self._seed, mark=self._mark)
        # What was missed, or comes while the one before is under way, is left out: nobody buys twice for that.
        firing.entry = scheduler.add_job(firing.fire, _trigger(flow), coalesce=True, max_instances=1)
        self._known[firing.id] = firing
        self._forget_some()
        return firing

    async def _running_scheduler(self) -> Any:
        if self._scheduler is None:
            loop = asyncio.get_running_loop()
            module = await loop.run_in_executor(None, import_module, _SCHEDULER)
            # It warns in words of its own of each firing that comes while the one before is still under way.
            logging.getLogger("apscheduler").setLevel(logging.ERROR)
            self._scheduler = module.AsyncIOScheduler(timezone=UTC, event_loop=loop)
            self._scheduler.start()
        return self._scheduler

    def _forget_some(self) -> None:
        ended = [one.id for one in self._known.values() if one.finished_at is not None]
        for traffic_id in ended[: max(len(self._known) - REMEMBERED, 0)]:
            del self._known[traffic_id]


def _trigger(flow: Flow) -> Any:
    if flow.every is None:
        from sender.traffic.calendar import trigger  # noqa: PLC0415 - a scheduler, only where a calendar is wanted

        return trigger(str(flow.cron))
    return import_module("apscheduler.triggers.interval").IntervalTrigger(seconds=flow.every / SECOND, timezone=UTC)
