"""Crashes and wire faults over HTTP: arm, list, disarm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from sender.crash import CrashPoint
from sender.domain.fault import Fault, FaultMatch
from sender.errors import NotFound
from sender.suggest import remedy, shown
from sender.web.control.route import Route, answer, body_of, gone
from sender.web.refusals import Flaw, Invalid
from sender.web.validation import Fields, Text

if TYPE_CHECKING:
    from aiohttp import web

    from sender.web.parts import Parts

Word = Annotated[Text, Field(min_length=1, max_length=100)]


class MatchBody(Fields):
    """Which delivery or command a fault waits for; what is left out matches everything."""

    event_type: Word | None = None
    event_id: Word | None = None
    endpoint_id: Word | None = None
    attempt: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


class FaultBody(Fields):
    """A fault to arm; ``times`` is how often it strikes."""

    kind: Literal["crash", "wire"]
    name: Word
    on: MatchBody = MatchBody()
    params: Annotated[dict[Word, Word], Field(max_length=20, default_factory=dict)]
    times: Annotated[int, Field(ge=1, le=1_000_000)] = 1


class FaultApi:
    """Arms and disarms."""

    def __init__(self, parts: Parts) -> None:
        self._subscriptions = parts.subscriptions
        self._check_wire_fault = parts.check_wire_fault

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            ("GET", "/faults", self.list),
            ("POST", "/faults", self.arm),
            ("DELETE", "/faults", self.disarm_all),
            ("DELETE", "/faults/{id:[0-9]{1,18}}", self.disarm),
        ]

    async def list(self, _request: web.Request) -> web.Response:
        """Show the faults that still strike, in the order in which they were armed."""
        return answer({"items": [_document(fault) for fault in await self._subscriptions.armed()]})

    async def arm(self, request: web.Request) -> web.Response:
        """Arm one fault."""
        wish = await body_of(request, FaultBody)
        self._check(wish)
        match = FaultMatch(wish.on.event_type, wish.on.event_id, wish.on.endpoint_id, wish.on.attempt)
        fault = Fault(wish.kind, wish.name, match, wish.params, wish.times)
        return answer({"id": await self._subscriptions.arm(fault)}, status=201)

    async def disarm_all(self, _request: web.Request) -> web.Response:
        """Take back every fault; twice is once."""
        await self._subscriptions.disarm()
        return gone()

    async def disarm(self, request: web.Request) -> web.Response:
        """Take back one fault."""
        fault_id = int(request.match_info["id"])
        if not await self._subscriptions.disarm(fault_id):
            raise NotFound(f"there is no fault {fault_id}", code="fault_not_found")
        return gone()

    def _check(self, wish: FaultBody) -> None:
        if wish.kind == "wire":
            self._check_wire_fault(wish.name, wish.params)
            return
        if wish.name not in set(CrashPoint):
            message = (
                f"{shown(wish.name)} is not a crash point; {remedy(wish.name, [point.value for point in CrashPoint])}"
            )
            raise Invalid([Flaw("field_invalid", "name", message)])
        if wish.params:
            raise Invalid([Flaw("field_invalid", "params", "a crash has no fields")])


def _document(fault: Fault) -> dict[str, Any]:
    waits_for = {
        "event_type": fault.match.event_type,
        "event_id": fault.match.event_id,
        "endpoint_id": fault.match.endpoint_id,
        "attempt": fault.match.attempt,
    }
    return {
        "id": fault.id,
        "kind": fault.kind,
        "name": fault.name,
        "on": {name: value for name, value in waits_for.items() if value is not None},
        "params": dict(fault.params),
        "times": fault.remaining,
    }
