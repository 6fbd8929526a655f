"""The webhook itself: verify, store durably, answer at once; the work is done in the background (contract §1.12)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from aiohttp import web

from receiver_fixture.arrival import Arrival, Judge
from receiver_fixture.envelope import Claim
from receiver_fixture.faults import perform
from receiver_fixture.inbox import Receipt, Recorded, note_answer, record, times_received
from receiver_fixture.problems import problem
from receiver_fixture.scripts import Entry, Fault, ScriptQueue
from receiver_fixture.verify import SIGNATURE_HEADER

if TYPE_CHECKING:
    from receiver_fixture.clock import Clock
    from receiver_fixture.keyring import Keyring
    from receiver_fixture.ledger import Ledger
    from receiver_fixture.worker import Worker


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """Handles ``POST /webhook``."""

    ledger: Ledger
    worker: Worker
    scripts: ScriptQueue
    keyring: Keyring
    clock: Clock
    tolerance: int

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
        judge = Judge(self.keyring.secrets, self.tolerance)
        signature = ",".join(lines) if lines else None
        return judge.arrival(body, signature, request.headers.get("X-Webhook-Id"), self.clock.now())

    async def _script_for(self, arrival: Arrival) -> Entry | None:
        number = 1
        if self.scripts.counts_attempts:
            number += await self.ledger.read(partial(times_received, event_id=arrival.claim.event_id))
        return self.scripts.take(arrival.claim, number)

    async def _answer(self, arrival: Arrival) -> web.Response:
        body = arrival.body if arrival.believed else None
        recorded = await self._record(arrival.receipt(arrival.status, Fault.NONE), body, "refused")
        if not arrival.believed:
            return problem(arrival.status, arrival.verdict, arrival.detail)
        return web.json_response({"received": True, "duplicate": recorded.outcome == "duplicate"})

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
        recorded = await self.ledger.write(partial(record, receipt=receipt, body=text, otherwise=otherwise))
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
