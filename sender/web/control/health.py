"""Whether the simulator works: what start scripts and containers ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.errors import StoreError
from sender.store import world
from sender.web.control.route import Route, answer

if TYPE_CHECKING:
    from aiohttp import web

    from sender.web.parts import Parts


class HealthApi:
    """Tells of API, database and relays."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def routes(self) -> list[Route]:
        """Return the route."""
        return [("GET", "/health", self.health)]

    async def health(self, _request: web.Request) -> web.Response:
        """Answer 200 when all of it works, and 503 with the same document when some of it does not."""
        works = {"api": True, "database": await self._database_works(), "relay": self._parts.relays_alive()}
        healthy = all(works.values())
        return answer({"status": "ok" if healthy else "failing", **works}, 200 if healthy else 503)

    async def _database_works(self) -> bool:
        try:
            async with self._parts.database.read() as session:
                await world.read_world(session)
        except StoreError:
            return False
        return True
