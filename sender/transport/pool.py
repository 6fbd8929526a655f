"""The connections that wait, unused, for the next request of the same burst, and what is known of who holds them up.

A request on a connection that the peer is just closing is a lost attempt, and sending it again is forbidden. So a
connection is kept for a moment only, and the socket is looked at right before it is used. Of a peer that never yet
answered twice on one connection, one at a time is tried; a peer that drops one that early gets a new connection for
each request from then on. A receiver that breaks its promise to keep connections so costs one attempt at most, and one
that keeps it costs none.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, cast

from sender.durations import MILLISECOND, SECOND

if TYPE_CHECKING:
    from aiohttp.connector import Connection

    from sender.clock import Clock
    from sender.durations import Duration
    from sender.transport.peer import Peer

IDLE_LIMIT: Duration = 40 * MILLISECOND
"""For how much real time an unused connection is kept.

Receivers that drop idle connections do so after 50 ms or more and are never met. Less would cost a burst dearly: while
a transaction holds the loop up, every connection is idle, and opening them all again costs more than the transaction.
"""


class Pool:
    """The idle connections to one receiver, oldest first."""

    __slots__ = ("_clock", "_distrusted", "_idle", "_sweeping", "_trial", "_trusted")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._idle: deque[tuple[Connection, Duration]] = deque()
        self._trial: Peer | None = None
        self._trusted = False
        self._distrusted = False
        self._sweeping: asyncio.TimerHandle | None = None

    def take(self) -> Connection | None:
        """Return a connection that may be used now, or ``None`` where a new one has to be opened."""
        if self._trial is not None or not self._idle:
            return None
        fresh = self._clock.monotonic() - IDLE_LIMIT
        while self._idle:
            connection, since = self._idle.popleft()
            peer = cast("Peer", connection.protocol)
            if since >= fresh and not self._distrusted and peer.is_quiet():
                if not self._trusted:
                    self._trial = peer
                peer.begin()
                return connection
            # What was said over an idle connection, even its end, belongs to no request.
            self._distrusted |= since >= fresh and peer.is_connected()
            connection.close()
        return None

    def put(self, connection: Connection, *, usable: bool) -> None:
        """Take a connection back after its request; ``usable`` says that the answer came to its end."""
        peer = cast("Peer", connection.protocol)
        if self._trial is peer:
            self._trial = None
            self._trusted |= peer.head_size > 0
        if not usable or self._distrusted or peer.should_close:
            connection.close()
            return
        peer.rest(self._distrust)
        self._idle.append((connection, self._clock.monotonic()))
        if self._sweeping is None:
            self._sweep_later()

    def _distrust(self) -> None:
        self._distrusted = True

    def _sweep_later(self) -> None:
        self._sweeping = asyncio.get_running_loop().call_later(IDLE_LIMIT / SECOND, self._sweep)

    def _sweep(self) -> None:
        old = self._clock.monotonic() - IDLE_LIMIT
        while self._idle and self._idle[0][1] <= old:
            self._idle.popleft()[0].close()
        self._sweeping = None
        if self._idle:
            self._sweep_later()

    def close(self) -> None:
        """Close what is idle."""
        if self._sweeping is not None:
            self._sweeping.cancel()
            self._sweeping = None
        while self._idle:
            self._idle.popleft()[0].close()
