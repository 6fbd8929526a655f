"""Wire faults: what each does to a request, how they add up, and how they are read from text."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from sender.domain.delivery import Reason
from sender.durations import MILLISECOND, MINUTE, SECOND
from sender.errors import UsageError
from sender.transport import Answer
from sender.wire import WIRE_FAULTS, Wire, wire_fault
from sender.wire.copies import Duplicate
from sender.wire.forgeries import MissingHeader, StaleTimestamp
from sender.wire.losses import LoseRequest, LoseResponse
from sender.wire.timing import Delay, Reorder
from tests.wire import REQUEST, TIMEOUT, Receiver, StandingClock, armed, at_hand, send

if TYPE_CHECKING:
    from collections.abc import Mapping


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
    sending = asyncio.create_task(Wire(receiver, clock).send(REQUEST, TIMEOUT, faults, at_hand()))
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
        ("duplicate", {"ids": "new"}, Duplicate(ids="new")),
        ("delay", {}, Delay(SECOND)),
        ("delay", {"by": "30s"}, Delay(30 * SECOND)),
        ("reorder", {"at_most": "5s"}, Reorder(5 * SECOND)),
        ("stale_timestamp", {}, StaleTimestamp(10 * MINUTE)),
        ("stale_timestamp", {"age": "-6m"}, StaleTimestamp(-6 * MINUTE)),
        ("missing_header", {"header": "X-Webhook-Id"}, MissingHeader("X-Webhook-Id")),
    ],
)
def test_a_fault_is_read_from_its_name_and_fields(name: str, params: Mapping[str, object], fault: object) -> None:
    """A name and its fields make the fault; a field that is not named keeps its default."""
    assert wire_fault(name, params) == fault


@pytest.mark.parametrize(
    ("name", "params", "complaint"),
    [
        ("lose_reqest", {}, "'lose_reqest' is not a wire fault; write one of lose_request, lose_response, drop"),
        ("lose_request", {"copies": "1"}, "wire fault lose_request: there is no field 'copies'; it has none"),
        ("duplicate", {"copys": "1"}, "there is no field 'copys'; it has copies, spacing and ids"),
        ("duplicate", {"copies": "0"}, "wire fault duplicate: copies: '0' is not a whole number from 1 to 100"),
        ("duplicate", {"copies": "101"}, "copies: '101' is not a whole number from 1 to 100"),
        ("duplicate", {"copies": "-1"}, "copies: '-1' is not"),
        ("duplicate", {"copies": "1.5"}, "copies: '1.5' is not"),
        ("duplicate", {"copies": "²"}, "copies: '²' is not"),
        ("duplicate", {"copies": True}, "copies: 'True' is not"),
        ("duplicate", {"copies": "9" * 5000}, "is not a whole number from 1 to 100"),
        ("duplicate", {"spacing": "5"}, "wire fault duplicate: spacing: '5' has no unit"),
        ("duplicate", {"spacing": "-1s"}, "spacing: '-1s' is negative"),
        ("duplicate", {"ids": "nwe"}, "ids: 'nwe' is neither same nor new; did you mean 'new'?"),
        ("delay", {"by": "31s"}, "wire fault delay: by: '31s' of real time is too long; at most 30s is right"),
        ("delay", {"age": "1s"}, "wire fault delay: there is no field 'age'; it has by"),
        ("stale_timestamp", {"age": "0"}, "age: '0' is no age of a timestamp; write whole seconds, as in 10m, or -10m"),
        ("stale_timestamp", {"age": "1500ms"}, "age: '1500ms' is no age of a timestamp"),
        ("stale_timestamp", {"age": "--1s"}, "age: '-1s' is negative"),
        ("missing_header", {"header": "X Y"}, "header: 'X Y' is not the name of a header; write it as in X-Webhook"),
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
