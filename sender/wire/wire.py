"""The way of every request to its receiver, under the faults that are armed for it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from sender.wire.kinds import wire_fault
from sender.wire.passing import Passing
from sender.wire.way import Way

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from sender.clock import Clock
    from sender.domain.fault import Fault
    from sender.durations import Duration
    from sender.transport import Answer, Outgoing
    from sender.wire.passing import Send
    from sender.wire.way import AtHand


class Carrier(Protocol):
    """Whatever sends: the transport, or what stands for it in a test."""

    def send(self, outgoing: Outgoing, timeout: Duration) -> Coroutine[Any, Any, Answer]:
        """Send one request and return what came of it."""

    async def close(self) -> None:
        """Close every connection in an orderly way."""

    def abandon(self) -> None:
        """Drop everything unclosed at once."""


class Wire:
    """Sends what a relay hands over. Without a fault the way is the transport's own, at no cost."""

    def __init__(self, transport: Carrier, clock: Clock) -> None:
        self._transport = transport
        self._clock = clock
        self._passing = Passing()

    @property
    def watches(self) -> bool:
        """Whether every request has to say what it is about, because one is held until another overtakes it."""
        return self._passing.holds

    def send(
        self,
        outgoing: Outgoing,
        timeout: Duration,
        faults: Sequence[Fault] = (),
        hand: AtHand | None = None,
        *,
        instant: bool = False,
    ) -> Coroutine[Any, Any, Answer]:
        """Send one request under the faults that are armed for it, the first of them nearest to the sender.

        ``hand`` is needed where there are faults, or the wire ``watches``. An attempt that a fault lets run into its
        timeout takes no real time when ``instant`` is set. Raises ``UsageError`` for a fault that ``wire_fault``
        refuses.
        """
        send: Send = self._transport.send
        if hand is None:
            if faults:
                raise ValueError("whoever sends under faults has to say what is at hand")
            return send(outgoing, timeout)
        if self._passing.holds:
            send = self._passing.noticed(send, outgoing.url, hand.subject)
        for fault in reversed(faults):
            way = Way(send, self._clock, instant, self._passing, hand)
            send = partial(wire_fault(fault.name, fault.params).carry, way)
        return send(outgoing, timeout)

    async def close(self) -> None:
        """Close every connection in an orderly way."""
        await self._transport.close()

    def abandon(self) -> None:
        """Drop everything unclosed at once, as the death of the process would."""
        self._transport.abandon()
