"""Where the operations find what a caller may see: its own environment, and nothing of another kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sender.errors import NotFound
from sender.store import access, feed, lists, resources

if TYPE_CHECKING:
    from sender.domain.access import Project
    from sender.providers.paymos import Paymos
    from sender.store.engine import Database
    from sender.web.merchant.gate import Caller
    from sender.web.merchant.kept import Kept

Document = dict[str, Any]


class Shelf:
    """The resources of one simulator, as callers see them."""

    def __init__(self, database: Database, profile: Paymos, projects: Kept[Project]) -> None:
        self._database = database
        self._profile = profile
        self._projects = projects

    async def require(self, kind: str, resource_id: str, caller: Caller) -> None:
        """Raise ``NotFound`` for what is not there, or not for this caller."""
        await self._load(kind, resource_id, caller)

    async def show(self, kind: str, resource_id: str, caller: Caller) -> Document:
        """Return a resource as it is answered. Raises ``NotFound``, also for one of the other environment."""
        return self._profile.resource(await self._load(kind, resource_id, caller))

    async def page(self, query: lists.Query) -> Document:
        """Return one page of a list as it is answered; ``next_cursor`` is null on the last one."""
        async with self._database.read() as session:
            page = await lists.page(session, query)
        return {"items": [self._profile.item(one) for one in page.items], "next_cursor": page.next_cursor}

    async def feed(self, query: feed.FeedQuery) -> Document:
        """Return one page of the feed of deposits as it is answered; it always has a ``next_cursor``."""
        async with self._database.read() as session:
            page = await feed.deposits(session, query)
        document: Document = {"items": [self._profile.item(one) for one in page.items], "next_cursor": page.next_cursor}
        if page.blocked is not None:
            document["blocked"] = {"deposit_id": page.blocked.deposit_id, "reason": page.blocked.reason}
        return document

    async def require_project(self, project_id: str) -> None:
        """Raise ``NotFound`` for a project that the merchant does not have."""

        async def find() -> Project | None:
            async with self._database.read() as session:
                return await access.find_project(session, project_id)

        if await self._projects.get(project_id, find) is None:
            raise NotFound("There is no such project.", code="project_not_found", field="project_id")

    async def _load(self, kind: str, resource_id: str, caller: Caller) -> Any:
        async with self._database.read() as session:
            return await resources.load(session, resource_id, kind, is_test=caller.is_test)
