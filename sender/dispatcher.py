"""The writing side: a command becomes a pure transition, and everything that follows from it commits together.

One transaction holds the resource, its history row, what it moves in the books, and one outbox row per subscribed
endpoint. Bodies are encoded here, once: what is stored is what is signed and sent, on every attempt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from sender.crash import Crashed, CrashPoint
from sender.domain.delivery import queued
from sender.domain.ids import Prefix, make_id
from sender.errors import Conflict
from sender.providers.profile import Event
from sender.store import books, outbox, resources, settings, world

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sender.domain.endpoint import Endpoint
    from sender.domain.fault import Fault
    from sender.domain.resource import Resource, Wanted
    from sender.durations import Instant
    from sender.providers.profile import Profile
    from sender.runtime import Runtime
    from sender.store.engine import Database, Session


class Outcome(Protocol):
    """What a transition of any kind of resource returns."""

    @property
    def resource(self) -> Any:
        """The resource as it now is."""

    @property
    def event_type(self) -> str | None:
        """What is announced, if anything."""

    @property
    def note(self) -> str:
        """What happened, in a few words."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command finds itself: the instant, and ids that repeat with the seed."""

    now: Instant
    seed: int
    number: int

    def new_id(self, prefix: str) -> str:
        """Return the id that belongs to this command's number."""
        return make_id(self.seed, prefix, self.number)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a command did. ``event_ids`` are the outbox rows, one per subscribed endpoint."""

    resource: Any
    event_type: str | None = None
    event_ids: tuple[str, ...] = ()
    created: bool = False


class _Rehearsed(Exception):  # noqa: N818 - a signal to roll back, not an error
    """A command met a crash that is armed for it; it is rolled back, and repeated with the crash taken."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.name)
        self.fault = fault


class Dispatcher:
    """Carries out commands. After each commit ``changed`` is called, and ``wake`` when it queued deliveries."""

    def __init__(
        self,
        runtime: Runtime,
        database: Database,
        profile: Profile,
        *,
        wake: Callable[[], None] = lambda: None,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._runtime = runtime
        self._database = database
        self._profile = profile
        self._wake = wake
        self._changed = changed
        self._revision = 0
        self._endpoints: Sequence[Endpoint] = ()
        self._crashes: Sequence[Fault] = ()

    async def create(self, wanted: Wanted, decide: Callable[[Place], Outcome]) -> Receipt:
        """Make a resource, or return the one that the merchant already made under this external id (contract §5.4).

        ``decide`` gets the place and returns the first transition. Raises ``Conflict`` for an id that was used in the
        other environment, and what ``decide`` raises.
        """

        async def work(session: Session, place: Place) -> Receipt:
            existing = await resources.find(session, wanted)
            if existing is None:
                return await self._add(session, place, decide(place))
            _require_environment(existing, wanted)
            return Receipt(existing)

        return await self._commit(work)

    async def derive(self, kind: str, parent_id: str, decide: Callable[[Any, Place], Outcome]) -> Receipt:
        """Make a resource that belongs to another one of ``kind``, which ``decide`` gets as it stands.

        Raises ``NotFound`` for the other one, and what ``decide`` raises.
        """

        async def work(session: Session, place: Place) -> Receipt:
            parent = await resources.load(session, parent_id, kind)
            return await self._add(session, place, decide(parent, place))

        return await self._commit(work)

    async def change(self, kind: str, resource_id: str, decide: Callable[[Any, Place], Outcome | None]) -> Receipt:
        """Move a resource: ``decide`` gets it as it stands and returns its transition, or ``None`` for nothing.

        Raises ``NotFound``, also for a resource of another kind, and what ``decide`` raises.
        """

        async def work(session: Session, place: Place) -> Receipt:
            resource = await resources.load(session, resource_id, kind)
            outcome = decide(resource, place)
            if outcome is None:
                return Receipt(resource)
            await resources.change(session, outcome.resource)
            return await self._announce(session, place, resource, outcome)

        return await self._commit(work)

    async def _add(self, session: Session, place: Place, outcome: Outcome) -> Receipt:
        await resources.add(session, place.number, outcome.resource)
        return await self._announce(session, place, None, outcome)

    async def _commit(self, work: Callable[[Session, Place], Any]) -> Receipt:
        try:
            receipt = await self._transact(work, ())
        except _Rehearsed as met:
            async with self._database.write() as session:
                taken = await settings.take(session, met.fault)
                await world.revise(session)
            try:
                receipt = await self._transact(work, (CrashPoint(met.fault.name),) if taken else ())
            except Crashed:
                # Of a process that is dead nobody is told; in this one the relays need not wait for their next look.
                self._wake()
                self._changed()
                raise
        if receipt.event_ids:
            self._wake()
        self._changed()
        return receipt

    async def _transact(self, work: Callable[[Session, Place], Any], armed: Sequence[CrashPoint]) -> Receipt:
        async with self._database.write() as session:
            place = await self._place(session)
            receipt: Receipt = await work(session, place)
            if not armed:
                self._rehearse(receipt)
            self._runtime.crash.hit(CrashPoint.DISPATCH_BEFORE_COMMIT, armed)
        self._runtime.crash.hit(CrashPoint.DISPATCH_AFTER_COMMIT, armed)
        return receipt

    async def _place(self, session: Session) -> Place:
        # The lock first: what is read before it may be old when it is had, and an endpoint that was deleted meanwhile
        # would get a row that nobody ever cancels.
        counted = len(self._endpoints)
        numbers = await world.reserve(session, 1 + counted)
        here = await world.read_world(session)
        if here.revision != self._revision:
            self._endpoints = await settings.read_endpoints(session)
            armed = await settings.armed_faults(session)
            self._crashes = [fault for fault in armed if fault.name.startswith("dispatch.")]
            self._revision = here.revision
        if len(self._endpoints) != counted:
            # Nobody else takes numbers meanwhile, so these follow on those, and what was too many is given back.
            await world.reserve(session, len(self._endpoints) - counted)
        return Place(here.timeline.at(self._runtime.clock.real_now()), numbers.seed, numbers.first)

    async def _announce(self, session: Session, place: Place, before: Resource | None, outcome: Outcome) -> Receipt:
        resource = outcome.resource
        await books.enter(session, place.number, before, resource)
        subscribed = [one for one in self._endpoints if _wants(one, outcome)]
        rows = [self._row(place, number, endpoint, outcome) for number, endpoint in enumerate(subscribed, 1)]
        await resources.remember(
            session,
            resources.Transitioned(
                place.number, resource.id, outcome.event_type, resource.status, outcome.note, len(rows), place.now
            ),
        )
        await outbox.queue(session, rows)
        return Receipt(resource, outcome.event_type, tuple(row.event_id for row in rows), before is None)

    def _row(self, place: Place, number: int, endpoint: Endpoint, outcome: Outcome) -> outbox.Queued:
        seq = place.number + number
        event_id = make_id(place.seed, Prefix.EVENT, seq)
        event_type = outcome.event_type or ""
        event = Event(event_id=event_id, event_type=event_type, occurred_at=place.now, resource=outcome.resource)
        body = self._profile.encode(event)
        return outbox.Queued(seq, event_id, event_type, outcome.resource.id, endpoint.id, queued(place.now), body)

    def _rehearse(self, receipt: Receipt) -> None:
        for fault in self._crashes:
            if receipt.event_type is not None and fault.match.event_type in {None, receipt.event_type}:
                raise _Rehearsed(fault)


def _require_environment(existing: Resource, wanted: Wanted) -> None:
    if existing.is_test == wanted.is_test:
        return
    there = "the sandbox" if existing.is_test else "production"
    message = f"the external id {wanted.external_id!r} was used in {there}; it is unique across both environments"
    raise Conflict(message, code="invoice_idempotency_conflict" if wanted.kind == "invoice" else "conflict")


def _wants(endpoint: Endpoint, outcome: Outcome) -> bool:
    if outcome.event_type is None or endpoint.status != "active":
        return False
    resource = outcome.resource
    return endpoint.wants(outcome.event_type, resource.project_id, is_test=resource.is_test)
