"""Where child processes come from: a fork server that has imported already what only children need."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from typing import Any

PRELOAD = ("sender.relay_child", "sender.store.sqlite", "uvloop")
"""What the fork server imports, so that no child has to; one that is not to be had is left out."""

POSTGRES = "sender.store.postgres"
"""What it imports too where the database is a PostgreSQL; elsewhere that would only take time."""


def process_context(*more: str) -> Any:
    """Return where children come from: the fork server, started where it does not run, or plain spawning.

    ``more`` are modules that it imports beside ``PRELOAD``, where it is only started now.
    """
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*PRELOAD, *more])
    _start_server()
    return context


def warm_up(database_url: str | None = None) -> None:
    """Start the fork server now, so that it imports what relays on this database need, while this process goes on."""
    on_sqlite = database_url is None or database_url.startswith("sqlite:")
    process_context(*(() if on_sqlite else (POSTGRES,)))


def kill_children() -> None:
    """Kill every child that is left, where this process ends without having stopped them."""
    for child in multiprocessing.active_children():
        child.kill()


def _start_server() -> None:
    """Start it with SIGTERM blocked, which its children inherit.

    Who stops a service signals its whole group of processes (systemd does). What follows from that is for the parent to
    say, as with Ctrl-C: a relay that died of it would leave in the middle of what it sends.
    """
    from multiprocessing import forkserver, resource_tracker  # noqa: PLC0415 - there are none on Windows

    # The fork server starts it where it does not run, and would take the signal out of the mask on the way.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
