"""What the steps of one story share: the simulator, the receiver, and who is meant by a name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sender.crash import Crashed
from sender.errors import UsageError
from sender.scenario.events import ApiCrashed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.durations import Instant
    from sender.scenario.api import Api
    from sender.scenario.events import Listener
    from sender.scenario.receiver_client import ReceiverClient
    from sender.simulator import Simulator


@dataclass(frozen=True, slots=True)
class Target:
    """Somebody's own receiver: the URL of its webhook, and the secret that it believes."""

    url: str
    secret: str


@dataclass(frozen=True, slots=True)
class Created:
    """An invoice of the story: its id, and the merchant's own id of its order."""

    id: str
    order_id: str


@dataclass(slots=True, kw_only=True)
class Play:
    """One story on its stage. ``receiver`` is the reference receiver, where it is the one under test."""

    simulator: Simulator
    api: Api
    tell: Listener
    start: Instant
    project_id: str
    receiver: ReceiverClient | None
    target: Target
    invoices: dict[str, Created] = field(default_factory=dict)
    endpoints: dict[str, str] = field(default_factory=dict)
    # What the receiver was configured with: the first secret of each endpoint that leads to it.
    believed: list[str] = field(default_factory=list)
    copies: int = 1

    async def through_deaths(self, move: Callable[[], Awaitable[object]]) -> None:
        """Move or wait for time; what expires on the way is a command too, and is repeated when the API dies of it."""
        while True:
            try:
                await move()
            except Crashed as death:
                now = await self.simulator.now()
                self.tell(ApiCrashed(virtual_time=now, point=death.point.value, command="expire"))
            else:
                return

    def endpoint_id(self, name: str | None) -> str:
        """Return the id of an endpoint; of the only one, where no name is given."""
        if name is not None:
            return self.endpoints[name]
        if len(self.endpoints) != 1:
            raise UsageError("which endpoint is meant is not said; name it")
        return next(iter(self.endpoints.values()))

    def invoice(self, name: str | None) -> Created:
        """Return an invoice; the only one, where no name is given."""
        if name is not None:
            return self.invoices[name]
        if len(self.invoices) != 1:
            raise UsageError("which invoice is meant is not said; name it")
        return next(iter(self.invoices.values()))

    def reference(self) -> ReceiverClient:
        """Return the reference receiver. Raises ``UsageError`` where another one is under test."""
        if self.receiver is None:
            raise UsageError("this needs the reference receiver; leave --target out")
        return self.receiver
