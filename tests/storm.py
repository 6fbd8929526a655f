"""A kill storm: merchants buy, a receiver misbehaves, and relays and receiver are killed at seeded instants.

When the storm is over everything comes to its end in peace, and then the guarantees have to hold (design §3).
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sender.domain.sandbox import Stage
from sender.durations import MILLISECOND
from sender.errors import NotAvailable, RequestRefused
from sender.scenario.breach import Witness
from sender.scenario.evidence import Evidence, Seen
from sender.scenario.receiver_client import ReceiverClient
from sender.scenario.receiver_laws import LAWS
from sender.simulator import Simulator
from sender.store import reads, resources
from sender.supervisor import Supervisor
from tests.simulators import LADDER, SECRET, RecordingLog, order, settings_for, subscribe

if TYPE_CHECKING:
    from asyncio.subprocess import Process

ROOT = Path(__file__).parents[1]
PATIENCE = 60.0
WRITERS = 4
RELAYS = 3
EVERY = 9
"""Of so many kills one is the receiver's, which takes longer to come back than a relay."""

ORDERS = 8
"""Orders to a kill: a storm on a slow machine lasts longer and is no larger."""

MISCHIEF: tuple[dict[str, Any], ...] = (
    {"status": 500, "times": 3},
    {"status": 503, "times": 2, "process": True},
    {"fault": "timeout", "times": 1},
    {"fault": "timeout", "times": 1, "process": True},
    {"fault": "reset_peer", "times": 2, "process": True},
    {"fault": "garbage", "times": 1},
    {"status": 200, "delay": "100ms", "times": 2},
    {"fault": "close", "times": 2},
)


@dataclass
class Figures:
    """What a storm was, in numbers."""

    seed: int
    kills: Counter[str] = field(default_factory=Counter)
    commands: int = 0
    events: Counter[str] = field(default_factory=Counter)
    attempts: int = 0
    received: int = 0
    given_back: int = 0
    unrecorded: int = 0


class Shop:
    """The reference receiver as a process that is killed and comes back at its old address, with its old ledger."""

    def __init__(self, folder: Path) -> None:
        self._ledger = str(folder / "ledger")
        self._process: Process | None = None
        self.port = 0

    @property
    def client(self) -> ReceiverClient:
        """Return who asks it."""
        return ReceiverClient(f"http://127.0.0.1:{self.port}/webhook")

    async def start(self) -> None:
        """Start it and wait until it listens."""
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "receiver_fixture", "--port", str(self.port), "--database", self._ledger),
            cwd=ROOT,
            env={"RECEIVER_SECRET": SECRET},
            stdout=asyncio.subprocess.PIPE,
        )
        assert self._process.stdout is not None
        line = await asyncio.wait_for(self._process.stdout.readline(), PATIENCE)
        self.port = int(line.decode().rpartition(":")[2].partition("/")[0])

    async def kill(self) -> None:
        """Kill it, at once."""
        assert self._process is not None
        self._process.kill()
        await self._process.communicate()


class Storm:
    """One storm over one database."""

    def __init__(self, url: str, folder: Path, seed: int, kills: int) -> None:
        self._random = random.Random(seed)
        self._kills = kills
        self._log = RecordingLog()
        self._shop = Shop(folder)
        self._customers = asyncio.Semaphore(ORDERS)
        self._orders: list[str] = []
        self.figures = Figures(seed)
        relay = {"attempt_timeout": 300 * MILLISECOND, "poll": 100 * MILLISECOND}
        settings = settings_for(url, clock="scale:60", in_process=False, relays=RELAYS, relay=relay, seed=seed)
        self._simulator = Simulator(settings, log=self._log)
        self._clock = self._simulator.clock

    async def rage(self) -> Figures:
        """Run to the end; fails where a guarantee does not hold."""
        await self._shop.start()
        try:
            async with self._simulator:
                await subscribe(self._simulator, self._shop.client.url)
                async with asyncio.TaskGroup() as group:
                    for number in range(WRITERS):
                        group.create_task(self._buy(number))
                    group.create_task(self._kill())
                await self._calm()
                await self._judge()
        finally:
            await self._shop.kill()
        return self.figures

    async def _buy(self, number: int) -> None:
        """Be a merchant for a share of the customers that each kill brings."""
        chance = random.Random(f"{self.figures.seed} {number}")
        invoices = self._simulator.invoices
        for _ in range(ORDERS * self._kills // WRITERS):
            await self._customers.acquire()
            name = f"order-{number}-{self.figures.commands}"
            made = (await invoices.create(order(name))).resource.id
            self._orders.append(made)
            with suppress(RequestRefused):
                if chance.random() < 0.2:
                    await invoices.cancel(made, "changed my mind")
                elif chance.random() < 0.2:
                    await invoices.pay(made, Decimal(1))
                else:
                    await invoices.simulate(made, chance.choice([Stage.PAID, Stage.PAID, Stage.UNDERPAY]))
            self.figures.commands += 2

    async def _kill(self) -> None:
        """Kill relays, and now and then the receiver, at seeded instants."""
        await self._misbehave()
        for number in range(1, self._kills + 1):
            await self._clock.sleep(self._random.uniform(0.02, 0.2))
            if number % EVERY == 0:
                await self._shop.kill()
                self.figures.kills["receiver"] += 1
                await self._shop.start()
                await self._misbehave()
            else:
                await self._kill_relay()
            await self._misbehave()
            for _ in range(ORDERS):
                self._customers.release()

    async def _misbehave(self) -> None:
        for script in self._random.sample(MISCHIEF, 2):
            with suppress(NotAvailable):
                await self._shop.client.script(script)

    async def _kill_relay(self) -> None:
        """Kill a relay that works; one that is dying before it works thrice in a row is not started again."""
        relays = self._simulator.relays
        assert isinstance(relays, Supervisor)
        async with asyncio.timeout(PATIENCE):
            while not (working := self._working(relays)):
                await self._clock.sleep(0.005)
        os.kill(self._random.choice(working), signal.SIGKILL)
        self.figures.kills["relay"] += 1

    def _working(self, relays: Supervisor) -> list[int]:
        alive = set(relays.processes)
        return sorted(
            one.process.pid or 0 for one in relays._children if one.works.is_set() and one.process.pid in alive
        )

    async def _calm(self) -> None:
        """Let time and the receiver be good, and everything come to its end."""
        await self._shop.client.forget_scripts()
        await self._log.holds("relay.died", self.figures.kills["relay"])
        await self._simulator.conductor.set_mode("manual")
        await self._simulator.conductor.advance_until_idle()
        await self._shop.client.idle()

    async def _judge(self) -> None:
        evidence = await self._evidence()
        self._count(evidence)
        for law in LAWS:
            if law.witness is not Witness.PROBE:
                assert list(law.breaches(evidence)) == [], law.says
        assert {one.state for one in evidence.events} <= {"delivered", "failed"}
        assert self.figures.unrecorded <= self.figures.given_back, "more came twice than were in flight"
        await self._compare(evidence)

    async def _evidence(self) -> Evidence:
        async with self._simulator.database.read() as session:
            events = await reads.events(session)
            attempts: dict[int, list[Any]] = {}
            for one in sorted(await reads.attempts_after(session), key=lambda one: (one.number, one.seq)):
                attempts.setdefault(one.outbox_seq, []).append(one)
            bodies = {one.event_id: await reads.body_of(session, one.event_id) or b"" for one in events}
            history = [row for one in self._orders for row in await resources.history_of(session, one)]
        client = self._shop.client
        return Evidence(
            ladder=LADDER,
            events=events,
            attempts=attempts,
            bodies=bodies,
            secrets={SECRET},
            signature_header=self._simulator.profile.signature_header,
            deaths=self.figures.kills["relay"],
            seen=Seen(url=client.url, events=await client.received(), orders=await client.orders()),
            history=history,
        )

    def _count(self, evidence: Evidence) -> None:
        assert evidence.seen is not None
        received = {event_id: one["received"] for event_id, one in evidence.seen.events.items()}
        recorded = Counter({one.event_id: len(evidence.attempts_of(one)) for one in evidence.events})
        figures = self.figures
        figures.events.update(one.state for one in evidence.events)
        figures.attempts = recorded.total()
        figures.received = sum(received.values())
        figures.given_back = sum(line["given_back"] for line in self._log.of("relay.died"))
        figures.unrecorded = sum(max(count - recorded[event_id], 0) for event_id, count in received.items())

    async def _compare(self, evidence: Evidence) -> None:
        """See that the API shows what history says, events announce it, and what was taken was applied once."""
        states = {row.seq: row.status for row in evidence.history}
        async with self._simulator.database.read() as session:
            for invoice_id in self._orders:
                rows = await resources.history_of(session, invoice_id)
                assert (await resources.load(session, invoice_id)).status == rows[-1].status
        assert evidence.seen is not None
        for one in evidence.events:
            told = json.loads(evidence.bodies[one.event_id])["data"]["status"]
            # There is one endpoint, so an event has the number behind its transition's.
            assert told == states[one.seq - 1]
            if one.state == "delivered":
                assert evidence.seen.events[one.event_id]["applied"] == 1
