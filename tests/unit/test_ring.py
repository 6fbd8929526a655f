"""The rules of this ring: no sockets, but an event loop."""

from __future__ import annotations

import asyncio
import socket

import pytest


def test_unit_tests_cannot_open_sockets() -> None:
    """A unit test that opens a socket fails, whatever it wants to do with it."""
    with pytest.raises((RuntimeError, UserWarning), match=r"tried to use socket\.socket"):
        socket.socket(socket.AF_INET, socket.SOCK_STREAM)


async def test_unit_tests_have_an_event_loop() -> None:
    """The ban leaves asyncio whole: what another thread sets wakes the loop."""
    woken = asyncio.Event()
    loop = asyncio.get_running_loop()
    await asyncio.to_thread(loop.call_soon_threadsafe, woken.set)
    await asyncio.wait_for(woken.wait(), 5)
