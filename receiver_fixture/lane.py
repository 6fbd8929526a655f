"""Where the ledger's synchronous calls run, one after another: in the event loop, or on one thread beside it.

One at a time by construction on both, so the ledger needs no locks of its own. What makes two receivers on one
database safe is the database: ``on conflict do nothing`` and row locks.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


class Lane(Protocol):
    """Runs one call at a time."""

    async def run(self, call: Callable[[], Result]) -> Result:
        """Run the call and return what it returns."""
        ...

    def close(self) -> None:
        """Let the call in progress end; take no more."""
        ...


class InlineLane:
    """Runs calls in the event loop: right for SQLite, where handing over costs more than the call."""

    async def run(self, call: Callable[[], Result]) -> Result:
        """Run the call at once."""
        return call()

    def close(self) -> None:
        """Nothing to end."""


class ThreadLane:
    """Runs calls on one thread: right for PostgreSQL, where a call waits for the network."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="receiver-ledger")

    async def run(self, call: Callable[[], Result]) -> Result:
        """Run the call after those before it; it runs to its end even when nobody waits for it any more."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, call)

    def close(self) -> None:
        """Let the call in progress end; take no more."""
        self._executor.shutdown(wait=True, cancel_futures=True)
