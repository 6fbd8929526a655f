"""The simulator that a test plays with, in its own loop: how it starts, settles, is watched, and ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from sender.scenario import commands
from sender.scenario.api import Api
from sender.scenario.events import LawBroken
from sender.scenario.evidence import gather
from sender.scenario.judging import verdicts
from sender.scenario.play import Play, Target
from sender.scenario.watching import Ear, Watch
from sender.simulator import Simulator
from sender.telemetry import make_log

if TYPE_CHECKING:
    from typing import Self

    from sender.config import Settings
    from sender.scenario.events import RunEvent
    from sender.testing.hosting import Hosted
    from sender.testing.serving import ApiServer

R = TypeVar("R")


class Stage:
    """One simulator with what a test makes in it. Everything here lives in one loop."""

    def __init__(self, settings: Settings, secret: str) -> None:
        self.secret = secret
        self.loop: asyncio.AbstractEventLoop
        self._ear = Ear(make_log("warning"))
        self._simulator = Simulator(settings, log=self._ear)
        self._told: list[RunEvent] = []
        self._names: dict[str, str] = {}
        self._resources: set[str] = set()
        self._watch = Watch(self._simulator.database, self._ear, self._told.append, self._names, self._resources)
        self._play: Play
        self._api: ApiServer | None = None
        self._hosted: list[Hosted] = []
        self._numbers: dict[str, int] = {}

    async def start(self) -> Self:
        """Start the simulator. Raises ``UsageError`` or ``StoreError`` for what cannot be."""
        self.loop = asyncio.get_running_loop()
        simulator = self._simulator
        await simulator.start()
        self._play = Play(
            simulator=simulator,
            api=Api(simulator, self._told.append),
            tell=self._told.append,
            start=await simulator.now(),
            project_id=(await simulator.merchant.projects())[0].id,
            receiver=None,
            target=Target("", self.secret),
        )
        self._ear.now = self._play.start
        return self

    async def end(self) -> list[LawBroken]:
        """Stop delivering, and return each breach of a law of the sender."""
        await self._simulator.relays.stop()
        await self._watch.report()
        evidence = await gather(self._play, self._watch)
        return [one for one in verdicts(evidence, await self._simulator.now()) if isinstance(one, LawBroken)]

    async def close(self) -> None:
        """Close everything."""
        if self._api is not None:
            await self._api.close()
        await self._simulator.close()
        for one in self._hosted:
            await asyncio.to_thread(one.close)

    async def _settle(self) -> None:
        """Wait until nothing is due or in flight: what happened is complete then, and the same in every run."""
        await self._play.through_deaths(self._simulator.conductor.quiet)
        await self._watch.report()

    async def _load(self, kind: type[R], resource_id: str) -> R:
        found = await commands.load(self._play.api, resource_id)
        if not isinstance(found, kind):
            raise TypeError(f"{resource_id} is a {found.kind}, not a {kind.__name__.lower()}")
        return found

    async def _done(self, kind: type[R], resource_id: str) -> R:
        """Settle, and return a resource as it stands then."""
        await self._settle()
        return await self._load(kind, resource_id)

    def _own_id(self, kind: str, given: str | None) -> str:
        """Return the merchant's own id of something new: the one that is given, or the next number."""
        self._numbers[kind] = self._numbers.get(kind, 0) + 1
        return given or f"{kind}-{self._numbers[kind]}"

    def _add(self, kind: str, resource_id: str, own_id: str) -> None:
        self._play.add(resource_id, kind, resource_id, own_id)
        self._names[resource_id] = own_id
        self._resources.add(resource_id)


def id_of(about: Any) -> str:
    """Return the id of a resource, an endpoint or a delivery, or the id itself."""
    if isinstance(about, str):
        return about
    return str(getattr(about, "event_id", None) or about.id)
