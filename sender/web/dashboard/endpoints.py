"""The page of endpoints: who is subscribed to what, with which end of a secret, and how a rotation stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.domain.endpoint import CATEGORIES, ROTATION_WINDOW, EndpointStatus
from sender.web.control.call import Ask
from sender.web.control.endpoints import EditBody, EndpointBody, EndpointCalls, RotateBody, masked
from sender.web.dashboard.visit import Page, Visit, done
from sender.web.merchant.operation import Nothing
from sender.web.validation import checked

if TYPE_CHECKING:
    from sender.domain.endpoint import Endpoint
    from sender.web.dashboard.visit import Went
    from sender.web.parts import Parts


class EndpointsPage:
    """Shows endpoints and does to them what the control API does."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._calls = EndpointCalls(parts.subscriptions)

    async def show(self, visit: Visit) -> Page:
        """Show every endpoint, deleted ones last."""
        found = await self._parts.subscriptions.all()
        found.sort(key=lambda one: one.status is EndpointStatus.DELETED)
        return Page(
            "endpoints.html",
            {
                "endpoints": found,
                "masked": masked,
                "categories": CATEGORIES,
                "projects": await self._parts.merchant.projects(),
                "left": lambda endpoint: _left(endpoint, visit),
                "window": ROTATION_WINDOW,
            },
        )

    async def add(self, visit: Visit) -> Went:
        """Subscribe a URL."""
        wish = {
            "url": visit.given("url") or "",
            "secret": visit.given("secret"),
            "is_test": visit.given("environment") != "live",
            "categories": _categories(visit) or None,
            "project_id": visit.given("project_id"),
        }
        reply = await self._calls.add(Ask(visit.request, "", checked(EndpointBody, wish), Nothing()))
        return done("Subscribed. Its secret, shown this once:", secret=reply.document["secret"])

    async def edit(self, visit: Visit) -> Went:
        """Change the URL and the categories."""
        wish = checked(EditBody, {"url": visit.given("url"), "categories": _categories(visit) or None})
        await self._calls.edit(Ask(visit.request, visit.id, wish, Nothing()))
        return done("Changed; the next attempt goes there.")

    async def rotate(self, visit: Visit) -> Went:
        """Give a new secret."""
        wish = checked(RotateBody, {"secret": visit.given("secret")})
        reply = await self._calls.rotate(Ask(visit.request, visit.id, wish, Nothing()))
        return done("Rotated. The new secret, shown this once:", secret=reply.document["secret"])

    async def reveal(self, visit: Visit) -> Went:
        """Show a secret whole."""
        reply = await self._calls.reveal(Ask(visit.request, visit.id, Nothing(), Nothing()))
        return done("The secret, shown this once:", secret=reply.document["secret"])

    async def suspend(self, visit: Visit) -> Went:
        """Stop deliveries."""
        await self._calls.suspend(Ask(visit.request, visit.id, Nothing(), Nothing()))
        return done("Suspended: what is queued waits.")

    async def resume(self, visit: Visit) -> Went:
        """Let deliveries go on."""
        await self._calls.resume(Ask(visit.request, visit.id, Nothing(), Nothing()))
        return done("Resumed.")

    async def delete(self, visit: Visit) -> Went:
        """End a subscription."""
        await self._calls.delete(Ask(visit.request, visit.id, Nothing(), Nothing()))
        return done("Deleted: what was queued is cancelled.")


def _categories(visit: Visit) -> list[str]:
    return [one for one in CATEGORIES if visit.given(f"category-{one}")]


def _left(endpoint: Endpoint, visit: Visit) -> int:
    """Return how much of the rotation window is left, in virtual microseconds; 0 outside one."""
    return max((endpoint.previous_secret_invalid_at or 0) - visit.now, 0) if endpoint.previous_secret else 0
