"""What parent and child say to each other: single bytes over a socket pair.

The parent says ``w`` (something may be due) and ``q`` (finish and end); the child says ``r`` (I work), ``s``
(something was recorded) and, every second, ``a`` (I am alive). A pipe that breaks means that the other side is dead;
one that is silent, that it hangs or was stopped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

    from sender.config import Settings

WAKE, QUIT, READY, SETTLED, ALIVE = b"w", b"q", b"r", b"s", b"a"

BEAT = 1.0
"""Real seconds between two signs of life."""


def say(pipe: socket.socket, word: bytes) -> None:
    """Say one byte; a full pipe means that the other side has enough to read already, a broken one that it is gone."""
    try:
        pipe.send(word)
    except OSError:
        return


def child_entry(settings: Settings, pipe: socket.socket) -> None:
    """Be the child: what a process is started with; the parent itself never imports what only a relay needs."""
    from sender.relay_child import main  # noqa: PLC0415

    main(settings, pipe)
