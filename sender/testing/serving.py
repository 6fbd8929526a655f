"""The simulator's own API for the merchant's code under test, on a port of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from sender.runs import ScenarioRuns
from sender.serve import listening, parts_of
from sender.web.app import make_app
from sender.web.parts import ApiOptions
from sender.web.server import make_runner

if TYPE_CHECKING:
    from sender.simulator import Simulator

HOST = "127.0.0.1"


class ApiServer:
    """Serves the Merchant API and the control API of one simulator."""

    def __init__(self, simulator: Simulator) -> None:
        self._listener = listening(HOST, 0)
        self.url = f"http://{HOST}:{self._listener.getsockname()[1]}"
        self._runs = ScenarioRuns(simulator.clock)
        app = make_app(parts_of(simulator, self._runs), ApiOptions(public_url=self.url))
        self._runner = make_runner(app)

    async def start(self) -> None:
        """Return once it answers."""
        await self._runner.setup()
        await web.SockSite(self._runner, self._listener).start()

    async def close(self) -> None:
        """Stop answering."""
        await self._runner.cleanup()
        await self._runs.close()
        self._listener.close()
