"""The fault that sends one request several times."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from sender.durations import SECOND, parse_duration
from sender.wire import readers
from sender.wire.readers import SAME
from sender.wire.way import WireFault

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from typing import Any

    from sender.clock import Clock
    from sender.durations import Duration
    from sender.transport import Answer, Outgoing
    from sender.wire.way import Reader, Way

_ID_LENGTH = 21


@dataclass(frozen=True, slots=True)
class Duplicate(WireFault):
    """The same request is sent ``copies`` times more, each ``spacing`` of real time after the one before.

    What the first one brings home counts; the attempt is over when all of them are. With ``ids: new`` each copy has
    another id in its header. The body with the event's own id stays, and so does the signature, which does not cover
    the header (contract §1.2): a receiver that knows events by the header takes each copy for a new one.
    """

    copies: int = 1
    spacing: Duration = 0
    ids: str = SAME

    name: ClassVar[str] = "duplicate"
    fields: ClassVar[Mapping[str, Reader]] = {"copies": readers.copies, "spacing": parse_duration, "ids": readers.ids}

    @override
    async def carry(self, way: Way, outgoing: Outgoing, timeout: Duration) -> Answer:
        async with asyncio.TaskGroup() as group:
            first = group.create_task(way.send(outgoing, timeout))
            for number in range(1, self.copies + 1):
                copy = partial(way.send, self._copy(outgoing, way.hand.id_header, number), timeout)
                group.create_task(self._later(way.clock, copy, number))
        answer = first.result()
        own = "" if self.ids == SAME else ", each with an id of its own"
        return replace(answer, detail=f"{answer.detail} ({self.name}: sent {self.copies + 1} times{own})")

    def _copy(self, outgoing: Outgoing, id_header: str, number: int) -> Outgoing:
        if self.ids == SAME:
            return outgoing
        headers = ((name, _other_id(value, number) if name == id_header else value) for name, value in outgoing.headers)
        return replace(outgoing, headers=tuple(headers))

    async def _later(self, clock: Clock, send: Callable[[], Coroutine[Any, Any, Answer]], number: int) -> None:
        if self.spacing:
            await clock.sleep(number * self.spacing / SECOND)
        await send()


def _other_id(event_id: str, number: int) -> str:
    """Return an id of the same form; the same one for the same copy, so that two runs are alike."""
    prefix, mark, _ = event_id.rpartition("_")
    digest = hashlib.sha256(f"{event_id} copy {number}".encode()).hexdigest()
    return f"{prefix}{mark}{digest[:_ID_LENGTH]}"
