"""PostgreSQL with few connections, with connections that are cut, and with a pooler before it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import psycopg

from sender import remote_relay
from sender.durations import SECOND
from sender.remote_relay import RemoteRelay
from tests.api import ORDER, serving
from tests.pgbouncer import pooled_url
from tests.receivers import PATIENCE, Gate, accept, receiving
from tests.simulators import (
    cancelled,
    cancelled_many,
    events_of,
    settings_for,
    simulating,
    subscribe,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import pytest

    from tests.api import Api

__all__ = ["pooled_url"]

CLIENTS = 2
HOUR = 3_600 * SECOND
PAGES = (
    "/",
    "/endpoints",
    "/clock",
    "/faults",
    "/console",
    "/runs",
    "/_sim/v1/health",
    "/_sim/v1/events",
    "/_sim/v1/metrics",
)

_LISTENERS = """
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'
"""

_CONNECTIONS = """
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@asynccontextmanager
async def relaying(url: str, **relay: Any) -> AsyncIterator[None]:
    """Run ``paymos-sim relay`` in this loop."""
    told, ready = asyncio.Event(), asyncio.Event()
    running = asyncio.create_task(RemoteRelay(settings_for(url, relay=relay)).run(told, ready.set))
    async with asyncio.timeout(PATIENCE):
        await ready.wait()
    try:
        yield
    finally:
        told.set()
        await running


async def until_listened(url: str, *, but: int = 0) -> int:
    """Wait until somebody listens, other than the process ``but``; return the process that serves it."""
    async with asyncio.timeout(PATIENCE), await psycopg.AsyncConnection.connect(url, autocommit=True) as witness:
        while True:
            for (pid,) in await (await witness.execute(_LISTENERS)).fetchall():
                if pid != but:
                    return int(pid)
            await witness.execute("SELECT pg_sleep(0.005)")


async def cut(url: str, pid: int) -> None:
    """Cut a connection at the server."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as knife:
        await knife.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))


async def calls_of(api: Api, number: int) -> list[int]:
    """Make an order, read it, cancel it, and look at a page of the dashboard; return the durations of the calls."""
    durations: list[int] = []

    async def call(method: str, target: str, body: Any = None) -> Any:
        began = api.simulator.clock.monotonic()
        answer = await api.call(method, target, body)
        durations.append(api.simulator.clock.monotonic() - began)
        assert answer.status < 300, (target, answer.raw)
        return answer.document if target.startswith("/v1") else None

    made = await call("POST", "/v1/invoices", ORDER | {"external_order_id": f"order-{number}"})
    await call("GET", f"/v1/invoices/{made['invoice_id']}")
    await call("POST", f"/v1/invoices/{made['invoice_id']}/cancel", {"reason": "changed my mind"})
    await call("GET", PAGES[number % len(PAGES)])
    return durations


async def test_slow_receivers_do_not_slow_the_api_with_one_connection(postgres_url: str) -> None:
    """While every slot of the relay waits for a receiver, the API answers fast over the one connection they share."""
    gate = Gate()
    async with receiving(gate) as receiver, serving(postgres_url, pool_size=1) as api:
        # The first look at a page imports and compiles it.
        for page in PAGES:
            await api.call("GET", page)
        await subscribe(api.simulator, receiver.url())
        for number in range(70):
            await cancelled(api.simulator, f"before-{number}")
        await receiver.received(api.simulator.settings.relay.endpoint_concurrency)
        took: list[int] = []
        for number in range(0, 20, CLIENTS):
            calls = (calls_of(api, number + client) for client in range(CLIENTS))
            took += [one for each in await asyncio.gather(*calls) for one in each]
        in_flight = len(receiver.requests)
        with psycopg.connect(postgres_url) as witness:
            ((connections,),) = witness.execute(_CONNECTIONS).fetchall()
        gate.open()
        await api.simulator.conductor.quiet()
        events = await events_of(api.simulator)
    assert connections == 1
    assert in_flight == api.simulator.settings.relay.endpoint_concurrency
    assert sorted(took)[len(took) * 95 // 100] < SECOND
    assert {one.state for one in events} == {"delivered"}
    assert receiver.counts == {one.event_id: 1 for one in events}
    assert len(events) == 90


async def test_what_is_announced_while_nobody_listens_is_found(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection that listens is cut again and again: a relay that never looks by itself delivers everything."""
    monkeypatch.setattr(remote_relay, "RELISTEN", 0.1)
    async with receiving(accept) as receiver, simulating(postgres_url) as simulator:
        await simulator.relays.stop()
        await subscribe(simulator, receiver.url())
        async with relaying(postgres_url, poll=HOUR):
            ids: list[str] = []
            listener = await until_listened(postgres_url)
            for number in range(4):
                ids.append(await cancelled(simulator, f"heard-{number}"))
                await receiver.received(len(ids))
                await cut(postgres_url, listener)
                ids.append(await cancelled(simulator, f"unheard-{number}"))
                listener = await until_listened(postgres_url, but=listener)
                await receiver.received(len(ids))
            await simulator.conductor.quiet()
        assert {one.state for one in await events_of(simulator)} == {"delivered"}
    assert receiver.counts == dict.fromkeys(ids, 1)


async def test_a_pooler_may_stand_before_the_database(pooled_url: str, capfd: pytest.CaptureFixture) -> None:
    """Simulator, children and a relay elsewhere, all through PgBouncer: the API works, each event arrives once."""
    async with (
        receiving(accept) as receiver,
        serving(pooled_url, in_process=False, relays=2) as api,
        relaying(pooled_url),
    ):
        await subscribe(api.simulator, receiver.url())
        for wave in range(2):
            await asyncio.gather(*(calls_of(api, 20 * wave + number) for number in range(20)))
        await api.simulator.conductor.quiet()
        events = await events_of(api.simulator)
    assert len(events) == 40
    assert {one.state for one in events} == {"delivered"}
    assert receiver.counts == {one.event_id: 1 for one in events}
    assert api.simulator.runtime.log.of("store.failed") == []  # type: ignore[attr-defined]
    assert "store.failed" not in "".join(capfd.readouterr())


async def test_behind_a_pooler_a_relay_elsewhere_finds_its_work_by_looking(pooled_url: str) -> None:
    """What is announced is not heard through PgBouncer, so a relay listens to nobody, and its own looks carry."""
    async with receiving(accept) as receiver, simulating(pooled_url) as simulator:
        await simulator.relays.stop()
        await subscribe(simulator, receiver.url())
        async with asyncio.timeout(PATIENCE):
            await simulator.database.listen(lambda: None)
        async with relaying(pooled_url):
            ids = await cancelled_many(simulator, 20)
            await receiver.received(20)
            await simulator.conductor.quiet()
    assert receiver.counts == dict.fromkeys(ids, 1)
