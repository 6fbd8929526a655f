"""Recurring traffic over HTTP: what goes on and how much came of it, start, stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from sender.durations import format_instant
from sender.web.control.call import Ask, Call, Reply
from sender.web.control.documents import instant
from sender.web.control.events import Word
from sender.web.refusals import Flaw, Invalid
from sender.web.validation import Fields, Text

if TYPE_CHECKING:
    from sender.web.merchant.operation import Nothing
    from sender.web.parts import Flowing, Traffic

LONGEST_DOCUMENT = 64 * 1024


class TrafficBody(Fields):
    """Which customers buy: traffic that ships, by its name, or a traffic file as YAML, of which JSON is a part."""

    name: Word | None = None
    document: Annotated[Text, Field(min_length=1, max_length=LONGEST_DOCUMENT)] | None = None


class TrafficCalls:
    """Lets customers buy at this simulator, in wall time, until they are stopped."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic

    def calls(self) -> tuple[Call, ...]:
        """Return the calls."""
        return (
            Call(name="listTraffic", method="GET", path="/traffic", handle=self.list, answer="TrafficList",
                 summary="List flows with their counts, newest first, and the names that ship"),
            Call(name="startTraffic", method="POST", path="/traffic", handle=self.start, body=TrafficBody,
                 answer="Traffic", status=201, refusals=(404, 409),
                 summary="Let customers buy; exactly the same traffic twice is once"),
            Call(name="stopAllTraffic", method="DELETE", path="/traffic", handle=self.stop_all, answer="TrafficList",
                 summary="End every flow; nothing is bought after the answer, and twice is once"),
            Call(name="getTraffic", method="GET", path="/traffic/{id}", handle=self.get, answer="Traffic",
                 summary="Get a flow with its counts"),
            Call(name="stopTraffic", method="DELETE", path="/traffic/{id}", handle=self.stop, answer="Traffic",
                 summary="End a flow; nothing is bought after the answer, and twice is once"),
        )  # fmt: skip

    async def list(self, _ask: Ask[Any, Any]) -> Reply:
        """List flows."""
        return self._listed()

    async def start(self, ask: Ask[TrafficBody, Nothing]) -> Reply:
        """Start a flow."""
        if (ask.body.name is None) == (ask.body.document is None):
            raise Invalid([Flaw("validation_failed", "", "write the name of traffic that ships, or a document")])
        return Reply(_document(await self._traffic.start(name=ask.body.name, document=ask.body.document)), 201)

    async def get(self, ask: Ask[Any, Nothing]) -> Reply:
        """Get a flow."""
        return Reply(_document(self._traffic.get(ask.id)))

    async def stop(self, ask: Ask[Any, Nothing]) -> Reply:
        """End a flow."""
        return Reply(_document(await self._traffic.stop(ask.id)))

    async def stop_all(self, _ask: Ask[Any, Any]) -> Reply:
        """End all of them."""
        await self._traffic.stop_all()
        return self._listed()

    def _listed(self) -> Reply:
        return Reply({"items": [_document(one) for one in self._traffic.all()], "ships": self._traffic.names()})


def _document(one: Flowing) -> dict[str, Any]:
    return {
        "id": one.id,
        "name": one.flow.name,
        "rhythm": one.flow.rhythm,
        "state": one.state,
        "started_at": format_instant(one.started_at),
        "finished_at": instant(one.finished_at),
        "fired": one.fired,
        "done": one.done,
        "refused": one.refused,
        "last_refusal": one.last_refusal or None,
    }
