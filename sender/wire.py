"""Wire faults: what a network, or the sender's own sending, can do to one request.

A fault is a small value that wraps the rest of the way to the receiver. It may leave the request out, send it more
often, drop what comes back, or send something else instead; so what is still to come (delay, a bad signature, a
missing header …) is one more class here and needs nothing new around it.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from typing_extensions import override

from sender.domain.delivery import Reason
from sender.durations import SECOND, format_duration, parse_duration
from sender.errors import UsageError
from sender.transport import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    from sender.clock import Clock
    from sender.domain.fault import Fault
    from sender.durations import Duration
    from sender.transport import Outgoing

    Send = Callable[[Outgoing, Duration], Coroutine[Any, Any, Answer]]
    Reader = Callable[[str], object]

MOST_COPIES = 100


@dataclass(frozen=True, slots=True)
class Way:
    """The rest of the way, as a fault finds it.

    ``instant`` leaves out a real wait that can only end in the timeout.
    """

    send: Send
    clock: Clock
    instant: bool


def _copies(text: str) -> int:
    if not re.fullmatch("[0-9]{1,3}", text) or not 1 <= int(text) <= MOST_COPIES:
        raise ValueError(f"{text[:20]!r} is not a whole number from 1 to {MOST_COPIES}")
    return int(text)


class WireFault:
    """One fault. ``fields`` says how each of its fields is read from text."""

    __slots__ = ()

    name: ClassVar[str]
    fields: ClassVar[Mapping[str, Reader]] = {}

    async def carry(self, way: Way, outgoing: Outgoing, timeout: Duration) -> Answer:  # noqa: ASYNC109 - data
        """Do to the request what the fault does, and return what the sender then knows."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class LoseRequest(WireFault):
    """The request never arrives, and the sender waits in vain."""

    name: ClassVar[str] = "lose_request"

    @override
    async def carry(self, way: Way, outgoing: Outgoing, timeout: Duration) -> Answer:
        if not way.instant:
            await way.clock.sleep(timeout / SECOND)
        return _in_vain(self.name, "the request was lost on its way", timeout)


@dataclass(frozen=True, slots=True)
class LoseResponse(WireFault):
    """The receiver has it and answers, and the sender never learns. A request that cannot be sent fails as it would."""

    name: ClassVar[str] = "lose_response"

    @override
    async def carry(self, way: Way, outgoing: Outgoing, timeout: Duration) -> Answer:
        answer = await way.send(outgoing, timeout)
        if answer.status is None:
            return answer
        return _in_vain(self.name, f"{answer.detail}, and the answer was lost on its way back", timeout)


@dataclass(frozen=True, slots=True)
class Duplicate(WireFault):
    """The same request is sent ``copies`` times more, each ``spacing`` of real time after the one before.

    What the first one brings home counts; the attempt is over when all of them are.
    """

    copies: int = 1
    spacing: Duration = 0

    name: ClassVar[str] = "duplicate"
    fields: ClassVar[Mapping[str, Reader]] = {"copies": _copies, "spacing": parse_duration}

    @override
    async def carry(self, way: Way, outgoing: Outgoing, timeout: Duration) -> Answer:
        send = partial(way.send, outgoing, timeout)
        async with asyncio.TaskGroup() as group:
            first = group.create_task(send())
            for number in range(1, self.copies + 1):
                group.create_task(self._copy(way.clock, send, number))
        answer = first.result()
        return replace(answer, detail=f"{answer.detail} ({self.name}: sent {self.copies + 1} times)")

    async def _copy(self, clock: Clock, send: Callable[[], Coroutine[Any, Any, Answer]], number: int) -> None:
        if self.spacing:
            await clock.sleep(number * self.spacing / SECOND)
        await send()


WIRE_FAULTS: tuple[type[WireFault], ...] = (LoseRequest, LoseResponse, Duplicate)


def wire_fault(name: str, params: Mapping[str, object]) -> WireFault:
    """Return the fault of that name with the fields given, each as text; the others keep their defaults.

    Raises ``UsageError``, which names the field, for anything that is not one.
    """
    kind = next((each for each in WIRE_FAULTS if each.name == name), None)
    if kind is None:
        raise UsageError(f"{name!r} is not a wire fault; write one of {', '.join(each.name for each in WIRE_FAULTS)}")
    for field in params:
        if field not in kind.fields:
            raise UsageError(f"wire fault {name}: there is no field {field!r}; it has {_listed(kind.fields)}")
    return kind(**{field: _read(name, field, kind.fields[field], str(text)) for field, text in params.items()})


class Carrier(Protocol):
    """Whatever sends: the transport, or what stands for it in a test."""

    def send(self, outgoing: Outgoing, timeout: Duration) -> Coroutine[Any, Any, Answer]:
        """Send one request and return what came of it."""

    async def close(self) -> None:
        """Close every connection in an orderly way."""

    def abandon(self) -> None:
        """Drop everything unclosed at once."""


class Wire:
    """The way of every request to its receiver. Without a fault it is the transport's own, at no cost."""

    def __init__(self, transport: Carrier, clock: Clock) -> None:
        self._transport = transport
        self._clock = clock

    def send(
        self, outgoing: Outgoing, timeout: Duration, faults: Sequence[Fault] = (), *, instant: bool = False
    ) -> Coroutine[Any, Any, Answer]:
        """Send one request under the faults that are armed for it, the first of them nearest to the sender.

        An attempt that a fault lets run into its timeout takes no real time when ``instant`` is set. Raises
        ``UsageError`` for a fault that ``wire_fault`` refuses.
        """
        send: Send = self._transport.send
        for fault in reversed(faults):
            send = partial(wire_fault(fault.name, fault.params).carry, Way(send, self._clock, instant))
        return send(outgoing, timeout)

    async def close(self) -> None:
        """Close every connection in an orderly way."""
        await self._transport.close()

    def abandon(self) -> None:
        """Drop everything unclosed at once, as the death of the process would."""
        self._transport.abandon()


def _in_vain(name: str, what: str, timeout: Duration) -> Answer:
    """Return the answer of an attempt that ran into its timeout, which is how long it then counts as having taken."""
    detail = f"{name}: {what}; no answer within {format_duration(timeout)}"
    return Answer(None, Reason.TIMEOUT, detail, elapsed=timeout)


def _read(name: str, field: str, reader: Reader, text: str) -> object:
    try:
        return reader(text)
    except (UsageError, ValueError) as error:
        raise UsageError(f"wire fault {name}: {field}: {error}") from error


def _listed(fields: Mapping[str, Reader]) -> str:
    return " and ".join(fields) or "none"
