"""The guarantees of delivery under everything that can happen, in any order: commands, deaths, lost leases, time.

The machine does what a merchant, a person at the dashboard and bad luck do. After each step nothing that was committed
may be gone; at the end everything is final, the laws hold, and the receiver got what it is said to have got.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections import Counter
from contextlib import AsyncExitStack, suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as some
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from sender.crash import Crashed, CrashPoint
from sender.domain.endpoint import EndpointStatus
from sender.domain.sandbox import Stage
from sender.durations import HOUR, MILLISECOND, MINUTE, SECOND
from sender.errors import RequestRefused
from sender.scenario.breach import Witness
from sender.scenario.evidence import Evidence
from sender.scenario.receiver_laws import LAWS
from sender.store import outbox, reads, resources
from sender.store import settings as stored
from sender.store.scratch import scratch
from tests.elsewhere import Elsewhere
from tests.receivers import Gate, Request, accept, ignore, receiving, refuse
from tests.simulators import RecordingLog, crash, order, simulating, subscribe

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.domain.endpoint import Endpoint

STEPS = 50
SECRETS = [f"whsec_test_number_{number}" for number in range(4)]
PICK = some.integers(0, 999)


def every_other(request: Request) -> int:
    """Refuse what comes with an even number of bytes in its signature's last digit."""
    return 204 if request.raw[-1] % 2 else 503


BEHAVIOURS = {"accepts": accept, "refuses": refuse, "stays silent": ignore, "takes every other": every_other}


class Life(RuleBasedStateMachine):
    """One simulator with its receiver, and what a few lines of Python know of it."""

    place = ""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.log = RecordingLog()
        self.invoices: list[str] = []
        self.secrets = set(SECRETS)
        self.known: dict[str, bytes] = {}
        self.lapsed = 0
        self.elsewhere: Elsewhere | None = None
        self.runner.run(self._open())

    async def _open(self) -> None:
        folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        base = self.place or f"sqlite:///{Path(folder) / 'life'}"
        self.url = await self.stack.enter_async_context(scratch(base))
        self.receiver = await self.stack.enter_async_context(receiving(accept))
        relay = {"attempt_timeout": 20 * MILLISECOND, "poll": 20 * MILLISECOND}
        self.simulator = await self.stack.enter_async_context(simulating(self.url, log=self.log, relay=relay))
        await subscribe(self.simulator, self.receiver.url(), secret=SECRETS[0])

    def do(self, command: Callable[[], Awaitable[Any]], *, settle: bool = True) -> Any:
        """Carry out a command as a client would: what is refused is refused, and what died is looked at later."""

        async def carried_out() -> Any:
            result = None
            with suppress(RequestRefused, Crashed):
                result = await command()
            if settle:
                await self._quiet()
            return result

        return self.runner.run(carried_out())

    async def _quiet(self) -> None:
        while True:
            with suppress(Crashed):
                await self.simulator.conductor.quiet()
                return

    @initialize()
    def first_order(self) -> None:
        """Begin with one order, so that there is something to do."""
        self.create()

    @rule()
    def create(self) -> None:
        """Create an invoice."""
        receipt = self.do(lambda: self.simulator.invoices.create(order(f"order-{len(self.invoices)}")))
        if receipt is not None and receipt.resource.id not in self.invoices:
            self.invoices.append(receipt.resource.id)

    def _invoice(self, pick: int) -> str:
        return self.invoices[pick % len(self.invoices)]

    @precondition(lambda self: self.invoices)
    @rule(pick=PICK, stage=some.sampled_from(list(Stage)))
    def drive(self, pick: int, stage: Stage) -> None:
        """Drive an invoice to a stage of the sandbox."""
        self.do(lambda: self.simulator.invoices.simulate(self._invoice(pick), stage))

    @precondition(lambda self: self.invoices)
    @rule(pick=PICK, part=some.sampled_from(["0.50", "1", "20"]), confirm=some.booleans())
    def pay(self, pick: int, part: str, *, confirm: bool) -> None:
        """Pay some of an invoice."""
        self.do(lambda: self.simulator.invoices.pay(self._invoice(pick), Decimal(part), confirm=confirm))

    @precondition(lambda self: self.invoices)
    @rule(pick=PICK, what=some.sampled_from(["confirm", "reorg", "expire"]))
    def chain(self, pick: int, what: str) -> None:
        """Let the chain confirm or forget a payment, or time run out for it."""
        self.do(lambda: getattr(self.simulator.invoices, what)(self._invoice(pick)))

    @precondition(lambda self: self.invoices)
    @rule(pick=PICK)
    def cancel(self, pick: int) -> None:
        """Cancel an invoice."""
        self.do(lambda: self.simulator.invoices.cancel(self._invoice(pick), "changed my mind"))

    @rule(secret=some.sampled_from(SECRETS))
    def subscribe(self, secret: str) -> None:
        """Add an endpoint, up to three."""
        if len(self._endpoints()) < 3:
            self.do(lambda: subscribe(self.simulator, self.receiver.url("/more"), secret=secret))

    def _endpoints(self) -> list[Endpoint]:
        found = self.runner.run(self.simulator.subscriptions.all())
        return [one for one in found if one.status is not EndpointStatus.DELETED]

    @rule(pick=PICK, what=some.sampled_from(["suspend", "resume", "delete", "rotate", "edit"]))
    def administer(self, pick: int, what: str) -> None:
        """Do something to an endpoint, as a person does in the dashboard."""
        endpoints = self._endpoints()
        if not endpoints:
            return
        one = endpoints[pick % len(endpoints)].id
        subscriptions = self.simulator.subscriptions
        if what == "edit":
            self.do(lambda: subscriptions.edit(one, url=self.receiver.url("/edited")))
        elif what == "rotate":
            self.do(lambda: subscriptions.rotate(one, SECRETS[pick % len(SECRETS)]))
        else:
            self.do(lambda: getattr(subscriptions, what)(one))

    @rule(how=some.sampled_from(sorted(BEHAVIOURS)))
    def behave(self, how: str) -> None:
        """Let the receiver behave otherwise from now on."""
        self.receiver.script = BEHAVIOURS[how]

    @rule(point=some.sampled_from(list(CrashPoint)))
    def arm(self, point: CrashPoint) -> None:
        """Let the sender die at a point."""
        self.do(lambda: self.simulator.subscriptions.arm(crash(point)))

    @rule()
    def restart(self) -> None:
        """Kill the relay, and start another one."""
        self.do(self.simulator.relays.restart)

    @rule()
    def second_relay(self) -> None:
        """Let a relay on another host come, or go."""

        async def toggled() -> None:
            if self.elsewhere is None:
                self.elsewhere = Elsewhere(self.simulator, self.url, self.log)
            else:
                elsewhere, self.elsewhere = self.elsewhere, None
                await elsewhere.close()

        self.do(toggled)

    @rule()
    def lose_leases(self) -> None:
        """Let leases run out while requests are under way: whoever comes back later changes nothing."""

        async def lost() -> None:
            before, gate = self.receiver.script, Gate()
            self.receiver.script = gate
            made = await self.simulator.invoices.create(order(f"order-{len(self.invoices)}"))
            self.invoices.append(made.resource.id)
            before_all = len(self.receiver.requests)
            told = (await self.simulator.invoices.cancel(made.resource.id, "for the lease")).event_ids
            await self._arrived(before_all + len(told))
            async with self.simulator.database.write() as session:
                self.lapsed += await outbox.reap(session, self.simulator.clock.real_now() + HOUR)
            self.simulator.relays.wake()
            await self._arrived(before_all + 2 * len(told))
            self.receiver.script = before
            gate.open()

        self.do(lost)

    async def _arrived(self, count: int) -> None:
        # Not for ever: their endpoint may be suspended, or their relay may have died.
        with suppress(TimeoutError):
            async with asyncio.timeout(0.1):
                await self.receiver.received(count)

    @rule(pick=PICK)
    def resend(self, pick: int) -> None:
        """Resend something by hand."""
        if self.known:
            event_id = sorted(self.known)[pick % len(self.known)]
            self.do(lambda: self.simulator.subscriptions.resend(event_id))

    @rule(by=some.sampled_from([0, SECOND, MINUTE, 10 * MINUTE, HOUR, 5 * HOUR, 20 * HOUR]))
    def advance(self, by: int) -> None:
        """Let time pass."""
        self.do(lambda: self.simulator.conductor.advance_by(by))

    @invariant()
    def nothing_is_gone_and_nothing_changes(self) -> None:
        """Look whether what was committed is still there, with the bytes it was made with, due or final."""
        self.runner.run(self._look())

    async def _look(self) -> None:
        async with self.simulator.database.read() as session:
            events = await reads.events(session)
            bodies = {one.event_id: await reads.body_of(session, one.event_id) or b"" for one in events}
        assert {event_id: bodies.get(event_id) for event_id in self.known} == self.known
        self.known = bodies
        assert [one for one in events if one.state == "pending" and one.due_at is None and not one.in_flight] == []

    def teardown(self) -> None:
        """Let everything come to its end, and look at all of it."""
        try:
            self.runner.run(self._end())
        finally:
            if self.elsewhere is not None:
                self.runner.run(self.elsewhere.close())
            self.runner.run(self.stack.aclose())
            self.runner.close()

    async def _end(self) -> None:
        simulator = self.simulator
        self.receiver.script = accept
        await simulator.subscriptions.disarm()
        for one in await simulator.subscriptions.all():
            if one.status is EndpointStatus.SUSPENDED:
                await simulator.subscriptions.resume(one.id)
        await simulator.conductor.advance_until_idle()
        await self._look()
        evidence = await self._evidence()
        assert {one.state for one in evidence.events} <= {"delivered", "failed", "cancelled"}
        for law in LAWS:
            if law.witness is Witness.SENDER:
                assert list(law.breaches(evidence)) == [], law.says
        self._compare_with_receiver(evidence)
        await self._compare_with_api(evidence)

    async def _evidence(self) -> Evidence:
        async with self.simulator.database.read() as session:
            events = await reads.events(session)
            attempts: dict[int, list[Any]] = {}
            for one in sorted(await reads.attempts_after(session), key=lambda one: (one.number, one.seq)):
                attempts.setdefault(one.outbox_seq, []).append(one)
            concerned = sorted({each.resource_id for each in events})
            history = [row for one in concerned for row in await resources.history_of(session, one)]
            endpoints = await stored.read_endpoints(session)
        return Evidence(
            ladder=self.simulator.settings.relay.ladder,
            events=events,
            attempts=attempts,
            bodies=self.known,
            secrets=self.secrets,
            signature_header=self.simulator.profile.signature_header,
            history=history,
            deleted={one.id for one in endpoints if one.status is EndpointStatus.DELETED},
        )

    def _compare_with_receiver(self, evidence: Evidence) -> None:
        """At least once what is delivered; more often only where a relay died or a person asked; the same bytes.

        A relay that dies takes with it, unrecorded, what it held, and what it had sent under leases that ran out.
        """
        given_back = sum(line["given_back"] for line in self.log.of("relay.died"))
        recorded = Counter(one.event_id for made in evidence.attempts.values() for one in made)
        came = self.receiver.counts
        assert {one.event_id for one in evidence.events if one.state == "delivered"} <= set(came)
        assert set(came) <= {one.event_id for one in evidence.events}
        assert sum(max(came[one] - recorded[one], 0) for one in came) <= given_back + self.lapsed
        for request in self.receiver.requests:
            assert request.body == self.known[request.event_id]

    async def _compare_with_api(self, evidence: Evidence) -> None:
        """See that the API shows each invoice in its newest state, and that each event announced its own."""
        for invoice_id in self.invoices:
            async with self.simulator.database.read() as session:
                invoice = await resources.load(session, invoice_id)
                rows = await resources.history_of(session, invoice_id)
            assert invoice.status == rows[-1].status
            announced = {row.seq: row.status for row in rows}
            for event in evidence.events:
                if event.resource_id == invoice_id:
                    body = json.loads(self.known[event.event_id])
                    row = max(seq for seq in announced if seq < event.seq)
                    assert body["data"]["status"] == announced[row]


LONG = int(os.environ.get("PAYMOS_SIM_TEST_RUNS", "0"))
"""More runs, each time others: make soak."""


@pytest.mark.slow
@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_the_guarantees_hold_whatever_happens(kind: str, request: pytest.FixtureRequest) -> None:
    """Commands, deaths at every point, lost leases, a second relay and time, in any order, break none of them."""
    place = request.getfixturevalue("postgres_url") if kind == "postgresql" else ""
    machine = type("Life", (Life,), {"place": place})
    runs = LONG or (150 if kind == "sqlite" else 10)
    checks = settings(
        max_examples=runs,
        stateful_step_count=STEPS,
        deadline=None,
        derandomize=not LONG,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=checks)
