"""What the steps of one story share: the simulator, the receiver, and who is meant by a name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sender.crash import Crashed
from sender.durations import SECOND, Duration
from sender.errors import UsageError
from sender.scenario.events import ApiCrashed
from sender.scenario.language.subject import kind_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.durations import Instant
    from sender.probe.looking import Probe
    from sender.scenario.api import Api
    from sender.scenario.events import Listener
    from sender.scenario.language.subject import AboutEvents
    from sender.scenario.receiver_client import ReceiverClient
    from sender.simulator import Simulator


PATIENCE: Duration = 5 * SECOND
"""Real time that a receiver gets to carry out what it has answered for, where a story does not say."""


@dataclass(frozen=True, slots=True)
class Target:
    """Somebody's own receiver: the URL of its webhook, and the secret that it believes."""

    url: str
    secret: str


@dataclass(frozen=True, slots=True)
class Created:
    """A resource of the story: its kind in the language, its id, and the merchant's own id of it."""

    kind: str
    id: str
    order_id: str


@dataclass(frozen=True, slots=True)
class Seen:
    """A transfer of the story: the invoice that it pays, and its transaction."""

    invoice_id: str
    tx_hash: str


@dataclass(slots=True, kw_only=True)
class Play:
    """One story on its stage. ``receiver`` is the reference receiver, where it is the one under test.

    ``probe`` looks into somebody else's, where there is a way to; ``patience`` is how long, in real time, until what
    it looks for must be there.
    """

    simulator: Simulator
    api: Api
    tell: Listener
    start: Instant
    project_id: str
    receiver: ReceiverClient | None
    target: Target
    probe: Probe | None = None
    patience: Duration = PATIENCE
    created: dict[str, Created] = field(default_factory=dict)
    transfers: dict[str, Seen] = field(default_factory=dict)
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

    def add(self, name: str, kind: str, resource_id: str, own_id: str) -> None:
        """Take in a resource that the story made."""
        self.created[name] = Created(kind, resource_id, own_id)

    def id_of(self, name: str) -> str:
        """Return the id of a resource."""
        return self.created[name].id

    def of_kind(self, kind: str) -> list[Created]:
        """Return the resources of a kind, oldest first."""
        return [one for one in self.created.values() if one.kind == kind]

    def subject(self, about: AboutEvents) -> Created | None:
        """Return the resource that a step names; the only one that tells of its event, where none is named."""
        if about.subject is not None:
            return self.created[about.subject.name]
        only = self.of_kind(kind_of(about.event)) if about.event is not None else []
        return only[0] if len(only) == 1 else None

    def reference(self) -> ReceiverClient:
        """Return the reference receiver. Raises ``UsageError`` where another one is under test."""
        if self.receiver is None:
            raise UsageError("this needs the reference receiver; leave --target out")
        return self.receiver
