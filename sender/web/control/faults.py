"""Crashes and wire faults over HTTP: arm, list, disarm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from sender.crash import CrashPoint
from sender.domain.fault import Fault, FaultMatch
from sender.errors import NotFound
from sender.suggest import remedy, shown
from sender.web.control.call import Ask, Call, Reply, number_of
from sender.web.refusals import Flaw, Invalid
from sender.web.validation import Fields, Text

if TYPE_CHECKING:
    from sender.web.merchant.operation import Nothing
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


class FaultCalls:
    """Arms and disarms."""

    def __init__(self, parts: Parts) -> None:
        self._subscriptions = parts.subscriptions
        self._check_wire_fault = parts.check_wire_fault

    def calls(self) -> tuple[Call, ...]:
        """Return the calls."""
        return (
            Call(name="listFaults", method="GET", path="/faults", handle=self.list, answer="Faults",
                 summary="List the faults that still strike, in the order in which they were armed"),
            Call(name="armFault", method="POST", path="/faults", handle=self.arm, body=FaultBody, answer="FaultId",
                 status=201, summary="Arm a crash or a wire fault"),
            Call(name="disarmFaults", method="DELETE", path="/faults", handle=self.disarm_all, status=204,
                 summary="Take back every fault; twice is once"),
            Call(name="disarmFault", method="DELETE", path="/faults/{id}", handle=self.disarm, status=204,
                 summary="Take back one fault"),
        )  # fmt: skip

    async def list(self, _ask: Ask[Any, Any]) -> Reply:
        """List what is armed."""
        return Reply({"items": [_document(fault) for fault in await self._subscriptions.armed()]})

    async def arm(self, ask: Ask[FaultBody, Nothing]) -> Reply:
        """Arm one fault."""
        wish = ask.body
        self._check(wish)
        match = FaultMatch(wish.on.event_type, wish.on.event_id, wish.on.endpoint_id, wish.on.attempt)
        fault = Fault(wish.kind, wish.name, match, wish.params, wish.times)
        return Reply({"id": await self._subscriptions.arm(fault)}, 201)

    async def disarm_all(self, _ask: Ask[Any, Any]) -> Reply:
        """Take back every fault."""
        await self._subscriptions.disarm()
        return Reply()

    async def disarm(self, ask: Ask[Any, Nothing]) -> Reply:
        """Take back one fault."""
        fault_id = number_of(ask.id)
        if fault_id is None or not await self._subscriptions.disarm(fault_id):
            raise NotFound(f"there is no fault {ask.id[:64]}", code="fault_not_found")
        return Reply()

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
