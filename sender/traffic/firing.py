"""One flow that happens: how often it was carried out, what was refused, and whether it still goes on."""

from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING, Any, Literal

from sender.crash import Crashed
from sender.errors import RequestRefused, StoreError
from sender.telemetry import Event

if TYPE_CHECKING:
    from sender.durations import Instant
    from sender.runtime import Runtime
    from sender.traffic.flow import Flow
    from sender.traffic.shop import Shop

State = Literal["running", "stopped"]


class Firing:
    """One flow and where it stands. ``mark`` makes its order ids its own; times are real.

    ``fired`` counts firings, ``done`` what was carried out, ``refused`` what was not; ``last_refusal`` says why.
    """

    def __init__(self, name: str, flow: Flow, shop: Shop, runtime: Runtime, *, seed: int, mark: int) -> None:
        self.id = name
        self.flow = flow
        self.started_at: Instant = runtime.clock.real_now()
        self.finished_at: Instant | None = None
        self.fired = self.done = self.refused = 0
        self.last_refusal = ""
        self.entry: Any = None
        self._shop = shop
        self._clock = runtime.clock
        self._log = runtime.log
        self._random = Random(f"{seed}/{flow.name}")
        self._prefix = f"{flow.name[:64]}-{mark}"
        self._orders = 0
        self._complaint: str | None = None
        self._busy = asyncio.Lock()

    @property
    def state(self) -> State:
        """Whether it goes on."""
        return "running" if self.finished_at is None else "stopped"

    async def fire(self) -> None:
        """Let it happen, as often as one firing says, or until it is stopped."""
        weights = [deed.weight for deed in self.flow.deeds]
        async with self._busy:
            self.fired += 1
            for deed in self._random.choices(self.flow.deeds, weights, k=self.flow.times):
                if self.finished_at is not None:
                    return
                await self._carry_out(deed)

    async def stop(self) -> None:
        """End it; returns once what was under way is over, so that nothing comes after."""
        if self.finished_at is None:
            self.finished_at = self._clock.real_now()
            if self.entry is not None:
                self.entry.remove()
        async with self._busy:
            pass

    async def _carry_out(self, deed: Any) -> None:
        self._orders += 1
        try:
            await self._shop.carry_out(deed, f"{self._prefix}-{self._orders}")
        except (RequestRefused, StoreError) as failure:
            self._complain(failure.code, f"{deed.verb}: {failure}")
        except Crashed as death:
            self._complain(death.point, f"{deed.verb}: the API died at {death.point}")
        else:
            self.done += 1
            self._complaint = None

    def _complain(self, kind: str, sentence: str) -> None:
        """Count what went wrong, and log it once for all that goes wrong in the same way right behind it."""
        self.refused += 1
        self.last_refusal = sentence
        if kind != self._complaint:
            self._log.warning(Event.TRAFFIC_REFUSED, traffic=self.flow.name, detail=sentence)
        self._complaint = kind
