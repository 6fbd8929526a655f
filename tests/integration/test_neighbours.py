"""Nobody pays for a neighbour: slow and failing endpoints, second relays, and our own storage when it fails."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from sender.durations import HOUR, MILLISECOND, SECOND
from sender.errors import StoreError
from tests.receivers import PATIENCE, Gate, accept, receiving, refuse
from tests.simulators import (
    RUNGS,
    RecordingLog,
    attempts_of,
    cancelled,
    cancelled_many,
    event,
    events_of,
    offsets,
    order,
    simulating,
    subscribe,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import pytest

    from tests.receivers import Reply, Request


async def test_a_hanging_endpoint_holds_up_nobody_else(database_url: str) -> None:
    """While a hundred deliveries hang at one endpoint, those of its neighbour all arrive."""
    gate = Gate()
    async with receiving(gate) as slow, receiving(accept) as fast, simulating(database_url) as simulator:
        await subscribe(simulator, slow.url())
        await subscribe(simulator, fast.url())
        await cancelled_many(simulator, 100)
        await fast.received(100)
        assert len(slow.requests) == 64, "and the hanging one got no more than its share of connections"
        gate.open()
        await simulator.conductor.quiet()
        assert len(slow.requests) == 100


async def test_one_event_that_always_fails_holds_up_no_later_one(database_url: str) -> None:
    """Event 1 is refused for ever; events 2 to 50 of the same endpoint are delivered at once."""

    def script(request: Request) -> int:
        return 404 if request.event["data"]["order"]["external_id"] == "order-0" else 204

    async with receiving(script) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        await cancelled_many(simulator, 50)
        await simulator.conductor.quiet()
        states = [found.state for found in await events_of(simulator)]
        assert states == ["pending"] + ["delivered"] * 49


async def test_rows_of_one_endpoint_are_first_tried_in_the_order_of_their_commits(database_url: str) -> None:
    """A backlog of two hundred goes out first come, first tried."""
    async with receiving(accept) as receiver, simulating(database_url, relay={"endpoint_concurrency": 1}) as simulator:
        await subscribe(simulator, receiver.url())
        ids = await cancelled_many(simulator, 40)
        await simulator.conductor.quiet()
        assert [request.event_id for request in receiver.requests] == ids


async def test_two_relays_with_short_leases_send_every_row_once(database_url: str) -> None:
    """Fifty rows, a receiver that takes longer than a lease, two relays: fifty requests, because leases are renewed."""
    gate = Gate()
    relay = {"lease": 600 * MILLISECOND, "poll": 100 * MILLISECOND, "endpoint_concurrency": 10}
    async with (
        receiving(gate) as receiver,
        simulating(database_url, relay=relay, relays=2, in_process=False) as simulator,
    ):
        await subscribe(simulator, receiver.url())
        ids = await cancelled_many(simulator, 50)
        await receiver.received(10)
        loop = asyncio.get_running_loop()
        loop.call_later(2, gate.open)  # more than three leases
        await simulator.conductor.quiet()
        assert receiver.counts == dict.fromkeys(ids, 1)


async def test_a_failure_of_our_own_storage_spends_no_rung_and_loses_nothing(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the recording of the second attempt fails, it is recorded a moment later; nothing is sent again."""
    log = RecordingLog()
    async with receiving(refuse) as receiver, simulating(database_url, log=log) as simulator:
        await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator)
        await simulator.conductor.quiet()
        _fail_once(simulator.database, monkeypatch, after=lambda: len(receiver.requests) == 2)
        await simulator.conductor.advance_until_idle()
        assert log.of("store.failed")
        assert offsets(await attempts_of(simulator, event_id)) == list(RUNGS)
        assert len(receiver.requests) == 11


async def test_events_are_separate_for_each_endpoint(database_url: str) -> None:
    """Two endpoints get two event ids for one payment, with ladders of their own."""
    async with receiving(refuse) as down, receiving(accept) as up, simulating(database_url) as simulator:
        await subscribe(simulator, down.url())
        await subscribe(simulator, up.url())
        await cancelled(simulator)
        await simulator.conductor.advance_until_idle()
        first, second = await events_of(simulator)
        assert first.event_id != second.event_id
        assert first.resource_id == second.resource_id
        assert (first.state, second.state) == ("failed", "delivered")
        assert (len(down.requests), len(up.requests)) == (11, 1)


async def test_only_subscribed_endpoints_are_told(database_url: str) -> None:
    """Category, project and environment filter; a transition that nobody wants is history all the same."""
    async with receiving(accept) as receiver, simulating(database_url) as simulator:
        for wishes in ({"categories": ("withdrawal",)}, {"project_id": "prj_2"}, {"is_test": False}):
            await subscribe(simulator, receiver.url(), **wishes)
        mine = await subscribe(simulator, receiver.url(), project_id="prj_1", categories=("invoice",))
        await cancelled(simulator)
        await simulator.conductor.quiet()
        (found,) = await events_of(simulator)
        assert found.endpoint_id == mine
        elsewhere = await simulator.invoices.create(order("order-2", project_id="prj_9"))
        assert (await simulator.invoices.cancel(elsewhere.resource.id, "why not")).event_ids == ()


async def test_the_resource_is_readable_in_the_announced_state_from_inside_the_handler(database_url: str) -> None:
    """A receiver that re-reads the invoice before it answers sees at least the state that it was told of."""
    seen = []
    async with receiving(accept) as receiver, simulating(database_url) as simulator:

        async def script(request: Request) -> Reply:
            invoice_id = request.event["data"]["invoice_id"]
            receipt = await simulator.invoices.create(order(request.event["data"]["order"]["external_id"]))
            seen.append((receipt.resource.id == invoice_id, receipt.resource.status))
            return 204

        receiver.script = script
        await subscribe(simulator, receiver.url())
        await cancelled_many(simulator, 20)
        await simulator.conductor.quiet()
        assert seen == [(True, "cancelled")] * 20


async def test_a_ladder_goes_on_after_everything_was_stopped_and_started_again(database_url: str) -> None:
    """What is due lives in the database: a second simulator continues the time and the ladder of the first."""
    async with receiving(refuse) as receiver:
        async with simulating(database_url) as simulator:
            await subscribe(simulator, receiver.url())
            event_id = await cancelled(simulator)
            await simulator.conductor.advance_by(HOUR)
        async with asyncio.timeout(PATIENCE), simulating(database_url) as simulator:
            await simulator.conductor.advance_until_idle()
            assert offsets(await attempts_of(simulator, event_id)) == list(RUNGS)
            assert (await event(simulator, event_id)).state == "failed"
            assert await simulator.now() % SECOND == 0


def _fail_once(database: Any, monkeypatch: pytest.MonkeyPatch, *, after: Any) -> None:
    write = database.write
    failures: list[int] = []

    @asynccontextmanager
    async def failing() -> AsyncIterator[Any]:
        async with write() as session:
            yield session
            if after() and not failures:
                failures.append(1)
                raise StoreError("the disk is full")

    monkeypatch.setattr(database, "write", failing)
