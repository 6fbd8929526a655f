"""The control API as a whole: its calls, and the routes to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.web.control.call import Call
from sender.web.control.clock import ClockCalls
from sender.web.control.description import control_document
from sender.web.control.door import Door
from sender.web.control.endpoints import EndpointCalls
from sender.web.control.events import EventCalls
from sender.web.control.faults import FaultCalls
from sender.web.control.feed import FeedCalls
from sender.web.control.health import HealthCalls
from sender.web.control.merchant import MerchantCalls
from sender.web.control.replays import Replays
from sender.web.control.resend import ResendCalls
from sender.web.control.reset import ResetCalls
from sender.web.control.runs import RunCalls
from sender.web.control.stream import StreamCalls
from sender.web.control.traffic import TrafficCalls
from sender.web.control.trigger import TriggerCalls
from sender.web.openapi.route import described

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp import web

    from sender.web.admission import Admission
    from sender.web.parts import Parts


class ControlApi:
    """Makes the routes. ``forget`` drops what the merchant API remembers of keys and projects."""

    def __init__(self, parts: Parts, forget: Callable[[], None]) -> None:
        self._parts = parts
        self._stream = StreamCalls(parts)
        self.calls: tuple[Call, ...] = (
            *HealthCalls(parts).calls(),
            *EventCalls(parts.database).calls(),
            *ResendCalls(parts.database, parts.subscriptions).calls(),
            *EndpointCalls(parts.subscriptions).calls(),
            *TriggerCalls(parts).calls(),
            *ClockCalls(parts).calls(),
            *FaultCalls(parts).calls(),
            *FeedCalls(parts.database).calls(),
            *MerchantCalls(parts.merchant, forget).calls(),
            *RunCalls(parts.runs).calls(),
            *TrafficCalls(parts.traffic).calls(),
            *ResetCalls(parts.resetting, parts.traffic, forget).calls(),
            *self._stream.calls(),
        )

    def add_to(self, app: web.Application, admission: Admission, url: str) -> None:
        """Add every route, with the description of all of them."""
        app.on_shutdown.append(self._stream.close)
        app.on_shutdown.append(self._end_traffic)
        describe = Call(
            name="describe", method="GET", path="/openapi.json", summary="Describe the control API",
            handle=described(lambda: control_document(self.calls, self._parts.profile.catalogue, url)),
        )  # fmt: skip
        door = Door(admission, Replays())
        app.add_routes([door.route(call) for call in (*self.calls, describe)])

    async def _end_traffic(self, _app: web.Application) -> None:
        await self._parts.traffic.close()
