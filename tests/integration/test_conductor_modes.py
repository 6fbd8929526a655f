"""Time that moves by itself: skip from delivery to delivery, and run at a scale."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from sender import conductor
from sender.conductor import Conductor, Outlook
from sender.durations import SECOND
from sender.store import reads, resources
from tests.receivers import PATIENCE, AcceptFrom, Gate, receiving, refuse
from tests.simulators import (
    RUNGS,
    START,
    RecordingLog,
    attempts_of,
    cancelled,
    offsets,
    order,
    simulating,
    subscribe,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.simulator import Simulator
    from sender.store.engine import Session

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


async def test_skip_jumps_from_attempt_to_attempt_by_itself(database_url: str) -> None:
    """Without being told, time runs the whole ladder as fast as the receiver answers, at the golden instants."""
    log = RecordingLog()
    async with receiving(refuse) as receiver, simulating(database_url, clock="skip", log=log) as simulator:
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        await settled(simulator, log, 11)
        assert offsets(await attempts_of(simulator)) == list(RUNGS)
        assert await simulator.now() == START + RUNGS[-1] * SECOND


async def test_skip_does_not_expire_an_invoice_because_nobody_is_busy(database_url: str) -> None:
    """An idle invoice waits; one whose deadline lies before the next attempt expires on the way, first."""
    log = RecordingLog()
    async with receiving(AcceptFrom(2)) as receiver, simulating(database_url, clock="skip", log=log) as simulator:
        await subscribe(simulator, receiver.url())
        waiting = await simulator.invoices.create(order("waits"))
        await cancelled(simulator)
        await settled(simulator, log, 2)
        assert await simulator.now() == START + 60 * SECOND
        assert await _statuses(simulator, waiting.resource.id) == ["awaiting_client"]
        receiver.script = AcceptFrom(7)
        await cancelled(simulator, "order-2")
        await settled(simulator, log, 2 + 7 + 7)
        assert await _statuses(simulator, waiting.resource.id) == ["awaiting_client", "expired"]


async def test_skip_does_not_jump_while_something_is_in_flight(database_url: str) -> None:
    """As long as one attempt has no answer, nothing that lies ahead is brought forward."""
    gate, log = Gate(refuse), RecordingLog()
    scripts: dict[str, Any] = {"/slow": gate, "/fast": refuse}
    async with (
        receiving(lambda request: scripts[request.target](request)) as receiver,
        simulating(database_url, clock="skip", log=log) as simulator,
    ):
        for path in scripts:
            await subscribe(simulator, receiver.url(path))
        await cancelled(simulator)
        await log.holds("attempt.recorded")
        await receiver.received(2)
        assert await simulator.now() == START
        gate.open()
        await settled(simulator, log, 22)
        assert offsets(await attempts_of(simulator)) == sorted([*RUNGS, *RUNGS])


@pytest.mark.parametrize("clock", ["real", "scale:1000000"])
async def test_running_time_comes_to_the_rungs_by_itself(clock: str) -> None:
    """At a million virtual seconds a second a ladder is over at once; each attempt is made at its time or later."""
    log = RecordingLog()
    async with receiving(refuse) as receiver, simulating("memory", clock=clock, log=log) as simulator:
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        await log.holds("attempt.recorded", 1 if clock == "real" else 11)
        attempts = await attempts_of(simulator)
        assert all(each.due_at <= each.started_at <= each.finished_at for each in attempts)
        gaps = [(after.due_at - before.finished_at) // SECOND for before, after in pairwise(attempts)]
        assert gaps == [60, 120, 240, 480, 960, 1_920, 3_600, 7_200, 14_400, 28_800][: len(attempts) - 1]


async def test_running_time_expires_invoices_by_itself(database_url: str) -> None:
    """Half an hour at a million seconds a second is over at once."""
    log = RecordingLog()
    async with receiving() as receiver, simulating(database_url, clock="scale:1000000", log=log) as simulator:
        await subscribe(simulator, receiver.url())
        made = await simulator.invoices.create(order())
        await log.holds("attempt.recorded")
        assert await _statuses(simulator, made.resource.id) == ["awaiting_client", "expired"]
        (request,) = receiver.requests
        assert request.event["occurred_at"] >= START // SECOND + EXPIRY


async def _statuses(simulator: Simulator, resource_id: str) -> list[str]:
    async with simulator.database.read() as session:
        return [each.status for each in await resources.history_of(session, resource_id)]


async def test_commands_in_a_row_are_not_each_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where time does not run ahead, one look after a while serves all that was committed meanwhile."""
    looks: list[int] = []
    real_look = Conductor._look

    async def counted(self: Conductor) -> Outlook:
        looks.append(1)
        return await real_look(self)

    monkeypatch.setattr(conductor, "BREATH", PATIENCE)
    monkeypatch.setattr(Conductor, "_look", counted)
    async with simulating("memory") as simulator:
        for number in range(20):
            await simulator.invoices.create(order(f"order-{number}"))
            await others_turn()
        assert len(looks) <= 1
        await simulator.conductor.advance_by(EXPIRY * SECOND)
        assert await _statuses(simulator, await newest(simulator)) == ["awaiting_client", "expired"]


async def others_turn() -> None:
    """Let everything else that can go on do so once."""
    loop = asyncio.get_running_loop()
    turned = loop.create_future()
    loop.call_soon(turned.set_result, None)
    await turned


async def newest(simulator: Simulator) -> str:
    """Return the invoice that was made last."""
    async with simulator.database.read() as session:
        return str(await resources.newest(session, "invoice"))
