"""Faults of time: a request that goes out late, or after one that came later."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from sender.durations import SECOND, format_duration
from sender.wire import readers
from sender.wire.way import WireFault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sender.durations import Duration
    from sender.transport import Answer, Outgoing
    from sender.wire.way import Reader, Way


@dataclass(frozen=True, slots=True)
class Delay(WireFault):
    """The request goes out ``by`` of real time later than it was signed.

    The sender's own timeout begins when it goes out; the receiver sees a timestamp that is that much older.
    """

    by: Duration = SECOND

    name: ClassVar[str] = "delay"
    fields: ClassVar[Mapping[str, Reader]] = {"by": readers.pause}

    @override
    async def carry(self, way: Way, outgoing: Outgoing, timeout: Duration) -> Answer:
        await way.clock.sleep(self.by / SECOND)
        answer = await way.send(outgoing, timeout)
        return replace(answer, detail=f"{answer.detail} ({self.name}: sent {format_duration(self.by)} late)")


@dataclass(frozen=True, slots=True)
class Reorder(WireFault):
    """The request is held until a later one about the same resource, to the same URL, was answered.

    It waits for that at most ``at_most`` of real time and goes out then all the same. Which one is later does not
    depend on the speed of either, so where two events are committed one after the other they arrive the other way
    round in every run. Only what one relay sends is compared.
    """

    at_most: Duration = 2 * SECOND

    name: ClassVar[str] = "reorder"
    fields: ClassVar[Mapping[str, Reader]] = {"at_most": readers.pause}

    @override
    async def carry(self, way: Way, outgoing: Outgoing, timeout: Duration) -> Answer:
        with way.passing.held(outgoing.url, way.hand.subject) as overtaken:
            happened = await way.clock.wait(overtaken.wait(), self.at_most / SECOND)
        answer = await way.send(outgoing, timeout)
        told = "sent after a later one" if happened else f"nothing overtook it within {format_duration(self.at_most)}"
        return replace(answer, detail=f"{answer.detail} ({self.name}: {told})")
