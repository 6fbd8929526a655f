"""The dashboard as a whole: its pages, its forms, and the routes to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from sender.web.dashboard.clock import ClockPage
from sender.web.dashboard.console import ConsolePage
from sender.web.dashboard.door import Door
from sender.web.dashboard.endpoints import EndpointsPage
from sender.web.dashboard.event import EventPage
from sender.web.dashboard.events import EventsPage
from sender.web.dashboard.faults import FaultsPage
from sender.web.dashboard.pages import STATIC
from sender.web.dashboard.resource import ResourcePage
from sender.web.dashboard.runs import RunsPage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sender.web.admission import Admission
    from sender.web.dashboard.pages import Pages
    from sender.web.parts import Parts


class Dashboard:
    """Makes the routes. ``pages`` renders; the checkout page shares it."""

    def __init__(self, parts: Parts, admission: Admission, pages: Pages) -> None:
        self._pages = pages
        self.door = Door(parts, admission, pages)
        self._event = EventPage(parts)
        self._events = EventsPage(parts)
        self._resource = ResourcePage(parts)
        self._endpoints = EndpointsPage(parts)
        self._faults = FaultsPage(parts)
        self._clock = ClockPage(parts)
        self._console = ConsolePage(parts)
        self._runs = RunsPage(parts)

    def add_to(self, app: web.Application) -> None:
        """Add every route."""
        app.add_routes([*self._shown(), *self._done()])
        app.router.add_get(f"{STATIC}/{{name}}", self._pages.static)
        app.router.add_post("/login", self.door.login)

    def _shown(self) -> Iterator[web.RouteDef]:
        for path, show in (
            ("/", self._events.show),
            ("/events/{id}", self._event.show),
            ("/events/{id}/curl", self._event.curl),
            ("/events/{id}/body", self._event.body),
            ("/attempts/{id}/answer", self._event.answer),
            ("/resources/{id}", self._resource.show),
            ("/endpoints", self._endpoints.show),
            ("/faults", self._faults.show),
            ("/clock", self._clock.show),
            ("/console", self._console.show),
            ("/runs", self._runs.show),
            ("/runs/{id}", self._runs.one),
        ):
            yield web.get(path, self.door.shows(show))

    def _done(self) -> Iterator[web.RouteDef]:
        endpoints, faults, runs = self._endpoints, self._faults, self._runs
        for path, act in (
            ("/events/{id}/resend", self._event.resend),
            ("/resend", self._event.resend_failed),
            ("/resources/{id}", self._resource.do),
            ("/endpoints", endpoints.add),
            ("/endpoints/{id}/edit", endpoints.edit),
            ("/endpoints/{id}/rotate", endpoints.rotate),
            ("/endpoints/{id}/reveal", endpoints.reveal),
            ("/endpoints/{id}/suspend", endpoints.suspend),
            ("/endpoints/{id}/resume", endpoints.resume),
            ("/endpoints/{id}/delete", endpoints.delete),
            ("/faults", faults.arm),
            ("/faults/clear", faults.disarm_all),
            ("/faults/{id}/disarm", faults.disarm),
            ("/clock/move", self._clock.move),
            ("/clock/mode", self._clock.set_mode),
            ("/console/invoice", self._console.invoice),
            ("/console/trigger", self._console.trigger),
            ("/runs", runs.start),
            ("/runs/{id}/stop", runs.stop),
        ):
            yield web.post(path, self.door.acts(act))
