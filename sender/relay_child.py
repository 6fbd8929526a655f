"""The relay as a child process. When its parent is gone it ends as if it had been told to."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING

from sender.clock import Clock
from sender.crash import CrashSwitch, die_for_real
from sender.loops import run
from sender.providers.paymos import Paymos
from sender.relay import Relay
from sender.relay_pipe import ALIVE, BEAT, QUIT, READY, SETTLED, say
from sender.runtime import Runtime
from sender.store.engine import open_database
from sender.telemetry import Event, make_log
from sender.transport.client import Transport
from sender.wire import Wire

if TYPE_CHECKING:
    import socket

    from sender.config import Settings


def main(settings: Settings, pipe: socket.socket) -> None:
    """Run one relay until told to end, or until the parent is gone."""
    # A person's Ctrl-C reaches the whole group of processes; it is for the parent to say what follows from it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run(_relay(settings, pipe))


async def _relay(settings: Settings, pipe: socket.socket) -> None:
    clock = Clock()
    log = make_log(settings.log_level, as_json=settings.log_json)
    runtime = Runtime(clock, CrashSwitch(die_for_real), log)
    database = open_database(settings.database_url, clock, durable=settings.durable, pool_size=settings.pool_size)
    wire = Wire(Transport(clock, trust_env=settings.relay.trust_env, ca_file=settings.relay.trust), clock)
    pipe.setblocking(False)  # noqa: FBT003 - the standard library's own signature
    relay = Relay(runtime, database, Paymos(), wire, settings.relay, settled=lambda: say(pipe, SETTLED))
    running = asyncio.create_task(relay.run())
    log.info(Event.RELAY_STARTED, owner=relay.owner, process=os.getpid())
    say(pipe, READY)
    living = asyncio.create_task(_live(pipe, clock))
    await _obey(pipe, relay, running)
    living.cancel()
    cut_off = await relay.stop()
    await running
    await database.close()
    log.info(Event.RELAY_STOPPED, owner=relay.owner, cut_off=cut_off)


async def _live(pipe: socket.socket, clock: Clock) -> None:
    """Give signs of life; a loop that hangs gives none."""
    while True:
        say(pipe, ALIVE)
        await clock.sleep(BEAT)


async def _obey(pipe: socket.socket, relay: Relay, running: asyncio.Task[None]) -> None:
    """Pass wake-ups on until the parent says so, the parent is gone, or the relay itself ends."""
    loop = asyncio.get_running_loop()
    while not running.done():
        heard = asyncio.ensure_future(loop.sock_recv(pipe, 4096))
        await asyncio.wait({heard, running}, return_when=asyncio.FIRST_COMPLETED)
        if not heard.done():
            heard.cancel()
            return
        said = heard.result() if heard.exception() is None else b""
        if not said or QUIT in said:
            return
        relay.wake()
