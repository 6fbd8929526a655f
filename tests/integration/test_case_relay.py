"""What hurt users of other outboxes: wake-ups that were lost, relays that stood still, transactions kept over HTTP."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import psycopg

from sender import supervisor
from sender.clock import Clock
from sender.durations import MILLISECOND, SECOND
from sender.errors import StoreError
from sender.store import outbox, resources
from sender.supervisor import Supervisor
from tests.api import serving
from tests.receivers import PATIENCE, Gate, accept, receiving
from tests.simulators import (
    RecordingLog,
    another_relay,
    cancelled,
    cancelled_many,
    event,
    events_of,
    order,
    settings_for,
    simulating,
    subscribe,
)

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.api import Api

POLL = {"poll": 100 * MILLISECOND}


async def test_a_wake_up_that_is_lost_costs_one_poll(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody rings for a new delivery, and the relay's own look finds it."""
    log = RecordingLog()
    async with receiving(accept) as receiver, simulating(database_url, log=log, relay=POLL) as simulator:
        await subscribe(simulator, receiver.url())
        monkeypatch.setattr(simulator.relays, "wake", lambda: None)
        event_id = await cancelled(simulator)
        await log.holds("attempt.recorded")
        assert (await event(simulator, event_id)).state == "delivered"


async def test_a_database_that_drops_every_connection_loses_nothing(postgres_url: str) -> None:
    """Every connection is cut twenty times under load: calls may fail and are made again, and every event arrives."""
    log = RecordingLog()
    async with (
        receiving(accept) as receiver,
        simulating(postgres_url, log=log, relay=POLL) as simulator,
        another_relay(postgres_url, log=log, **POLL),
    ):
        await subscribe(simulator, receiver.url())
        made = [await _made_whatever_happens(simulator, number, postgres_url) for number in range(20)]
        await simulator.conductor.quiet()
        events = await events_of(simulator)
        assert sorted({one.resource_id for one in events}) == sorted(made)
        assert {one.state for one in events} == {"delivered"}
        assert set(receiver.counts) == {one.event_id for one in events}


async def _made_whatever_happens(simulator: Any, number: int, url: str) -> str:
    with psycopg.connect(url, autocommit=True) as knife:
        knife.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    while True:
        with suppress(StoreError):
            made = (await simulator.invoices.create(order(f"order-{number}"))).resource
            if made.status == "awaiting_client":
                await simulator.invoices.cancel(made.id, "changed my mind")
            return str(made.id)


async def test_no_transaction_is_open_while_a_receiver_takes_its_time(postgres_url: str) -> None:
    """With fifty requests in flight no connection holds a transaction, and commands go on as if nothing were."""
    gate = Gate()
    async with receiving(gate) as receiver, simulating(postgres_url) as simulator:
        await subscribe(simulator, receiver.url())
        await cancelled_many(simulator, 50)
        await receiver.received(50)
        began = simulator.clock.monotonic()
        for number in range(20):
            await simulator.invoices.create(order(f"meanwhile-{number}"))
        assert simulator.clock.monotonic() - began < 20 * SECOND
        with psycopg.connect(postgres_url) as witness:
            rows = witness.execute(
                "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                " AND xact_start < now() - interval '1 second'"
            ).fetchall()
        assert rows == []
        gate.open()
        await simulator.conductor.quiet()


async def test_a_relay_that_stood_still_catches_up(database_url: str) -> None:
    """Stopped by a signal for a while, a relay sends afterwards what came meanwhile, each event once."""
    log = RecordingLog()
    async with receiving(accept) as receiver, simulating(database_url, log=log, in_process=False) as simulator:
        await subscribe(simulator, receiver.url())
        relays = simulator.relays
        assert isinstance(relays, Supervisor)
        (process,) = relays.processes
        # While the write lock is ours it cannot stop in the middle of a transaction, and hold up everybody.
        async with simulator.database.write():
            os.kill(process, signal.SIGSTOP)
        try:
            ids = await cancelled_many(simulator, 10)
            assert receiver.requests == []
        finally:
            os.kill(process, signal.SIGCONT)
        await simulator.conductor.quiet()
        assert receiver.counts == dict.fromkeys(ids, 1)
        assert log.of("relay.died") == []


async def test_a_relay_that_is_stopped_is_no_relay_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Health fails while the only relay stands still, though its process is there, and recovers when it goes on."""
    monkeypatch.setattr(supervisor, "SILENCE", 2)
    async with serving(f"sqlite:///{tmp_path / 'a.db'}", in_process=False) as api:
        assert await _relay_health(api) == (200, True)
        relays = api.simulator.relays
        assert isinstance(relays, Supervisor)
        async with api.simulator.database.write():
            os.kill(relays.processes[0], signal.SIGSTOP)
        try:
            await _until_alive(api, alive=False)
            assert await _relay_health(api) == (503, False)
            assert len(relays.processes) == 1
        finally:
            os.kill(relays.processes[0], signal.SIGCONT)
        await _until_alive(api, alive=True)
        assert await _relay_health(api) == (200, True)


async def _until_alive(api: Api, *, alive: bool) -> None:
    async with asyncio.timeout(PATIENCE):
        while api.simulator.relays.alive is not alive:
            await api.simulator.clock.sleep(0.02)


async def _relay_health(api: Api) -> tuple[int, bool]:
    answer = await api.call("GET", "/_sim/v1/health")
    return answer.status, answer.document["relay"]


async def test_signs_of_life_are_no_news(tmp_path: Path) -> None:
    """While nothing happens, a relay that says that it lives makes nobody look."""
    clock, looks = Clock(), 0

    def settled() -> None:
        nonlocal looks
        looks += 1

    url = f"sqlite:///{tmp_path / 'a.db'}"
    async with simulating(url) as simulator:
        relays = Supervisor(simulator.runtime, simulator.database, settings_for(url, in_process=False), settled)
        await relays.start()
        (child,) = relays._children
        before = looks
        async with asyncio.timeout(PATIENCE):
            while child.missed == 0:
                await clock.sleep(0.02)
            while child.missed > 0:
                await clock.sleep(0.02)
        assert looks == before
        await relays.stop()


async def test_what_nobody_was_told_of_is_on_record(database_url: str) -> None:
    """A transition without a subscriber, and one whose endpoint is suspended, are history with no delivery."""
    async with receiving(accept) as receiver, simulating(database_url) as simulator:
        endpoint = await subscribe(simulator, receiver.url())
        await simulator.subscriptions.suspend(endpoint)
        made = (await simulator.invoices.create(order())).resource
        assert (await simulator.invoices.cancel(made.id, "changed my mind")).event_ids == ()
        async with simulator.database.read() as session:
            *_, last = await resources.history_of(session, made.id)
        assert (last.event_type, last.deliveries) == ("invoice.cancelled", 0)
        assert await events_of(simulator) == []


async def test_a_stop_in_the_middle_of_a_claim_leaves_nothing_in_dead_hands(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a relay was about to claim when it was told to stop is claimable again once it has stopped."""
    claiming, go_on = asyncio.Event(), asyncio.Event()
    claim = outbox.claim

    async def slowly(*given: Any) -> Any:
        claimed = await claim(*given)
        claiming.set()
        await go_on.wait()
        return claimed

    async with receiving(accept) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        monkeypatch.setattr(outbox, "claim", slowly)
        await cancelled(simulator)
        await claiming.wait()
        stopping = asyncio.create_task(simulator.relays.stop())
        await simulator.clock.sleep(0)
        go_on.set()
        await stopping
        async with simulator.database.read() as session:
            assert await outbox.leased(session) == 0
        await simulator.relays.start()
        await simulator.conductor.quiet()
        assert len(receiver.requests) == 1
