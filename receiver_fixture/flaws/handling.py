"""Wrong ways to handle a delivery that is believed: the right steps, in a wrong order or with one left out.

Each opens a gap of ``delay`` where a slow disk, a payment of goods or a garbage collector would, so that what can go
wrong there does.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

from aiohttp import web
from typing_extensions import override

from receiver_fixture.booking import apply_event
from receiver_fixture.flaws import Flaw
from receiver_fixture.flaws.deciding import AGAIN
from receiver_fixture.inbox import is_stored, note_done, store
from receiver_fixture.problems import problem
from receiver_fixture.scripts import Fault
from receiver_fixture.verify import expected_digest
from receiver_fixture.webhook import Webhook

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from receiver_fixture.arrival import Arrival
    from receiver_fixture.clock import Micros
    from receiver_fixture.inbox import Receipt
    from receiver_fixture.rules import Rules

_AT_ONCE = 8


class Forgetful(Webhook):
    """Keeps events that it has seen already as new ones."""

    @override
    async def take(self, arrival: Arrival) -> web.Response:
        return await self._take_anew(arrival)

    async def _take_anew(self, arrival: Arrival) -> web.Response:
        """Store the event, under another key where its own is taken, and leave the rest to the worker."""
        await asyncio.shield(self.ledger.write(partial(_store_anew, receipt=_receipt(arrival), body=_text(arrival))))
        self.worker.wake()
        return self.accepted(duplicate=False)


class CheckThenInsert(Forgetful):
    """Asks whether the event is there, and only later puts it there."""

    @override
    async def take(self, arrival: Arrival) -> web.Response:
        if await self.ledger.read(partial(is_stored, event_id=arrival.claim.event_id)):
            return self.accepted(duplicate=True)
        await self.clock.sleep(self.delay)
        return await self._take_anew(arrival)


class Amnesiac(Forgetful):
    """Knows which events it has seen as long as it runs."""

    @override
    async def take(self, arrival: Arrival) -> web.Response:
        if arrival.claim.event_id in self.memory:
            return self.accepted(duplicate=True)
        self.memory.add(arrival.claim.event_id or "")
        return await self._take_anew(arrival)


class FulfilFirst(Webhook):
    """Does the work, and then writes down that it is done."""

    @override
    async def take(self, arrival: Arrival) -> web.Response:
        if await self.ledger.read(partial(is_stored, event_id=arrival.claim.event_id)):
            return self.accepted(duplicate=True)
        await self.ledger.write(partial(_work, arrival=arrival, rules=self.rules))
        await self.clock.sleep(self.delay)
        await self.ledger.write(partial(note_done, receipt=_receipt(arrival)))
        return self.accepted(duplicate=False)


class RecordThenLose(Webhook):
    """Writes down that it is done, and then does the work."""

    @override
    async def take(self, arrival: Arrival) -> web.Response:
        if not await self.ledger.write(partial(note_done, receipt=_receipt(arrival))):
            return self.accepted(duplicate=True)
        await self.clock.sleep(self.delay)
        await self.ledger.write(partial(_work, arrival=arrival, rules=self.rules))
        return self.accepted(duplicate=False)


class AckFirst(Webhook):
    """Answers, and keeps the event in memory until it has time to store it."""

    @override
    async def take(self, arrival: Arrival) -> web.Response:
        self.keep(asyncio.create_task(self._store_later(arrival)))
        return self.accepted(duplicate=False)

    async def _store_later(self, arrival: Arrival) -> None:
        await self.clock.sleep(self.delay)
        await super().take(arrival)


class Slow(Webhook):
    """Lets the sender wait."""

    @override
    async def take(self, arrival: Arrival) -> web.Response:
        answer = await super().take(arrival)
        await self.clock.sleep(self.delay)
        return answer


class Overloaded(Webhook):
    """Takes a few deliveries at once and turns the others away."""

    @override
    async def take(self, arrival: Arrival) -> web.Response:
        if len(self.memory) >= _AT_ONCE:
            return problem(503, "busy", "too many deliveries at once")
        place = uuid4().hex
        self.memory.add(place)
        try:
            await self.clock.sleep(self.delay)
            return await super().take(arrival)
        finally:
            self.memory.discard(place)


class Swallower(Webhook):
    """Says that all is well, whatever happened to a delivery that it believed."""

    methods = ("*",)

    @override
    async def receive(self, request: web.Request) -> web.StreamResponse:
        try:
            if request.method == "POST":
                return await super().receive(request)
        except web.HTTPException:
            pass
        return self.accepted(duplicate=False)

    @override
    async def refuse(self, arrival: Arrival) -> web.Response:
        answer = await super().refuse(arrival)
        return self.accepted(duplicate=False) if arrival.status == 400 else answer  # noqa: PLR2004 - the body, not the signature


class Particular(Webhook):
    """Refuses events that are genuine and not as it expects them."""

    @override
    async def take(self, arrival: Arrival) -> web.Response:
        complaint = self.complaint(arrival)
        return await super().take(arrival) if complaint is None else complaint

    def complaint(self, arrival: Arrival) -> web.Response | None:
        """Return what it has to say against an event."""
        raise NotImplementedError


class NoNewTypes(Particular):
    """Falls over a type of event that it does not know."""

    @override
    def complaint(self, arrival: Arrival) -> web.Response | None:
        return problem(500, "unknown_type", "KeyError") if arrival.claim.resource_id is None else None


class NoNewFields(Particular):
    """Refuses members that it does not know."""

    @override
    def complaint(self, arrival: Arrival) -> web.Response | None:
        known = {"event_id", "event_type", "version", "occurred_at", "data"}
        return problem(400, "unknown_member", "extra inputs are not permitted") if arrival.members - known else None


class NoOldNews(Particular):
    """Takes the time of the change for the time of the delivery."""

    @override
    def complaint(self, arrival: Arrival) -> web.Response | None:
        age = arrival.received_at // 1_000_000 - arrival.occurred_at
        return problem(400, "event_too_old", "the event is too old") if age > self.tolerance else None


class Talkative(Webhook):
    """Helps whoever debugs, and whoever forges, with the signature that would have been right."""

    @override
    async def refuse(self, arrival: Arrival) -> web.Response:
        await super().refuse(arrival)
        right = expected_digest(arrival.signature, arrival.body, self.keyring.secrets[0])
        return problem(arrival.status, arrival.verdict, f"expected v1={right}")


def _store_anew(connection: Connection, receipt: Receipt, body: str) -> None:
    key = receipt.claim.event_id or ""
    if store(connection, receipt, body, key) == "duplicate":
        store(connection, receipt, body, f"{key}{AGAIN}{uuid4().hex}")


def _work(connection: Connection, arrival: Arrival, rules: Rules) -> None:
    key = f"{arrival.claim.event_id} work"
    if store(connection, _receipt(arrival), _text(arrival), key) == "duplicate":
        key = f"{arrival.claim.event_id}{AGAIN}{uuid4().hex}"
        store(connection, _receipt(arrival), _text(arrival), key)
    apply_event(connection, key, arrival.received_at, rules)


def _receipt(arrival: Arrival) -> Receipt:
    return arrival.receipt(arrival.status, Fault.NONE)


def _text(arrival: Arrival) -> str:
    return arrival.body.decode()


_WRONG: dict[Flaw, type[Webhook]] = {
    Flaw.NO_DEDUPE: Forgetful,
    Flaw.CHECK_THEN_INSERT: CheckThenInsert,
    Flaw.DEDUPE_IN_MEMORY: Amnesiac,
    Flaw.FULFIL_BEFORE_RECORD: FulfilFirst,
    Flaw.RECORD_THEN_LOSE: RecordThenLose,
    Flaw.ACK_BEFORE_STORE: AckFirst,
    Flaw.SLOW_HANDLER: Slow,
    Flaw.DROPS_UNDER_LOAD: Overloaded,
    Flaw.SWALLOW_ERRORS: Swallower,
    Flaw.UNKNOWN_TYPE_500: NoNewTypes,
    Flaw.STRICT_FIELDS: NoNewFields,
    Flaw.STALE_OCCURRED_AT: NoOldNews,
    Flaw.LEAKS_SIGNATURE: Talkative,
}


def webhook_class(flaws: frozenset[Flaw]) -> type[Webhook]:
    """Return the handler of a receiver with these flaws; without any, the right one."""
    return next((_WRONG[flaw] for flaw in flaws if flaw in _WRONG), Webhook)


def usual_delay(flaws: frozenset[Flaw], given: Micros | None) -> Micros:
    """Return how long a gap is held open: what was given, or enough to show the flaw to a patient reader."""
    if given is not None:
        return given
    return 2_500_000 if Flaw.SLOW_HANDLER in flaws else 60_000
