"""What wire faults are tested with: a transport that notes what arrives, a clock that waits for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sender.clock import Clock
from sender.domain.fault import Fault
from sender.durations import MILLISECOND, SECOND
from sender.providers.paymos import Paymos
from sender.transport import Answer, Outgoing
from sender.wire import AtHand, Wire

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PAYMOS = Paymos()
SECRET = "whsec_test_of_the_endpoint"
NOW = 1_767_225_600
"""When the attempt is made, in Unix seconds."""
BODY = b'{"event_id":"evt_1","data":{"order":{"external_id":"7","amount":"11.05"},"payment":{"paid":"11.05"}}}'
TIMEOUT = 10 * SECOND
REQUEST = Outgoing("http://receiver/hook", PAYMOS.sign(BODY, [SECRET], NOW, "evt_1"), BODY)


def at_hand(body: bytes = BODY, secrets: Sequence[str] = (SECRET,), subject: str = "inv_1") -> AtHand:
    """Return the attempt at hand as a relay hands it over."""
    return AtHand(
        subject,
        PAYMOS.id_header,
        PAYMOS.signature_header,
        lambda others, ago: PAYMOS.sign(body, others or secrets, NOW - ago, "evt_1"),
    )


class StandingClock(Clock):
    """Sleeps without waiting; ``seconds`` is the longest wait that was asked for so far."""

    def __init__(self) -> None:
        self.seconds = 0.0

    async def sleep(self, seconds: float) -> None:
        self.seconds = max(self.seconds, seconds)


class Receiver:
    """Stands for the transport: notes what arrives when, and answers 204, then 500, then 204 …"""

    def __init__(self, clock: StandingClock, answer: Answer | None = None) -> None:
        self.arrived: list[tuple[float, Outgoing]] = []
        self.ended: list[str] = []
        self._clock = clock
        self._answer = answer

    async def send(self, outgoing: Outgoing, timeout: int) -> Answer:  # noqa: ASYNC109 - the transport's signature
        self.arrived.append((self._clock.seconds, outgoing))
        status = 204 if len(self.arrived) % 2 else 500
        return self._answer or Answer(status, None, f"receiver answered {status}", elapsed=3 * MILLISECOND)

    async def close(self) -> None:
        self.ended.append("closed")

    def abandon(self) -> None:
        self.ended.append("abandoned")


def armed(*faults: tuple[str, Mapping[str, str]]) -> list[Fault]:
    """Return faults as they are armed."""
    return [Fault("wire", name, params=params) for name, params in faults]


async def send(
    faults: list[Fault], answer: Answer | None = None, *, outgoing: Outgoing = REQUEST, **options: Any
) -> tuple[Answer, Receiver, float]:
    """Send one request under the faults; return the outcome, what arrived, and how long it was waited."""
    clock = StandingClock()
    receiver = Receiver(clock, answer)
    outcome = await Wire(receiver, clock).send(outgoing, TIMEOUT, faults, at_hand(outgoing.body), **options)
    return outcome, receiver, clock.seconds
