"""Everything that a test can do, to be awaited in any loop: ``paymos.aio``."""

from __future__ import annotations

from sender.testing.endpoints import Endpoints
from sender.testing.looking import Looking
from sender.testing.mishaps import Mishaps
from sender.testing.money import Money
from sender.testing.moves import Moves
from sender.testing.orders import Orders
from sender.testing.thread import hops


class World(Orders, Money, Endpoints, Mishaps, Moves, Looking):
    """One simulator. Every method runs in its loop and may be awaited in another one."""

    @hops
    async def base_url(self) -> str:
        """Return the URL of the Merchant API; it is served from the first time on that somebody asks."""
        if self._api is None:
            from sender.testing.serving import ApiServer  # noqa: PLC0415 - a web server, only where it is called

            self._api = ApiServer(self._simulator)
            await self._api.start()
        return self._api.url

    @hops
    async def settle(self) -> None:
        """Wait until nothing is due or in flight; every other call does so already."""
        await self._settle()
