"""One storm: merchants buy, a receiver misbehaves, and everything that runs is killed at seeded instants.

When it is over everything comes to its end in peace, and then the guarantees have to hold (design §3).
"""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING

import aiohttp
from sqlalchemy import update

from sender.clock import Clock
from sender.errors import StoreError
from sender.store import outbox, reads, schema
from sender.store.engine import open_database
from tests.simulators import SECRET
from tests.storm.chronicle import PATIENCE, Chronicle
from tests.storm.cluster import Cluster, clustered
from tests.storm.figures import Figures, dealt
from tests.storm.judge import Judge
from tests.storm.merchants import Client, Merchant, SideDoor
from tests.storm.parent import Elsewhere, Parent
from tests.storm.shop import Shop

if TYPE_CHECKING:
    from pathlib import Path

MERCHANTS = 4
ORDERS = 6
"""Orders to a kill: a storm on a slow machine lasts longer and is no larger."""

TURN = 5
"""After so many kills the endpoint beside the first one is another."""


async def rage(kind: str, folder: Path, seed: int, kills: int) -> Figures:
    """Run a storm over a new database of a kind; return its figures. Fails where a guarantee does not hold."""
    async with AsyncExitStack() as stack:
        cluster = await stack.enter_async_context(clustered()) if kind == "postgresql" else None
        url = cluster.url if cluster else f"sqlite:///{folder / 'storm.sqlite3'}"
        timeout = aiohttp.ClientTimeout(total=PATIENCE)
        session = await stack.enter_async_context(aiohttp.ClientSession(timeout=timeout))
        figures = Figures(seed)
        shop = Shop(folder, figures.mischief)
        await shop.start()
        stack.push_async_callback(shop.kill)
        await Storm(url, cluster, shop, session, figures).rage(kills)
        return figures


class Storm:
    """One storm over one database; ``cluster`` is its server, where it has one."""

    def __init__(
        self, url: str, cluster: Cluster | None, shop: Shop, session: aiohttp.ClientSession, figures: Figures
    ) -> None:
        self._chance = random.Random(figures.seed)
        self._clock = Clock()
        self._cluster = cluster
        self._shop = shop
        self._figures = figures
        self._database = open_database(url, self._clock)
        self._chronicle = Chronicle()
        self._parent = Parent(url, shop.client.url, self._chronicle)
        self._elsewhere = Elsewhere(url, self._chronicle)
        self._client = Client(self._parent, session, self._clock, figures)
        self._merchants = [
            Merchant(f"merchant-{number}", self._client, random.Random(f"{figures.seed} {number}"))
            for number in range(MERCHANTS)
        ]
        self._side_door = SideDoor(self._client, shop.client.url, SECRET)
        self._customers = asyncio.Semaphore(ORDERS)
        self._turns = asyncio.Semaphore(1)
        self._settled: dict[str, tuple[str, int]] = {}

    async def rage(self, kills: int) -> None:
        """Run to the end; whatever fails leaves no process behind."""
        try:
            await self._parent.start()
            await self._elsewhere.start()
            for merchant in self._merchants:
                await merchant.join()
            async with asyncio.TaskGroup() as group:
                for merchant in self._merchants:
                    group.create_task(self._buy(merchant, ORDERS * kills // MERCHANTS))
                group.create_task(self._turn(kills // TURN))
                group.create_task(self._kill(kills))
            await self._calm()
            await self._judge()
        finally:
            self._parent.abort()
            self._elsewhere.abort()
            await self._database.close()

    async def _buy(self, merchant: Merchant, orders: int) -> None:
        for _ in range(orders):
            await self._customers.acquire()
            await merchant.buy()

    async def _turn(self, turns: int) -> None:
        for _ in range(turns):
            await self._turns.acquire()
            await self._side_door.turn()

    async def _kill(self, kills: int) -> None:
        """Deal the kills; each brings a share of the customers."""
        for number, kind in enumerate(dealt(self._chance, kills, server=self._cluster is not None), 1):
            await self._shop.misbehave(self._chance)
            await self._clock.sleep(self._chance.uniform(0.02, 0.2))
            await getattr(self, f"_kill_{kind}")()
            self._figures.kills[kind] += 1
            await self._look()
            for _ in range(ORDERS):
                self._customers.release()
            if number % TURN == 0:
                self._turns.release()

    async def _kill_relay(self) -> None:
        self._parent.life.kill_relay(self._chance.choice(await self._parent.working()))

    async def _kill_parent(self) -> None:
        await self._parent.kill()
        await self._parent.start()

    async def _kill_host(self) -> None:
        await self._parent.kill(with_relays=True)
        await self._parent.start()

    async def _kill_elsewhere(self) -> None:
        await self._elsewhere.kill()
        await self._elsewhere.start()

    async def _kill_receiver(self) -> None:
        await self._shop.kill()
        await self._shop.start()

    async def _kill_postgresql(self) -> None:
        """Stop the server at once; now and then a relay dies while there is none."""
        assert self._cluster is not None
        await self._cluster.crash()
        await self._clock.sleep(self._chance.uniform(0, 0.2))
        if self._chance.random() < 0.3:
            await self._kill_relay()
            self._figures.kills["relay"] += 1
        await self._cluster.start()

    async def _kill_blackout(self) -> None:
        """Kill the parent while there is no database."""
        assert self._cluster is not None
        await self._cluster.crash()
        await self._clock.sleep(self._chance.uniform(0, 0.2))
        await self._parent.kill()
        await self._cluster.start()
        await self._parent.start()

    async def _look(self) -> None:
        """Remember what is settled: it must never move again."""
        with suppress(StoreError):
            async with self._database.read() as session:
                events = await reads.events(session)
            for one in events:
                if one.state != "pending":
                    self._settled.setdefault(one.event_id, (one.state, one.attempts))

    async def _calm(self) -> None:
        """Let time and the receiver be good, and everything come to its end."""
        await self._shop.client.forget_scripts()
        self._figures.farewell = await self._parent.buried()
        await self._let_leases_run_out()
        await self._client.good("PATCH", "/_sim/v1/clock", {"mode": "manual"})
        await self._client.good("POST", "/_sim/v1/clock", {"until": "idle"})
        await self._shop.client.idle()

    async def _let_leases_run_out(self) -> None:
        """Give back at once what the dead hold and nobody could give back; their leases last for half a minute."""
        dead = self._parent.dead_owners | self._elsewhere.dead_owners
        aged = update(schema.outbox).where(schema.outbox.c.lease_owner.in_(dead)).values(leased_until_real=0)
        async with self._database.write() as session:
            await session.run(aged)
            self._figures.in_flight += await outbox.reap(session, 1)
            await session.announce()

    async def _judge(self) -> None:
        judge = Judge(self._database, self._figures, self._chronicle)
        shown = {invoice: status for one in self._merchants for invoice, status in (await one.shown()).items()}
        events = {one["event_id"]: one for one in await self._client.all("/_sim/v1/events")}
        await self._parent.stop()
        await self._elsewhere.stop()
        await judge.gather(self._shop.client, shown, self._side_door.deleted)
        judge.logs(self._parent.untold)
        judge.laws()
        judge.ends(self._settled)
        judge.promises([one.promised for one in self._merchants], shown)
        judge.events(events)
