"""What a test lets go wrong: the sender dies, the wire loses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.crash import CrashPoint
from sender.domain.fault import Fault, FaultMatch
from sender.errors import UsageError
from sender.scenario.language.values import EVENTS
from sender.suggest import remedy, shown
from sender.testing.stage import Stage, id_of
from sender.testing.thread import hops
from sender.wire import wire_fault

if TYPE_CHECKING:
    from sender.domain.endpoint import Endpoint


class Mishaps(Stage):
    """Faults of the sender, each armed for an attempt to come; what is left out fits every one."""

    @hops
    async def crash(
        self,
        point: str,
        *,
        event: str | None = None,
        attempt: int | None = None,
        endpoint: Endpoint | str | None = None,
        times: int = 1,
    ) -> None:
        """Let the sender die at a crash point, such as ``relay.after_send``; another one goes on from the records."""
        points = [one.value for one in CrashPoint]
        if point not in points:
            raise UsageError(f"{shown(point)} is no crash point; {remedy(point, points)}")
        await self._arm(Fault("crash", point, _match(event, attempt, endpoint), {}, times))

    @hops
    async def wire(
        self,
        /,
        fault: str,
        *,
        event: str | None = None,
        attempt: int | None = None,
        endpoint: Endpoint | str | None = None,
        times: int = 1,
        **fields: str | int,
    ) -> None:
        """Let the wire do something to a request, such as ``lose_response`` or ``duplicate`` with ``copies=2``."""
        wire_fault(fault, fields)
        self._play.copies = max(self._play.copies, int(fields.get("copies", 1)))
        params = {name: str(value) for name, value in fields.items()}
        await self._arm(Fault("wire", fault, _match(event, attempt, endpoint), params, times))

    @hops
    async def disarm(self) -> None:
        """Take back every fault that has not struck yet."""
        await self._settle()
        await self._simulator.subscriptions.disarm()

    @hops
    async def restart(self) -> None:
        """Kill the sender between two attempts, and start another one."""
        await self._simulator.relays.restart()
        await self._settle()

    async def _arm(self, fault: Fault) -> None:
        await self._settle()
        await self._simulator.subscriptions.arm(fault)
        await self._watch.report()


def _match(event: str | None, attempt: int | None, endpoint: Endpoint | str | None) -> FaultMatch:
    if event is not None and event not in EVENTS:
        raise UsageError(f"{shown(event)} is no event; {remedy(event, EVENTS)}")
    return FaultMatch(event, None, None if endpoint is None else id_of(endpoint), attempt)
