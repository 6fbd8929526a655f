"""Wire faults: what each does to a request, how they add up, and how they are read from text."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from sender.clock import Clock
from sender.domain.delivery import Reason
from sender.domain.fault import Fault
from sender.durations import MILLISECOND, SECOND
from sender.errors import UsageError
from sender.transport import Answer, Outgoing
from sender.wire import WIRE_FAULTS, Duplicate, LoseRequest, LoseResponse, Wire, wire_fault

if TYPE_CHECKING:
    from collections.abc import Mapping

REQUEST = Outgoing("http://receiver/hook", (("X-Webhook-Id", "evt_1"),), b"{}")
TIMEOUT = 10 * SECOND


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


class StandingClock(Clock):
    """Sleeps without waiting; ``seconds`` is the longest wait that was asked for so far."""

    def __init__(self) -> None:
        self.seconds = 0.0

    async def sleep(self, seconds: float) -> None:
        self.seconds = max(self.seconds, seconds)


def armed(*faults: tuple[str, Mapping[str, str]]) -> list[Fault]:
    """Return faults as they are armed."""
    return [Fault("wire", name, params=params) for name, params in faults]


async def send(faults: list[Fault], answer: Answer | None = None, **options: Any) -> tuple[Answer, Receiver, float]:
    """Send one request under the faults; return the outcome, what arrived, and how long it was waited."""
    clock = StandingClock()
    receiver = Receiver(clock, answer)
    outcome = await Wire(receiver, clock).send(REQUEST, TIMEOUT, faults, **options)
    return outcome, receiver, clock.seconds


async def test_without_a_fault_nothing_is_between() -> None:
    """The answer of the transport comes back as it is, and the request goes out as it is."""
    outcome, receiver, waited = await send([])
    assert outcome == Answer(204, None, "receiver answered 204", elapsed=3 * MILLISECOND)
    assert receiver.arrived == [(0, REQUEST)]
    assert waited == 0


async def test_a_lost_request_never_arrives() -> None:
    """Nothing is sent, the sender waits its timeout out, and that is the outcome."""
    outcome, receiver, waited = await send(armed(("lose_request", {})))
    assert (outcome.status, outcome.reason, outcome.elapsed) == (None, Reason.TIMEOUT, TIMEOUT)
    assert outcome.detail == "lose_request: the request was lost on its way; no answer within 10s"
    assert receiver.arrived == []
    assert waited == 10


async def test_a_lost_request_need_not_be_waited_for() -> None:
    """While time stands still the wait is left out; the outcome and its length are the same."""
    outcome, _, waited = await send(armed(("lose_request", {})), instant=True)
    assert (outcome.reason, outcome.elapsed, waited) == (Reason.TIMEOUT, TIMEOUT, 0)


async def test_a_lost_answer_was_an_answer() -> None:
    """The request arrives once and is answered; the sender sees its timeout and nothing of the answer."""
    outcome, receiver, waited = await send(armed(("lose_response", {})))
    assert (outcome.status, outcome.reason, outcome.elapsed) == (None, Reason.TIMEOUT, TIMEOUT)
    assert (outcome.headers, outcome.body) == ((), b"")
    assert "receiver answered 204, and the answer was lost on its way back" in outcome.detail
    assert receiver.arrived == [(0, REQUEST)]
    assert waited == 0


async def test_what_was_not_sent_has_no_answer_to_lose() -> None:
    """A refused connection stays refused under ``lose_response``."""
    refused = Answer(None, Reason.REFUSED, "no connection")
    outcome, _, _ = await send(armed(("lose_response", {})), refused)
    assert outcome == refused


@pytest.mark.parametrize("copies", [1, 3])
async def test_a_duplicate_arrives_again(copies: int) -> None:
    """The same request arrives ``copies`` times more at once, and the first answer is the one that counts."""
    outcome, receiver, waited = await send(armed(("duplicate", {"copies": str(copies)})))
    assert (outcome.status, outcome.elapsed) == (204, 3 * MILLISECOND)
    assert outcome.detail == f"receiver answered 204 (duplicate: sent {copies + 1} times)"
    assert [each for _, each in receiver.arrived] == [REQUEST] * (copies + 1)
    assert waited == 0


async def test_duplicates_keep_their_spacing() -> None:
    """Each copy is sent ``spacing`` after the one before."""
    _, receiver, _ = await send(armed(("duplicate", {"copies": "3", "spacing": "250ms"})))
    assert [at for at, _ in receiver.arrived] == [0, 0.25, 0.5, 0.75]


async def test_a_cancelled_duplicate_leaves_nothing_behind() -> None:
    """When the attempt is cancelled, copies that still wait for their turn are not sent."""

    class Sleeping(StandingClock):
        async def sleep(self, seconds: float) -> None:
            asleep.set()
            await asyncio.Event().wait()

    asleep, clock = asyncio.Event(), Sleeping()
    receiver = Receiver(clock)
    faults = armed(("duplicate", {"spacing": "1s"}))
    sending = asyncio.create_task(Wire(receiver, clock).send(REQUEST, TIMEOUT, faults))
    await asleep.wait()
    sending.cancel()
    await asyncio.wait([sending])
    assert sending.cancelled()
    assert len(receiver.arrived) == 1


async def test_faults_add_up() -> None:
    """Two faults at once: the first armed is the nearest to the sender, so it loses what both copies brought home."""
    outcome, receiver, _ = await send(armed(("lose_response", {}), ("duplicate", {})))
    assert outcome.reason is Reason.TIMEOUT
    assert "sent 2 times), and the answer was lost" in outcome.detail
    assert len(receiver.arrived) == 2


async def test_the_ends_of_a_wire_are_its_transport_s() -> None:
    """Closing and abandoning are passed on."""
    clock = StandingClock()
    receiver = Receiver(clock)
    wire = Wire(receiver, clock)
    wire.abandon()
    await wire.close()
    assert receiver.ended == ["abandoned", "closed"]


@pytest.mark.parametrize(
    ("name", "params", "fault"),
    [
        ("lose_request", {}, LoseRequest()),
        ("lose_response", {}, LoseResponse()),
        ("duplicate", {}, Duplicate(copies=1, spacing=0)),
        ("duplicate", {"copies": "100", "spacing": "1m30s"}, Duplicate(copies=100, spacing=90 * SECOND)),
        ("duplicate", {"copies": 2, "spacing": "0"}, Duplicate(copies=2)),
    ],
)
def test_a_fault_is_read_from_its_name_and_fields(name: str, params: Mapping[str, object], fault: object) -> None:
    """A name and its fields make the fault; a field that is not named keeps its default."""
    assert wire_fault(name, params) == fault


@pytest.mark.parametrize(
    ("name", "params", "complaint"),
    [
        ("lose_reqest", {}, "'lose_reqest' is not a wire fault; write one of lose_request, lose_response, duplicate"),
        ("lose_request", {"copies": "1"}, "wire fault lose_request: there is no field 'copies'; it has none"),
        ("duplicate", {"copys": "1"}, "there is no field 'copys'; it has copies and spacing"),
        ("duplicate", {"copies": "0"}, "wire fault duplicate: copies: '0' is not a whole number from 1 to 100"),
        ("duplicate", {"copies": "101"}, "copies: '101' is not a whole number from 1 to 100"),
        ("duplicate", {"copies": "-1"}, "copies: '-1' is not"),
        ("duplicate", {"copies": "1.5"}, "copies: '1.5' is not"),
        ("duplicate", {"copies": "²"}, "copies: '²' is not"),
        ("duplicate", {"copies": True}, "copies: 'True' is not"),
        ("duplicate", {"copies": "9" * 5000}, "is not a whole number from 1 to 100"),
        ("duplicate", {"spacing": "5"}, "wire fault duplicate: spacing: '5' has no unit"),
        ("duplicate", {"spacing": "-1s"}, "spacing: '-1s' is negative"),
    ],
)
def test_a_bad_fault_is_refused_with_its_field(name: str, params: Mapping[str, object], complaint: str) -> None:
    """What cannot be read is refused in a sentence that names the fault, the field and what would be right."""
    with pytest.raises(UsageError) as refused:
        wire_fault(name, params)
    assert complaint in str(refused.value)


def test_every_fault_has_a_name_of_its_own() -> None:
    """No two faults share a name, and each can be made without a field."""
    names = [kind.name for kind in WIRE_FAULTS]
    assert len(set(names)) == len(names)
    assert [type(wire_fault(name, {})) for name in names] == list(WIRE_FAULTS)
