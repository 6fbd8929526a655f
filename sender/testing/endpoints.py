"""What a test does with endpoints and receivers, and with deliveries by hand."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from sender.domain.endpoint import CATEGORIES, Endpoint
from sender.errors import UsageError
from sender.store import reads
from sender.subscriptions import NewEndpoint
from sender.testing.hosting import host, serve_here
from sender.testing.stage import Stage, id_of
from sender.testing.thread import hops

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from sender.testing.delivery import Delivery


class Endpoints(Stage):
    """Who is told, where, and under which secret."""

    @hops
    async def receiver(self, app: Any, path: str = "/webhook", *, secret: str | None = None) -> str:
        """Subscribe a receiver, and return the URL of its webhook.

        ``app`` is a WSGI, ASGI or aiohttp application, which is served in a thread of its own until the test ends, or
        the URL of a webhook that somebody else serves.
        """
        if isinstance(app, str):
            return (await self.endpoint(app, secret=secret)).url
        # Elsewhere, because its start may call this simulator.
        hosted = await asyncio.to_thread(host, app)
        self._hosted.append(hosted)
        return (await self.endpoint(hosted.url + path, secret=secret)).url

    @asynccontextmanager
    async def serving(self, app: Any, path: str = "/webhook", *, secret: str | None = None) -> AsyncIterator[str]:
        """Serve an ASGI or aiohttp application in the loop of the caller, and subscribe it: for ``async with``.

        For receivers that share something with the test which belongs to its loop. Await ``paymos.aio`` meanwhile; what
        blocks the loop blocks the receiver. When it ends, the subscription ends too.
        """
        async with serve_here(app) as url:
            endpoint = await self.endpoint(url + path, secret=secret)
            try:
                yield endpoint.url
            finally:
                await self.unsubscribe(endpoint)

    @hops
    async def endpoint(
        self,
        url: str,
        *,
        secret: str | None = None,
        categories: Sequence[str] = CATEGORIES,
        project_id: str | None = None,
    ) -> Endpoint:
        """Subscribe a URL, under ``paymos.secret`` unless another one is given."""
        wanted = NewEndpoint(url=url, secret=secret or self.secret, categories=tuple(categories), project_id=project_id)
        added = await self._simulator.subscriptions.add(wanted)
        self._play.endpoints[added.id] = added.id
        self._names[added.id] = url
        return added

    @hops
    async def edit(self, /, endpoint: Endpoint | str | None = None, **changes: Any) -> Endpoint:
        """Change url, categories, project_id or secret; the next attempt uses what is new."""
        await self._settle()
        return await self._simulator.subscriptions.edit(self._chosen(endpoint), **changes)

    @hops
    async def suspend(self, endpoint: Endpoint | str | None = None) -> Endpoint:
        """Stop deliveries to an endpoint; what is queued waits."""
        await self._settle()
        return await self._simulator.subscriptions.suspend(self._chosen(endpoint))

    @hops
    async def resume(self, endpoint: Endpoint | str | None = None) -> Endpoint:
        """Let deliveries go on."""
        resumed = await self._simulator.subscriptions.resume(self._chosen(endpoint))
        await self._settle()
        return resumed

    @hops
    async def unsubscribe(self, endpoint: Endpoint | str | None = None) -> Endpoint:
        """Delete an endpoint: what is queued for it is cancelled."""
        endpoint_id = self._chosen(endpoint)
        self._play.endpoints.pop(endpoint_id, None)
        return await self._simulator.subscriptions.delete(endpoint_id)

    @hops
    async def rotate_secret(self, endpoint: Endpoint | str | None = None, secret: str | None = None) -> Endpoint:
        """Give an endpoint a new secret; for 24 h of virtual time the previous one signs beside it."""
        await self._settle()
        return await self._simulator.subscriptions.rotate(self._chosen(endpoint), secret)

    @hops
    async def resend(self, what: Delivery | Any, event: str | None = None) -> None:
        """Resend a delivery, or the last event of a type about a resource, to everybody who was told."""
        await self._settle()
        for event_id in await self._to_resend(what, event):
            await self._simulator.subscriptions.resend(event_id)
        await self._settle()

    async def _to_resend(self, what: Any, event: str | None) -> list[str]:
        if event is None:
            return [id_of(what)]
        async with self._simulator.database.read() as session:
            every = await reads.events(session, id_of(what))
        last = {one.endpoint_id: one.event_id for one in every if one.event_type == event}
        if not last:
            raise UsageError(f"there is no {event} about {id_of(what)} to resend")
        return list(last.values())

    def _chosen(self, endpoint: Endpoint | str | None) -> str:
        return self._play.endpoint_id(None) if endpoint is None else id_of(endpoint)
