"""Faults that lose something: the request, the answer, or the whole event while the sender believes it arrived."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from sender.domain.delivery import Reason
from sender.durations import SECOND, format_duration
from sender.transport import Answer
from sender.wire.way import WireFault

if TYPE_CHECKING:
    from sender.durations import Duration
    from sender.transport import Outgoing
    from sender.wire.way import Way


@dataclass(frozen=True, slots=True)
class LoseRequest(WireFault):
    """The request never arrives, and the sender waits in vain."""

    name: ClassVar[str] = "lose_request"

    @override
    async def carry(self, way: Way, outgoing: Outgoing, timeout: Duration) -> Answer:
        if not way.instant:
            await way.clock.sleep(timeout / SECOND)
        nothing = Answer(None, None, "")
        return _in_vain(nothing, f"{self.name}: the request was lost on its way", timeout)


@dataclass(frozen=True, slots=True)
class LoseResponse(WireFault):
    """The receiver has it and answers, and the sender never learns. A request that cannot be sent fails as it would."""

    name: ClassVar[str] = "lose_response"

    @override
    async def carry(self, way: Way, outgoing: Outgoing, timeout: Duration) -> Answer:
        answer = await way.send(outgoing, timeout)
        if answer.status is None:
            return answer
        what = f"{self.name}: {answer.detail}, and the answer was lost on its way back"
        return _in_vain(answer, what, timeout)


@dataclass(frozen=True, slots=True)
class Drop(WireFault):
    """Somebody on the way answers 200 and passes nothing on: the sender is content, and the receiver never has it.

    So the event is lost for good: it counts as delivered and is never sent again, unless a person resends it.
    """

    name: ClassVar[str] = "drop"

    @override
    async def carry(self, way: Way, outgoing: Outgoing, timeout: Duration) -> Answer:
        return Answer(200, None, f"{self.name}: answered 200 on the way; the receiver has never seen it")


def _in_vain(answer: Answer, what: str, timeout: Duration) -> Answer:
    """Return the answer of an attempt that ran into its timeout, which is how long it then counts as having taken."""
    detail = f"{what}; no answer within {format_duration(timeout)}"
    return Answer(None, Reason.TIMEOUT, detail, elapsed=timeout, sent=answer.sent)
