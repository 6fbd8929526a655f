"""Wire faults of time and order: late requests, and requests that are overtaken."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from sender.durations import MILLISECOND
from sender.transport import Answer
from sender.wire import Wire
from tests.wire import REQUEST, TIMEOUT, Receiver, StandingClock, armed, at_hand, send

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from sender.transport import Outgoing

HELD = armed(("reorder", {}))


class Patience(StandingClock):
    """Never gives up waiting for something until told to; ``asked`` is for how long it was asked to wait."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[float | None] = []
        self.up = asyncio.Event()

    async def wait(self, awaited: Awaitable[object], seconds: float | None) -> bool:
        self.asked.append(seconds)
        awaiting = asyncio.ensure_future(awaited)
        ending = asyncio.ensure_future(self.up.wait())
        await asyncio.wait([awaiting, ending], return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        return awaiting.done() or not awaiting.cancel()


async def turns() -> None:
    """Let the loop turn until everything has run that can."""
    for _ in range(10):
        await asyncio.sleep(0)  # noqa: TID251 - a turn of the loop, no time


class Road:
    """A wire with a receiver at its end, on which a request is held."""

    def __init__(self, answer: Answer | None = None) -> None:
        self.clock = Patience()
        self.receiver = Receiver(self.clock, answer)
        self.wire = Wire(self.receiver, self.clock)

    async def hold(self) -> asyncio.Task[Answer]:
        """Send the older request, and return once it is held."""
        holding = asyncio.create_task(self.wire.send(REQUEST, TIMEOUT, HELD, at_hand()))
        await turns()
        return holding

    async def send(self, outgoing: Outgoing = REQUEST, subject: str = "inv_1") -> None:
        """Send a later request as the relay does, and let the loop turn."""
        await self.wire.send(outgoing, TIMEOUT, (), at_hand(subject=subject) if self.wire.watches else None)
        await turns()

    @property
    def bodies(self) -> list[bytes]:
        """What has arrived, in order."""
        return [one.body for _, one in self.receiver.arrived]


async def test_a_delayed_request_arrives_late() -> None:
    """It is sent unchanged after the wait, and the wait is no part of how long the answer took."""
    answer, receiver, waited = await send(armed(("delay", {"by": "250ms"})))
    assert receiver.arrived == [(0.25, REQUEST)]
    assert (waited, answer.status, answer.elapsed) == (0.25, 204, 3 * MILLISECOND)
    assert answer.detail == "receiver answered 204 (delay: sent 250ms late)"


async def test_a_held_request_arrives_behind_the_next_one() -> None:
    """It goes out as soon as a later one about the same resource was answered."""
    road = Road()
    holding = await road.hold()
    await road.send(replace(REQUEST, body=b"later"))
    answer = await holding
    assert road.bodies == [b"later", REQUEST.body]
    assert answer.detail.endswith("(reorder: sent after a later one)")
    assert (road.clock.asked, road.wire.watches) == ([2], False)


async def test_only_the_same_resource_and_receiver_overtake() -> None:
    """What another receiver is told, or what is told of another resource, lets nothing go."""
    road = Road()
    holding = await road.hold()
    await road.send(replace(REQUEST, url="http://other/hook"))
    await road.send(subject="inv_2")
    assert not holding.done()
    await road.send()
    await holding


async def test_a_request_without_an_answer_overtakes_nothing() -> None:
    """A later request that never arrived is not what the receiver has seen before."""
    road = Road(Answer(None, None, "no connection"))
    holding = await road.hold()
    await road.send()
    assert not holding.done()
    road.clock.up.set()
    await holding


async def test_a_request_that_was_under_way_before_is_not_a_later_one() -> None:
    """Only what is sent after the hold has begun counts."""
    road = Road()
    earlier = road.wire.send(REQUEST, TIMEOUT)
    holding = await road.hold()
    await earlier
    assert not holding.done()
    await road.send()
    await holding


async def test_a_held_request_goes_out_when_nothing_overtakes_it() -> None:
    """After the stated time it is sent all the same, and says so."""
    road = Road()
    holding = await road.hold()
    road.clock.up.set()
    answer = await holding
    assert road.bodies == [REQUEST.body]
    assert answer.detail.endswith("(reorder: nothing overtook it within 2s)")


async def test_a_cancelled_hold_leaves_nothing_behind() -> None:
    """A relay that stops sends nothing more, and nothing is waited for any longer."""
    road = Road()
    holding = await road.hold()
    holding.cancel()
    await asyncio.wait([holding])
    assert (road.bodies, road.wire.watches) == ([], False)


async def test_a_dropped_event_was_never_sent_and_counts_as_taken() -> None:
    """The sender sees a 200, and nothing arrives."""
    answer, receiver, waited = await send(armed(("drop", {})))
    assert (answer.status, answer.reason, receiver.arrived, waited) == (200, None, [], 0)
    assert answer.detail == "drop: answered 200 on the way; the receiver has never seen it"


async def test_copies_with_ids_of_their_own() -> None:
    """Each copy has another id in its header, the same ones in every run; body and signature stay."""
    runs = [await send(armed(("duplicate", {"copies": "2", "ids": "new"}))) for _ in range(2)]
    (answer, receiver, _), (_, again, _) = runs
    assert receiver.arrived == again.arrived
    ids = [dict(one.headers)["X-Webhook-Id"] for _, one in receiver.arrived]
    assert (ids[0], len(set(ids)), {one[:4] for one in ids}) == ("evt_1", 3, {"evt_"})
    assert {(one.body, dict(one.headers)["X-Webhook-Signature"]) for _, one in receiver.arrived} == {
        (REQUEST.body, dict(REQUEST.headers)["X-Webhook-Signature"])
    }
    assert answer.detail == "receiver answered 204 (duplicate: sent 3 times, each with an id of its own)"
