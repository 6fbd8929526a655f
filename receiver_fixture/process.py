"""The life of the process: ready line, signals, clean end."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

from receiver_fixture.receiver import Receiver

if TYPE_CHECKING:
    from collections.abc import Callable

    from receiver_fixture.settings import Settings

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def run(settings: Settings, announce: Callable[[str], None]) -> None:
    """Serve until a signal comes, after having announced the URL; raises ``CannotStart``."""
    asyncio.run(_serve(settings, announce))


async def _serve(settings: Settings, announce: Callable[[str], None]) -> None:
    told_to_stop = _stop_signal()
    async with Receiver(settings) as receiver:
        announce(receiver.url)
        await told_to_stop.wait()


def _stop_signal() -> asyncio.Event:
    # Plain handlers and not the loop's: those do not exist on Windows.
    loop, told = asyncio.get_running_loop(), asyncio.Event()
    for number in _SIGNALS:
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(told.set))
    return told
