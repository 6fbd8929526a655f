"""Where child processes come from: a fork server that has imported already what only children need."""

from __future__ import annotations

import multiprocessing
import sys
from typing import Any

PRELOAD = ("sender.relay_child",)
"""What the fork server imports; what only few children need, those import themselves."""


def process_context() -> Any:
    """Return where children come from: a fork server that has imported everything, or plain spawning."""
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOAD))
    return context


def warm_up() -> None:
    """Start the fork server now, so that it imports while this process does other things."""
    process_context()
    if sys.platform != "win32":
        from multiprocessing import forkserver  # noqa: PLC0415 - there is none on Windows

        forkserver.ensure_running()
