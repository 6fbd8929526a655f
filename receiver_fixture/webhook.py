"""The webhook itself: verify, store durably, answer at once; the work is done in the background (contract §1.12)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from aiohttp import web

from receiver_fixture.arrival import Arrival, Judge
from receiver_fixture.envelope import Claim
from receiver_fixture.faults import perform
from receiver_fixture.inbox import Receipt, Recorded, note_answer, record, times_received
from receiver_fixture.problems import problem
from receiver_fixture.rules import RIGHT
from receiver_fixture.scripts import Entry, Fault, ScriptQueue
from receiver_fixture.verify import SIGNATURE_HEADER, Evidence, Verdict, verify_evidence

if TYPE_CHECKING:
    from collections.abc import Callable

    from receiver_fixture.clock import Clock, Micros
    from receiver_fixture.keyring import Keyring
    from receiver_fixture.ledger import Ledger
    from receiver_fixture.rules import Rules
    from receiver_fixture.worker import Worker


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """Handles ``POST /webhook``.

    Wrong receivers overwrite ``take`` or ``refuse``; ``delay``, ``memory`` and what is kept are for them.
    """

    methods: ClassVar[tuple[str, ...]] = ("POST",)

    ledger: Ledger
    worker: Worker
    scripts: ScriptQueue
    keyring: Keyring
    clock: Clock
    tolerance: int
    rules: Rules = RIGHT
    verify: Callable[[Evidence], Verdict] = verify_evidence
    retired: tuple[str, ...] = ()
    delay: Micros = 0
    memory: set[str] = field(default_factory=set)
    kept: set[asyncio.Task[None]] = field(default_factory=set)

    async def receive(self, request: web.Request) -> web.StreamResponse:
        """Answer one delivery; raises ``StorageFailure`` when it could not be remembered."""
        try:
            body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            await self._refuse_size()
            raise
        arrival = self._judge(request, body)
        entry = await self._script_for(arrival)
        if entry is None:
            return await self._answer(arrival)
        return await self._answer_scripted(request, arrival, entry)

    def _judge(self, request: web.Request, body: bytes) -> Arrival:
        # Two header lines mean one joined by a comma (RFC 9110 §5.2); the verifier then sees both.
        lines = request.headers.getall(SIGNATURE_HEADER, [])
        judge = Judge(self.keyring.secrets, self.tolerance, self.verify, self.retired)
        signature = ",".join(lines) if lines else None
        exact = _exactly(SIGNATURE_HEADER, request)
        return judge.arrival(body, signature, request.headers.get("X-Webhook-Id"), self.clock.now(), exact)

    async def _script_for(self, arrival: Arrival) -> Entry | None:
        number = 1
        if self.scripts.counts_attempts:
            number += await self.ledger.read(partial(times_received, event_id=arrival.claim.event_id))
        return self.scripts.take(arrival.claim, number)

    async def _answer(self, arrival: Arrival) -> web.Response:
        return await (self.take(arrival) if arrival.believed else self.refuse(arrival))

    async def take(self, arrival: Arrival) -> web.Response:
        """Answer a genuine event: once it is stored."""
        recorded = await self._record(arrival.receipt(arrival.status, Fault.NONE), arrival.body, "refused")
        return self.accepted(duplicate=recorded.outcome == "duplicate")

    async def refuse(self, arrival: Arrival) -> web.Response:
        """Answer what is no genuine event."""
        await self._record(arrival.receipt(arrival.status, Fault.NONE), None, "refused")
        return problem(arrival.status, arrival.verdict, arrival.detail)

    @staticmethod
    def accepted(*, duplicate: bool) -> web.Response:
        """Return the answer that ends a ladder."""
        return web.json_response({"received": True, "duplicate": duplicate})

    def keep(self, task: asyncio.Task[None]) -> None:
        """Hold on to something that goes on after an answer."""
        self.kept.add(task)
        task.add_done_callback(self.kept.discard)

    def drop(self) -> None:
        """Lose what goes on after answers, as the end of a process does."""
        for task in self.kept:
            task.cancel()

    async def _answer_scripted(self, request: web.Request, arrival: Arrival, entry: Entry) -> web.StreamResponse:
        script = entry.script
        body = arrival.body if arrival.believed and script.processes else None
        waits = script.delay > 0 and script.fault is not Fault.SLOW_CLOSE
        receipt = arrival.receipt(None if waits else script.visible_status, script.fault)
        recorded = await self._record(receipt, body, "refused" if script.processes else "skipped")
        if waits:
            # Only now is it known whether the client still listens: if not, this handler has been cancelled.
            await self.clock.sleep(script.delay)
            if script.visible_status is not None:
                note = partial(note_answer, sequence=recorded.sequence, status=script.visible_status)
                await self.ledger.write(note)
        return await perform(request, entry, self.clock)

    async def _record(self, receipt: Receipt, body: bytes | None, otherwise: str) -> Recorded:
        # A client that leaves cancels its handler, never the transaction or the wake-up that belongs to it.
        return await asyncio.shield(self._commit(receipt, body, otherwise))

    async def _commit(self, receipt: Receipt, body: bytes | None, otherwise: str) -> Recorded:
        text = None if body is None else body.decode()
        recorded = await self.ledger.write(
            partial(record, receipt=receipt, body=text, otherwise=otherwise, rules=self.rules)
        )
        if recorded.outcome == "stored":
            self.worker.wake()
        return recorded

    async def _refuse_size(self) -> None:
        receipt = Receipt(
            claim=Claim(),
            header_id=None,
            verdict="body_too_large",
            status=413,
            fault=Fault.NONE,
            received_at=self.clock.now(),
        )
        await self._record(receipt, None, "refused")


def _exactly(name: str, request: web.Request) -> str | None:
    """Return a header where its name is written in these letters, large and small."""
    found = [value for raw, value in request.raw_headers if raw == name.encode()]
    return found[0].decode("utf-8", "replace") if found else None
