"""A reset: nothing that was sent before it arrives after it, and what is left is what was there at the start."""

from __future__ import annotations

import asyncio

import pytest

from sender.crash import CrashPoint
from sender.domain.access import KeyKind
from sender.durations import MILLISECOND, MINUTE
from sender.errors import UsageError
from sender.resetting import SCOPES, Cleared
from sender.store import archive, balances, clearing, world
from tests.receivers import Gate, receiving
from tests.simulators import START, attempts_of, cancelled, crash, events_of, simulating, subscribe

NOWHERE = "http://127.0.0.1:9/"


async def test_a_reset_leaves_what_was_there_at_the_start(database_url: str) -> None:
    """Every scope: no resources, deliveries, faults, endpoints or added keys, the clock at its start; numbers go on."""
    async with simulating(database_url) as simulator:
        await subscribe(simulator, NOWHERE)
        await simulator.merchant.add_project("shop")
        await simulator.merchant.add_key(KeyKind.PAYOUT)
        await simulator.subscriptions.arm(crash(CrashPoint.RELAY_AFTER_SEND, event_type="invoice.paid"))
        before = await cancelled(simulator)
        await simulator.conductor.advance_by(MINUTE)
        assert await simulator.resetting.reset(SCOPES) == Cleared(0, 0)
        assert (await simulator.subscriptions.all(), await simulator.subscriptions.armed()) == ([], [])
        assert (len(await simulator.merchant.projects()), len(await simulator.merchant.keys())) == (1, 4)
        async with simulator.database.read() as session:
            assert (await archive.newest_numbers(session), await clearing.resets(session)) == ((0, 0), 1)
            assert len(await balances.read_balances(session, is_test=True)) > 0
        assert await simulator.now() == START
        await subscribe(simulator, NOWHERE)
        assert await cancelled(simulator) != before


async def test_the_usual_reset_keeps_endpoints_and_the_clock(database_url: str) -> None:
    """What a test was set up with stays: its endpoint is told of the next event, from where time stands."""
    async with simulating(database_url) as simulator, receiving() as receiver:
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        await simulator.conductor.advance_by(MINUTE)
        await simulator.resetting.reset()
        await cancelled(simulator)
        await simulator.conductor.quiet()
        assert (await simulator.now(), len(receiver.requests)) == (START + MINUTE, 2)
        assert [one.state for one in await events_of(simulator)] == ["delivered"]


async def test_what_is_in_flight_is_waited_for(database_url: str) -> None:
    """A request that its receiver still holds comes home first; what waits behind it is never sent."""
    async with simulating(database_url) as simulator, receiving(gate := Gate()) as receiver:
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        await receiver.received(1)
        resetting = asyncio.create_task(simulator.resetting.reset())
        await asyncio.wait({resetting}, timeout=0.1)
        assert not resetting.done()
        gate.open()
        assert await resetting == Cleared(1, 0)
        assert await events_of(simulator) == []


async def test_what_does_not_come_home_is_dropped(database_url: str) -> None:
    """After the patience the relay dies with what it holds; the next one sends nothing of it and works."""
    async with simulating(database_url) as simulator, receiving(gate := Gate()) as receiver:
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        await receiver.received(1)
        assert await simulator.resetting.reset(patience=50 * MILLISECOND) == Cleared(0, 1)
        gate.open()
        fresh = await cancelled(simulator, "order-2")
        await simulator.conductor.quiet()
        assert [one.event_id for one in await attempts_of(simulator)] == [fresh]
        assert len(receiver.requests) == 2


async def test_scopes_that_need_the_state_are_refused_alone(database_url: str) -> None:
    """Time does not go back under what is on record, and an endpoint does not vanish from under its deliveries."""
    async with simulating(database_url) as simulator:
        for scope in ("clock", "endpoints"):
            with pytest.raises(UsageError, match="needs the scope state"):
                await simulator.resetting.reset({scope})


async def test_a_mode_is_set_from_where_time_stands(database_url: str) -> None:
    """Changing the mode moves no time, and is read by whoever shares the database."""
    async with simulating(database_url) as simulator:
        await simulator.conductor.advance_by(MINUTE)
        await simulator.conductor.set_mode("skip")
        async with simulator.database.read() as session:
            here = (await world.read_world(session)).timeline
        assert (here.mode, here.virtual_base) == ("skip", START + MINUTE)
        with pytest.raises(UsageError, match="is not a clock mode"):
            await simulator.conductor.set_mode("backwards")
