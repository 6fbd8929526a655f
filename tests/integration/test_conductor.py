"""Who moves time, and what has happened when it stands again: advances, modes, expiries."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from sender.crash import Crashed, CrashPoint
from sender.durations import DAY, HOUR, MILLISECOND, MINUTE, SECOND
from sender.errors import StoreError, UsageError
from sender.store import reads, resources
from tests.receivers import PATIENCE, AcceptFrom, accept, receiving, refuse
from tests.simulators import (
    RUNGS,
    START,
    RecordingLog,
    another_relay,
    attempts_of,
    cancelled,
    crash,
    event,
    events_of,
    offsets,
    order,
    simulating,
    subscribe,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.simulator import Simulator
    from sender.store.engine import Session
    from tests.receivers import Request

EXPIRY = 1_800


def delivered(event_id: str) -> Callable[[Session], Awaitable[bool]]:
    """Return the question whether an event is delivered."""

    async def ask(session: Session) -> bool:
        return any(each.state == "delivered" for each in await reads.events(session) if each.event_id == event_id)

    return ask


async def settled(simulator: Simulator, log: RecordingLog, attempts: int) -> None:
    """Wait until so many attempts were recorded and nothing is due or in flight."""
    await log.holds("attempt.recorded", attempts)
    await simulator.conductor.quiet()


async def test_manual_time_stands_still(database_url: str) -> None:
    """The first attempt is made at once; the second waits for somebody to move time, whatever real time does."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        await simulator.conductor.quiet()
        assert offsets(await attempts_of(simulator)) == [0]
        assert await simulator.now() == START


async def test_an_advance_makes_what_lies_on_its_way_and_nothing_beyond(database_url: str) -> None:
    """Up to the microsecond before a rung nothing is sent; the rung itself belongs to the advance that reaches it."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        assert await simulator.conductor.advance_by(60 * SECOND - 1) == START + 60 * SECOND - 1
        assert offsets(await attempts_of(simulator)) == [0]
        assert await simulator.conductor.advance_by(1) == START + 60 * SECOND
        assert offsets(await attempts_of(simulator)) == [0, 60]
        assert await simulator.conductor.advance_to(START + HOUR) == START + HOUR
        assert offsets(await attempts_of(simulator)) == list(RUNGS[:6])


async def test_when_an_advance_returns_everything_has_settled(database_url: str) -> None:
    """Nothing is due or in flight after it: what the receiver has been sent is on the record."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        for number in range(5):
            await cancelled(simulator, f"order-{number}")
            await simulator.conductor.advance_by(2 * MINUTE)
            events = await events_of(simulator)
            assert not any(each.in_flight for each in events)
            assert sum(each.attempts for each in events) == len(receiver.requests)


@pytest.mark.parametrize("clock", ["manual", "skip", "real", "scale:60"])
async def test_an_advance_of_nothing_is_fine_and_of_less_is_refused(clock: str) -> None:
    """Zero waits for what is due and moves nothing; a negative duration and an instant in the past are refused."""
    async with receiving() as receiver, simulating("memory", clock=clock) as simulator:
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        now = await simulator.conductor.advance_by(0)
        assert len(await attempts_of(simulator)) == 1
        for move in (simulator.conductor.advance_by(-1), simulator.conductor.advance_to(now - DAY)):
            with pytest.raises(UsageError, match="never goes back"):
                await move
        assert await simulator.now() >= now


@pytest.mark.parametrize("clock", ["real", "scale:1000"])
async def test_time_that_runs_can_be_moved_too(clock: str) -> None:
    """In a running mode an advance arrives where it was sent, or later by what went by meanwhile."""
    async with receiving(refuse) as receiver, simulating("memory", clock=clock) as simulator:
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        before = await simulator.now()
        after = await simulator.conductor.advance_by(HOUR)
        assert before + HOUR <= after <= await simulator.now()
        attempts = await attempts_of(simulator)
        assert len(attempts) >= 6
        assert all(each.started_at >= each.due_at for each in attempts)


async def test_until_idle_ends_when_no_delivery_is_pending(database_url: str) -> None:
    """It does not wait for deadlines of invoices that lie beyond, but fires those that it passes."""
    async with receiving(AcceptFrom(3)) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        waiting = await simulator.invoices.create(order("waits"))
        await cancelled(simulator)
        assert await simulator.conductor.advance_until_idle() == START + 180 * SECOND
        assert (await _statuses(simulator, waiting.resource.id)) == ["awaiting_client"]
        receiver.script = refuse
        await cancelled(simulator, "order-2")
        await simulator.conductor.advance_until_idle()
        assert (await _statuses(simulator, waiting.resource.id)) == ["awaiting_client", "expired"]
        assert not any(each.state == "pending" for each in await events_of(simulator))


async def _statuses(simulator: Simulator, resource_id: str) -> list[str]:
    async with simulator.database.read() as session:
        return [each.status for each in await resources.history_of(session, resource_id)]


async def test_until_delivered_stops_at_the_delivery_it_was_asked_for(database_url: str) -> None:
    """Another event that still fails stays on its ladder."""
    scripts: dict[str, Any] = {"order-1": AcceptFrom(4), "order-2": refuse}
    async with (
        receiving(lambda request: scripts[request.event["data"]["order"]["external_id"]](request)) as receiver,
        simulating(database_url) as simulator,
    ):
        await subscribe(simulator, receiver.url())
        wanted, other = await cancelled(simulator), await cancelled(simulator, "order-2")
        assert await simulator.conductor.advance_until(delivered(wanted)) == START + 420 * SECOND
        assert (await event(simulator, wanted)).state == "delivered"
        kept = await event(simulator, other)
        assert (kept.state, kept.failures) == ("pending", 4)


async def test_until_something_that_never_comes_ends_when_nothing_is_pending(database_url: str) -> None:
    """A delivery that fails for good ends the wait for its success."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator)
        assert await simulator.conductor.advance_until(delivered(event_id)) == START + RUNGS[-1] * SECOND
        assert (await event(simulator, event_id)).state == "failed"


async def test_expiries_fire_on_the_way_at_their_own_instants_and_in_order(database_url: str) -> None:
    """One leap over several deadlines expires each invoice when it was due, and delivers that at the same instant."""
    async with receiving() as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        for number, wait in enumerate([0, 600, 300]):
            await simulator.conductor.advance_by(wait * SECOND)
            await simulator.invoices.create(order(f"order-{number}"))
        await simulator.conductor.advance_by(DAY)
        told = [(each["data"]["order"]["external_id"], each["occurred_at"]) for each in _bodies(receiver.requests)]
        start = START // SECOND
        assert told == [
            ("order-0", start + EXPIRY), ("order-1", start + 600 + EXPIRY), ("order-2", start + 900 + EXPIRY),
        ]  # fmt: skip
        assert offsets(await attempts_of(simulator)) == [EXPIRY, 600 + EXPIRY, 900 + EXPIRY]


def _bodies(requests: list[Request]) -> list[dict]:
    return [request.event for request in requests]


async def test_deadlines_that_coincide_go_by_creation(database_url: str) -> None:
    """Two invoices that expire at one instant are told of in the order in which they were made."""
    async with receiving() as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        for number in range(5):
            await simulator.invoices.create(order(f"order-{number}"))
        await simulator.conductor.advance_by(EXPIRY * SECOND)
        events = await events_of(simulator)
        made = [each["data"]["order"]["external_id"] for each in _bodies(receiver.requests)]
        assert sorted(made) == [f"order-{number}" for number in range(5)]
        by_commit = {request.event_id: request for request in receiver.requests}
        assert [by_commit[each.event_id].event["data"]["order"]["external_id"] for each in events] == sorted(made)


async def test_an_invoice_that_was_paid_does_not_expire(database_url: str) -> None:
    """Its deadline is gone; nothing happens when time passes it."""
    async with receiving() as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        made = await simulator.invoices.create(order())
        await simulator.invoices.pay(made.resource.id, made.resource.amount)
        await simulator.conductor.advance_by(DAY)
        assert {each.event_type for each in await events_of(simulator)} == {"invoice.confirming", "invoice.paid"}


async def test_a_relay_that_tells_nobody_is_noticed_in_skip_mode(database_url: str) -> None:
    """What a relay on another host records is seen all the same, and time goes on."""
    log = RecordingLog()
    async with receiving(AcceptFrom(3)) as receiver, simulating(database_url, clock="skip") as simulator:
        await simulator.relays.stop()
        await subscribe(simulator, receiver.url())
        async with another_relay(database_url, log=log, poll=20 * MILLISECOND):
            await cancelled(simulator)
            await log.holds("attempt.recorded", 3)
        assert offsets(await attempts_of(simulator)) == [0, 60, 180]


async def test_a_failure_of_storage_does_not_end_the_conductor(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a read that failed the background conductor goes on: time still skips."""
    log = RecordingLog()
    async with receiving(refuse) as receiver, simulating("memory", clock="skip", log=log) as simulator:
        await subscribe(simulator, receiver.url())
        real, failures = resources.next_deadline, [StoreError("the disk is gone")]

        async def failing(session: Session) -> int | None:
            if failures:
                raise failures.pop()
            return await real(session)

        monkeypatch.setattr(resources, "next_deadline", failing)
        await cancelled(simulator)
        await log.holds("store.failed")
        await settled(simulator, log, 11)


async def test_a_crash_armed_for_an_expiry_strikes_whoever_moves_time(database_url: str) -> None:
    """The advance ends with the crash, and the next one carries on: the invoice expires, and is told of once."""
    async with receiving() as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        await simulator.subscriptions.arm(crash(CrashPoint.DISPATCH_BEFORE_COMMIT, event_type="invoice.expired"))
        await simulator.invoices.create(order())
        with pytest.raises(Crashed):
            await simulator.conductor.advance_by(HOUR)
        await simulator.conductor.advance_by(HOUR)
        assert [request.event["event_type"] for request in receiver.requests] == ["invoice.expired"]


async def test_a_crash_armed_for_an_expiry_does_not_end_time(database_url: str) -> None:
    """Where time runs by itself nobody is there to be told; the invoice expires at the next look, and once."""
    log = RecordingLog()
    async with receiving() as receiver, simulating(database_url, clock="scale:1000000", log=log) as simulator:
        await subscribe(simulator, receiver.url())
        await simulator.subscriptions.arm(crash(CrashPoint.DISPATCH_BEFORE_COMMIT, event_type="invoice.expired"))
        await simulator.invoices.create(order())
        await log.holds("attempt.recorded")
        assert await simulator.subscriptions.armed() == []
        assert [request.event["event_type"] for request in receiver.requests] == ["invoice.expired"]


async def test_without_a_relay_the_wait_ends_with_a_question(database_url: str) -> None:
    """When nothing settles for too long the conductor says so instead of waiting for ever."""
    async with receiving() as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        await simulator.relays.stop()
        await cancelled(simulator)
        simulator.conductor._patience = 0
        with pytest.raises(StoreError, match="is a relay running"):
            await simulator.conductor.quiet()


async def test_two_advances_at_once_take_turns(database_url: str) -> None:
    """Their distances add up, and the log is that of one after the other."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        async with asyncio.timeout(PATIENCE):
            ends = await asyncio.gather(*(simulator.conductor.advance_by(2 * MINUTE) for _ in range(4)))
        assert sorted(ends) == [START + number * 2 * MINUTE for number in range(1, 5)]
        assert offsets(await attempts_of(simulator)) == list(RUNGS[:4])


async def test_a_receiver_that_heals_is_served_from_then_on(database_url: str) -> None:
    """What was refused before is accepted at its next rung."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator)
        await simulator.conductor.advance_by(10 * MINUTE)
        receiver.script = accept
        await simulator.conductor.advance_by(10 * MINUTE)
        assert offsets(await attempts_of(simulator)) == list(RUNGS[:5])
        assert (await event(simulator, event_id)).state == "delivered"
