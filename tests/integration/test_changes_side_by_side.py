"""On PostgreSQL changes are made side by side: nobody writes by what was read before somebody else's commit."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from sender.durations import HOUR
from sender.errors import Conflict
from sender.store import world
from sender.store.engine import open_database
from tests.receivers import PATIENCE, accept, receiving
from tests.simulators import START, cancelled, event, events_of, order, simulating, subscribe

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.simulator import Simulator
    from sender.store.engine import Session
    from sender.store.world import Numbers


def interrupt(monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[], Awaitable[object]]) -> None:
    """Let something else be done and committed just before the next one who asks for numbers gets them."""
    real = world.reserve

    async def late(session: Session, count: int) -> Numbers:
        monkeypatch.setattr(world, "reserve", real)
        await meanwhile()
        return await real(session, count)

    monkeypatch.setattr(world, "reserve", late)


async def test_no_row_is_queued_for_an_endpoint_that_is_being_deleted(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that was on its way when an endpoint was deleted queues nothing for it, which nobody would cancel."""
    async with simulating(postgres_url) as simulator:
        endpoint_id = await subscribe(simulator, "http://127.0.0.1:9/")
        made = (await simulator.invoices.create(order())).resource.id
        interrupt(monkeypatch, lambda: simulator.subscriptions.delete(endpoint_id))
        await simulator.invoices.cancel(made, "changed my mind")
        assert await events_of(simulator) == []


async def test_an_endpoint_that_comes_meanwhile_is_told(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers follow one another also where there are more endpoints than were counted at first."""
    async with receiving(accept) as receiver, simulating(postgres_url) as simulator:
        made = (await simulator.invoices.create(order())).resource.id
        interrupt(monkeypatch, lambda: subscribe(simulator, receiver.url()))
        receipt = await simulator.invoices.cancel(made, "changed my mind")
        other = await cancelled(simulator, "order-2")
        await simulator.conductor.quiet()
        assert receiver.counts == {receipt.event_ids[0]: 1, other: 1}


@pytest.mark.parametrize("change", ["edit", "resume"])
async def test_a_deleted_endpoint_does_not_come_back(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """Whoever edits an endpoint that somebody deletes meanwhile is told so, and it stays deleted."""
    async with simulating(postgres_url) as simulator:
        endpoint_id = await subscribe(simulator, "http://127.0.0.1:9/")
        interrupt(monkeypatch, lambda: simulator.subscriptions.delete(endpoint_id))
        with pytest.raises(Conflict, match="was deleted"):
            await _changed(simulator, change, endpoint_id)
        assert [one.status for one in await simulator.subscriptions.all()] == ["deleted"]


async def test_what_is_cancelled_meanwhile_is_not_resent(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person who resends what a deletion cancels at the same instant is refused."""
    async with simulating(postgres_url) as simulator:
        await simulator.relays.stop()
        endpoint_id = await subscribe(simulator, "http://127.0.0.1:9/")
        event_id = await cancelled(simulator)
        interrupt(monkeypatch, lambda: simulator.subscriptions.delete(endpoint_id))
        with pytest.raises(Conflict):
            await simulator.subscriptions.resend(event_id)
        assert (await event(simulator, event_id)).state == "cancelled"


async def test_time_is_not_set_back_by_a_change_of_mode(postgres_url: str) -> None:
    """A mode that is set while a jump is being committed goes on from behind the jump."""
    async with simulating(postgres_url) as simulator:
        other = open_database(postgres_url, simulator.clock)
        async with other.write() as session:
            here = await world.timeline_to_move(session)
            await world.write_timeline(session, here.moved_to(START + HOUR, simulator.clock.real_now()))
            setting = asyncio.create_task(simulator.conductor.set_mode("skip"))
            await _somebody_waits(simulator)
        await setting
        assert await simulator.now() == START + HOUR
        await other.close()


async def _changed(simulator: Simulator, change: str, endpoint_id: str) -> None:
    if change == "edit":
        await simulator.subscriptions.edit(endpoint_id, url="http://127.0.0.1:9/new")
    else:
        await simulator.subscriptions.resume(endpoint_id)


async def _somebody_waits(simulator: Simulator) -> None:
    """Return once a connection to this database waits for the lock of another one."""
    from sqlalchemy import text  # noqa: PLC0415 - the server's own table

    waiting = text("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
    async with asyncio.timeout(PATIENCE):
        while True:
            async with simulator.database.read() as session:
                if await session.rows(waiting):
                    return
            await simulator.clock.sleep(0.01)
