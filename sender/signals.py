"""How a process is told to end: the first SIGINT or SIGTERM asks for it, and what runs then ends in order."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress

STOPPING = (signal.SIGINT, signal.SIGTERM)


def stop_signal() -> asyncio.Event:
    """Return the event that is set when this process is told to stop; called within the running loop."""
    loop, told = asyncio.get_running_loop(), asyncio.Event()
    for number in STOPPING:
        try:
            loop.add_signal_handler(number, told.set)
        except NotImplementedError:  # on Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(told.set))
    return told


def end_on_sigterm() -> None:
    """Let SIGTERM cancel the present task, as Ctrl-C does, so that what it holds is let go in order."""
    task = asyncio.current_task()
    if task is not None:
        with suppress(NotImplementedError):  # on Windows nobody sends it
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
