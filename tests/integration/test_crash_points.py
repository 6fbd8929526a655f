"""The crash table: what was received, what is recorded, where it ends, when a sender dies at each of its points."""

from __future__ import annotations

import os
import signal

import pytest

from sender.crash import Crashed, CrashPoint
from sender.store import mishaps
from sender.supervisor import Supervisor
from tests.receivers import Gate, accept, receiving, refuse
from tests.simulators import (
    RecordingLog,
    attempts_of,
    cancelled,
    cancelled_many,
    crash,
    event,
    events_of,
    offsets,
    order,
    simulating,
    subscribe,
    wire_fault,
)

EVENT = "invoice.cancelled"

RELAY_TABLE = [
    (CrashPoint.RELAY_AFTER_CLAIM, 1),
    (CrashPoint.RELAY_AFTER_SEND, 2),
    (CrashPoint.RELAY_BEFORE_COMMIT, 2),
    (CrashPoint.RELAY_AFTER_COMMIT, 1),
]
"""Point, and how often the receiver gets the event; recorded is always one attempt, and the end is delivered."""


@pytest.mark.parametrize("in_process", [True, False], ids=["in process", "child"])
@pytest.mark.parametrize(("point", "received"), RELAY_TABLE)
async def test_a_relay_that_dies_loses_nothing(
    database_url: str, point: CrashPoint, received: int, *, in_process: bool
) -> None:
    """Each death of a relay has its row of the table, in process and as a child that is really killed."""
    log = RecordingLog()
    async with receiving(accept) as receiver, simulating(database_url, log=log, in_process=in_process) as simulator:
        await subscribe(simulator, receiver.url())
        await simulator.subscriptions.arm(crash(point, event_type=EVENT))
        event_id = await cancelled(simulator)
        (death,) = await log.holds("relay.died")
        await simulator.conductor.quiet()
        found = await event(simulator, event_id)
        assert (receiver.counts[event_id], len(await attempts_of(simulator)), found.state) == (received, 1, "delivered")
        assert in_process or death["exit_code"] == 137
        assert await simulator.subscriptions.armed() == []
        assert len({request.body for request in receiver.requests}) == 1
        async with simulator.database.read() as session:
            befell = [one.what for one in await mishaps.of_event(session, event_id)]
        recorded = point is CrashPoint.RELAY_AFTER_COMMIT
        assert befell == [point.value, *([] if recorded else [mishaps.TAKEN_BACK])]


@pytest.mark.parametrize("point", [CrashPoint.DISPATCH_BEFORE_COMMIT, CrashPoint.DISPATCH_AFTER_COMMIT])
async def test_a_dispatcher_that_dies_has_done_everything_or_nothing(database_url: str, point: CrashPoint) -> None:
    """The client sees an error either way; asking again leads to one event, received once."""
    async with receiving(accept) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        created = (await simulator.invoices.create(order())).resource
        await simulator.subscriptions.arm(crash(point, event_type=EVENT))
        with pytest.raises(Crashed):
            await simulator.invoices.cancel(created.id, "why not")
        again = (await simulator.invoices.create(order())).resource
        assert again.status == ("awaiting_client" if point is CrashPoint.DISPATCH_BEFORE_COMMIT else "cancelled")
        assert len(await events_of(simulator)) == (0 if point is CrashPoint.DISPATCH_BEFORE_COMMIT else 1)
        if again.status == "awaiting_client":
            await simulator.invoices.cancel(created.id, "why not")
        simulator.relays.wake()
        await simulator.conductor.quiet()
        (found,) = await events_of(simulator)
        assert (found.state, receiver.counts[found.event_id]) == ("delivered", 1)


async def test_a_crash_spends_no_rung(database_url: str) -> None:
    """A send that died unrecorded is repeated at once; the ladder behind it is the same eleven recorded attempts."""
    log = RecordingLog()
    async with receiving(refuse) as receiver, simulating(database_url, log=log, in_process=False) as simulator:
        await subscribe(simulator, receiver.url())
        await simulator.subscriptions.arm(crash(CrashPoint.RELAY_AFTER_SEND, attempt=3, times=2))
        event_id = await cancelled(simulator)
        await simulator.conductor.advance_until_idle()
        attempts = await attempts_of(simulator, event_id)
        assert [each.number for each in attempts] == list(range(1, 12))
        assert offsets(attempts)[:5] == [0, 60, 180, 420, 900]
        assert receiver.counts[event_id] == 11 + 2
        assert len(log.of("relay.died")) == 2


@pytest.mark.parametrize("point", [point for point, _ in RELAY_TABLE])
async def test_with_twenty_in_flight_only_those_can_come_twice(database_url: str, point: CrashPoint) -> None:
    """A death among twenty deliveries loses none, and none comes more than twice."""
    gate = Gate()
    log = RecordingLog()
    async with receiving(gate) as receiver, simulating(database_url, log=log, in_process=False) as simulator:
        await subscribe(simulator, receiver.url())
        await simulator.subscriptions.arm(crash(point, event_type=EVENT))
        ids = await cancelled_many(simulator, 20)
        if point is not CrashPoint.RELAY_AFTER_CLAIM:
            await receiver.received(20)
        gate.open()
        await log.holds("relay.died")
        await simulator.conductor.quiet()
        assert {found.state for found in await events_of(simulator)} == {"delivered"}
        assert set(receiver.counts) == set(ids)
        assert max(receiver.counts.values()) <= 2
        assert len(await attempts_of(simulator)) == 20
        doubled = sum(count - 1 for count in receiver.counts.values())
        assert doubled == len(receiver.requests) - 20 <= 20


async def test_a_relay_killed_by_the_system_gives_its_leases_back_at_once(database_url: str) -> None:
    """Kill -9 while twenty requests are in flight: the successor sends exactly those again."""
    gate = Gate()
    log = RecordingLog()
    async with receiving(gate) as receiver, simulating(database_url, log=log, in_process=False) as simulator:
        await subscribe(simulator, receiver.url())
        ids = await cancelled_many(simulator, 20)
        await receiver.received(20)
        relays = simulator.relays
        assert isinstance(relays, Supervisor)
        (process,) = relays.processes
        os.kill(process, signal.SIGKILL)
        (death,) = await log.holds("relay.died")
        assert (death["exit_code"], death["given_back"]) == (-9, 20)
        gate.open()
        await simulator.conductor.quiet()
        assert receiver.counts == dict.fromkeys(ids, 2)
        assert len(await attempts_of(simulator)) == 20


@pytest.mark.parametrize(
    ("name", "received", "statuses"),
    [("lose_request", 1, [None, 204]), ("lose_response", 2, [None, 204]), ("duplicate", 2, [204])],
)
async def test_wire_faults_show_at_the_receiver_and_on_the_record(
    database_url: str, name: str, received: int, statuses: list[int | None]
) -> None:
    """A lost request and a lost answer are timeouts on the record; a duplicate is one attempt received twice."""
    async with receiving(accept) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        await simulator.subscriptions.arm(wire_fault(name, event_type=EVENT))
        event_id = await cancelled(simulator)
        await simulator.conductor.advance_until_idle()
        attempts = await attempts_of(simulator, event_id)
        assert [each.status for each in attempts] == statuses
        assert attempts[0].faults == (name,)
        assert receiver.counts[event_id] == received
        assert offsets(attempts) == [0, 70][: len(statuses)]
