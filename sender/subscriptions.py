"""What a person does to endpoints and deliveries: subscribe, edit, rotate, suspend, delete, resend."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sender.domain.delivery import resent
from sender.domain.endpoint import Endpoint, EndpointStatus, require_registrable
from sender.domain.ids import Prefix, make_id, make_secret
from sender.errors import Conflict, NotFound
from sender.store import outbox, settings, world

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.domain.fault import Fault
    from sender.durations import Instant
    from sender.runtime import Runtime
    from sender.store.engine import Database, Session


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEndpoint:
    """What is asked for when an endpoint is added; without a secret one is made."""

    url: str
    secret: str | None = None
    is_test: bool = True
    categories: tuple[str, ...] = ("invoice", "withdrawal", "payment_channel")
    project_id: str | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    """The instant of a change, and a number of its own."""

    now: Instant
    seed: int
    number: int

    def new_secret(self, *, is_test: bool) -> str:
        """Return the secret that belongs to this number."""
        prefix = Prefix.WEBHOOK_SECRET_TEST if is_test else Prefix.WEBHOOK_SECRET_LIVE
        return make_secret(self.seed, prefix, self.number)


class Subscriptions:
    """The endpoints of one simulator, and what is done by hand to their deliveries.

    ``strict`` plays the provider's own rule for URLs; without it loopback and plain http are what this is for.
    """

    def __init__(self, runtime: Runtime, database: Database, wake: Callable[[], None], *, strict: bool = False) -> None:
        self._clock = runtime.clock
        self._database = database
        self._wake = wake
        self._strict = strict

    async def add(self, new: NewEndpoint) -> Endpoint:
        """Subscribe a URL. Raises ``RequestRefused`` for one that the provider would not take, with ``strict``."""
        async with self._database.write() as session:
            place = await self._place(session)
            endpoint = Endpoint(
                id=make_id(place.seed, Prefix.ENDPOINT, place.number),
                url=new.url,
                secret=new.secret or place.new_secret(is_test=new.is_test),
                is_test=new.is_test,
                categories=new.categories,
                project_id=new.project_id,
                created_at=place.now,
            )
            await self._check(session, endpoint)
            await settings.add_endpoint(session, endpoint)
        self._wake()
        return endpoint

    async def all(self) -> list[Endpoint]:
        """Return every endpoint, deleted ones too, oldest first."""
        async with self._database.read() as session:
            return await settings.read_endpoints(session)

    async def edit(self, endpoint_id: str, **changes: Any) -> Endpoint:
        """Change the URL, the categories or the project filter; the next attempt uses what is new.

        Raises ``RequestRefused`` for a URL that the provider would not take, with ``strict``.
        """
        return await self._change(endpoint_id, lambda endpoint, _: replace(endpoint, **changes))

    async def rotate(self, endpoint_id: str, secret: str | None = None) -> Endpoint:
        """Give an endpoint a new secret; for 24 h the previous one signs beside it (contract §1.3)."""
        return await self._change(
            endpoint_id,
            lambda endpoint, place: endpoint.rotated(secret or place.new_secret(is_test=endpoint.is_test), place.now),
        )

    async def suspend(self, endpoint_id: str) -> Endpoint:
        """Stop deliveries; what is queued waits."""
        return await self._set_status(endpoint_id, EndpointStatus.SUSPENDED)

    async def resume(self, endpoint_id: str) -> Endpoint:
        """Let deliveries go on."""
        return await self._set_status(endpoint_id, EndpointStatus.ACTIVE)

    async def delete(self, endpoint_id: str) -> Endpoint:
        """End a subscription: what is queued is cancelled, attempts stay readable."""
        return await self._set_status(endpoint_id, EndpointStatus.DELETED)

    async def resend(self, event_id: str) -> None:
        """Ask for one extra attempt at once. Raises ``NotFound``, and ``Conflict`` while one is under way."""
        async with self._database.write() as session:
            now = (await self._place(session)).now
            found = await outbox.find(session, event_id)
            if found is None:
                message = f"there is no event {event_id}"
                raise NotFound(message, code="event_not_found")
            seq, delivery, in_flight = found
            again = resent(delivery, now, in_flight=in_flight)
            if not await outbox.resend(session, seq, again):
                message = "an attempt of this event is under way; resend it when that one is recorded"
                raise Conflict(message, code="delivery_in_flight")
        self._wake()

    async def arm(self, fault: Fault) -> int:
        """Arm a crash or a wire fault; return the id that disarms it."""
        async with self._database.write() as session:
            fault_id = await settings.arm(session, fault)
        self._wake()
        return fault_id

    async def armed(self) -> list[Fault]:
        """Return the faults that still wait."""
        async with self._database.read() as session:
            return await settings.armed_faults(session)

    async def disarm(self, fault_id: int | None = None) -> int:
        """Take back one fault, or all of them; return how many."""
        async with self._database.write() as session:
            count = await settings.disarm(session, fault_id)
        self._wake()
        return count

    async def _check(self, session: Session, endpoint: Endpoint) -> None:
        if self._strict:
            require_registrable(endpoint, await settings.read_endpoints(session))

    async def _set_status(self, endpoint_id: str, status: EndpointStatus) -> Endpoint:
        return await self._change(endpoint_id, lambda endpoint, _: replace(endpoint, status=status))

    async def _change(self, endpoint_id: str, change: Callable[[Endpoint, _Place], Endpoint]) -> Endpoint:
        async with self._database.write() as session:
            place = await self._place(session)
            endpoint = await settings.read_endpoint(session, endpoint_id)
            if endpoint.status is EndpointStatus.DELETED:
                message = f"endpoint {endpoint_id} was deleted; add a new one"
                raise Conflict(message, code="endpoint_deleted")
            changed = change(endpoint, place)
            if changed.url != endpoint.url:
                await self._check(session, changed)
            await settings.change_endpoint(session, changed)
            if changed.status is EndpointStatus.DELETED:
                await outbox.cancel(session, endpoint_id)
        self._wake()
        return changed

    async def _place(self, session: Session) -> _Place:
        """Take a number, and with it the lock under which nobody else changes anything until this is committed.

        So whoever reads before that may write over what another one has changed meanwhile.
        """
        numbers = await world.reserve(session, 1)
        now = (await world.read_world(session)).timeline.at(self._clock.real_now())
        return _Place(now, numbers.seed, numbers.first)
