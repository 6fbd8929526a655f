"""The background application: takes stored events in order of arrival and applies each in its own transaction.

What counts as still to do is read from the ledger and never from memory, so a receiver that was killed between its
2xx and the application goes on where it stopped.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING

from receiver_fixture.booking import apply_event, pending
from receiver_fixture.clock import MILLISECOND, Clock, Micros
from receiver_fixture.errors import StorageFailure
from receiver_fixture.rules import RIGHT

if TYPE_CHECKING:
    from receiver_fixture.ledger import Ledger
    from receiver_fixture.rules import Rules

_BATCH = 100
_AFTER_FAILURE: Micros = 200 * MILLISECOND

_log = logging.getLogger(__name__)


class Worker:
    """Applies what the ledger holds, ``delay`` microseconds after it came."""

    def __init__(self, ledger: Ledger, clock: Clock, delay: Micros, rules: Rules = RIGHT) -> None:
        self._ledger = ledger
        self._clock = clock
        self._delay = delay
        self._rules = rules
        self._woken = asyncio.Event()
        self._idle = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin with whatever an earlier run left behind."""
        self._running = asyncio.create_task(self._run(), name="receiver-worker")

    async def stop(self) -> None:
        """End between two events; what is left stays in the ledger."""
        if self._running is None:
            return
        self._running.cancel()
        await asyncio.wait({self._running})
        self._running = None

    def wake(self) -> None:
        """Say that something new was committed."""
        self._idle.clear()
        self._woken.set()

    async def idle(self) -> None:
        """Wait until everything received so far has been applied; raises what ended the worker, if anything did."""
        waiting = asyncio.create_task(self._idle.wait())
        try:
            await asyncio.wait({waiting, *filter(None, [self._running])}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        if self._running is not None and self._running.done():
            self._running.result()

    async def _run(self) -> None:
        while True:
            self._woken.clear()
            try:
                await self._drain()
            except StorageFailure as failure:
                _log.warning("events wait: the ledger cannot be used (%s)", failure)
                await self._clock.sleep(_AFTER_FAILURE)
                continue
            if not self._woken.is_set():
                self._idle.set()
            await self._woken.wait()

    async def _drain(self) -> None:
        full = True
        while full:
            waiting = await self._ledger.read(partial(pending, batch=_BATCH))
            full = len(waiting) == _BATCH
            for event_id, received_at in waiting:
                # Even without a delay this lets requests in between: answers come before applications.
                await self._clock.sleep(max(0, received_at + self._delay - self._clock.now()))
                now = self._clock.now()
                await self._ledger.write(partial(apply_event, event_id=event_id, now=now, rules=self._rules))
