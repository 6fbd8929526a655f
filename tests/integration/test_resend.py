"""What a person may do by hand: resend, edit, suspend, resume, delete, in mid-ladder and in mid-flight."""

from __future__ import annotations

import pytest

from sender.durations import HOUR, MINUTE
from sender.errors import Conflict, NotFound
from tests.receivers import AcceptFrom, Gate, accept, receiving, refuse
from tests.simulators import RUNGS, attempts_of, cancelled, event, offsets, order, simulating, subscribe


async def test_a_failed_event_is_resent_once_and_a_success_makes_it_delivered(database_url: str) -> None:
    """After the ladder, a resend is one extra attempt with the same id and bytes, marked manual."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator)
        await simulator.conductor.advance_until_idle()
        await simulator.subscriptions.resend(event_id)
        await simulator.conductor.quiet()
        assert (await event(simulator, event_id)).state == "failed"
        receiver.script = accept
        await simulator.subscriptions.resend(event_id)
        await simulator.conductor.quiet()
        attempts = await attempts_of(simulator, event_id)
        assert (await event(simulator, event_id)).state == "delivered"
        assert [each.number for each in attempts] == list(range(1, 14))
        assert [each.trigger for each in attempts] == ["scheduled"] * 11 + ["manual"] * 2
        assert len({request.body for request in receiver.of(event_id)}) == 1


async def test_a_failed_resend_of_a_delivered_event_leaves_it_delivered(database_url: str) -> None:
    """A delivered event that is resent while the receiver refuses stays delivered and gets no new ladder."""
    async with receiving(accept) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator)
        await simulator.conductor.quiet()
        receiver.script = refuse
        await simulator.subscriptions.resend(event_id)
        await simulator.conductor.advance_by(17 * HOUR)
        found = await event(simulator, event_id)
        assert (found.state, found.attempts, found.due_at) == ("delivered", 2, None)
        assert len(receiver.requests) == 2


async def test_a_resend_on_the_ladder_moves_no_rung_and_its_success_ends_the_ladder(database_url: str) -> None:
    """Automatic attempts keep their instants around a manual one; numbers rise without repeating."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator)
        await simulator.conductor.advance_by(5 * MINUTE)
        await simulator.subscriptions.resend(event_id)
        await simulator.conductor.advance_by(20 * MINUTE)
        attempts = await attempts_of(simulator, event_id)
        scheduled = [each for each in attempts if each.trigger == "scheduled"]
        assert offsets(scheduled) == list(RUNGS[:5])
        assert [each.number for each in attempts] == list(range(1, 7))
        receiver.script = accept
        await simulator.subscriptions.resend(event_id)
        await simulator.conductor.advance_by(17 * HOUR)
        assert (await event(simulator, event_id)).state == "delivered"
        assert len(receiver.requests) == 7


async def test_a_resend_is_refused_while_an_attempt_is_under_way(database_url: str) -> None:
    """In flight there is nothing to resend: 409, and no second request."""
    gate = Gate()
    async with receiving(gate) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator)
        await receiver.received(1)
        with pytest.raises(Conflict, match="under way"):
            await simulator.subscriptions.resend(event_id)
        gate.open()
        await simulator.conductor.quiet()
        assert len(receiver.requests) == 1


async def test_what_cannot_be_resent_says_so(database_url: str) -> None:
    """An unknown event is not found, and one of a deleted endpoint has nobody to go to."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        endpoint = await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator)
        await simulator.conductor.quiet()
        await simulator.subscriptions.delete(endpoint)
        with pytest.raises(Conflict, match="deleted"):
            await simulator.subscriptions.resend(event_id)
        with pytest.raises(NotFound, match="evt_nobody"):
            await simulator.subscriptions.resend("evt_nobody")


async def test_an_edited_url_is_used_by_the_next_attempt(database_url: str) -> None:
    """Retries that wait go to where the endpoint is now; each attempt keeps the URL that it used."""
    async with receiving(AcceptFrom(2)) as receiver, simulating(database_url) as simulator:
        endpoint = await subscribe(simulator, receiver.url("/old"))
        event_id = await cancelled(simulator)
        await simulator.conductor.quiet()
        await simulator.subscriptions.edit(endpoint, url=receiver.url("/new"))
        await simulator.conductor.advance_by(MINUTE)
        assert [request.target for request in receiver.requests] == ["/old", "/new"]
        assert [each.url for each in await attempts_of(simulator, event_id)] == [
            receiver.url("/old"),
            receiver.url("/new"),
        ]


async def test_a_suspended_endpoint_waits_and_gets_nothing_new(database_url: str) -> None:
    """What is queued waits and goes on when resumed; what happens meanwhile is not queued for it."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        endpoint = await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator)
        await simulator.conductor.quiet()
        await simulator.subscriptions.suspend(endpoint)
        other = await simulator.invoices.create(order("order-2"))
        assert (await simulator.invoices.cancel(other.resource.id, "why not")).event_ids == ()
        await simulator.conductor.advance_by(HOUR)
        assert len(receiver.requests) == 1
        await simulator.subscriptions.resume(endpoint)
        await simulator.conductor.quiet()
        assert offsets(await attempts_of(simulator, event_id)) == [0, 3_600]


async def test_deleting_an_endpoint_in_mid_flight_cancels_the_row_and_keeps_the_attempt(database_url: str) -> None:
    """The attempt that was under way stays readable as evidence; the row is cancelled and never sent again."""
    gate = Gate(refuse)
    async with receiving(gate) as receiver, simulating(database_url) as simulator:
        endpoint = await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator)
        await receiver.received(1)
        await simulator.subscriptions.delete(endpoint)
        gate.open()
        await simulator.relays.stop()
        (attempt,) = await attempts_of(simulator, event_id)
        assert not attempt.counted
        assert (await event(simulator, event_id)).state == "cancelled"
        assert len(receiver.requests) == 1
