"""An event loop in a thread of its own, and the ways into it from other threads and other loops."""

from __future__ import annotations

import asyncio
import threading
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

from sender.errors import UsageError
from sender.loops import run

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Future

P = ParamSpec("P")
T = TypeVar("T")


class InLoop(Protocol):
    """Whatever lives in one event loop."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop that it lives in."""


H = TypeVar("H", bound=InLoop)


class LoopThread:
    """Runs an event loop until it is stopped."""

    def __init__(self, name: str) -> None:
        self._thread = threading.Thread(target=lambda: run(self._until_stopped()), name=name, daemon=True)
        self._ready = threading.Event()
        self._stopping: asyncio.Event | None = None
        self._running = False
        self.loop: asyncio.AbstractEventLoop

    def start(self) -> None:
        """Return once the loop runs."""
        self._thread.start()
        self._ready.wait()
        self._running = True

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop, and wait for it here; an interrupt of the wait ends it there.

        Raises ``UsageError`` where the loop has not begun, or has ended.
        """
        if not self._running:
            work.close()
            raise UsageError("this simulator is closed, or was not started")
        future: Future[T] = asyncio.run_coroutine_threadsafe(work, self.loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """End the loop and the thread; what still runs in it is cancelled."""
        self._running = False
        if self._stopping is not None:
            self.loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()

    async def _until_stopped(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        self._ready.set()
        await self._stopping.wait()


def hops(
    method: Callable[Concatenate[H, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[H, P], Coroutine[Any, Any, T]]:
    """Let a method be awaited in any loop: it runs in the one that its object lives in."""

    @wraps(method)
    async def call(self: H, /, *args: P.args, **kwargs: P.kwargs) -> T:
        work = method(self, *args, **kwargs)
        if asyncio.get_running_loop() is self.loop:
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self.loop))

    return call


def loop_is_running() -> bool:
    """Tell whether this thread is inside an event loop, which a wait would stop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
