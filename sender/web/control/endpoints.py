"""Webhook endpoints over HTTP; the real provider has no API for them, only its dashboard (contract §1.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from sender.domain.endpoint import CATEGORIES
from sender.durations import format_instant
from sender.subscriptions import NewEndpoint
from sender.web.control.route import Route, answer, body_of, id_of
from sender.web.validation import Fields, Text

if TYPE_CHECKING:
    from aiohttp import web

    from sender.domain.endpoint import Endpoint
    from sender.subscriptions import Subscriptions

URL_MAX = 2048
SHOWN_OF_SECRET = 4


def _is_url(text: str) -> str:
    if not _is_absolute(text):
        raise PydanticCustomError("field_invalid", "must be an absolute http or https URL with a host and no user name")
    return text


def _is_absolute(text: str) -> bool:
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return usable and parts.username is None and text.isprintable() and " " not in text


Url = Annotated[Text, Field(min_length=1, max_length=URL_MAX), AfterValidator(_is_url)]
Categories = Annotated[list[Literal["invoice", "withdrawal", "payment_channel"]], Field(min_length=1, max_length=3)]
ProjectId = Annotated[Text, Field(min_length=1, max_length=64)]
Secret = Annotated[str, Field(min_length=1, max_length=200, pattern="^[!-~]+$")]


class EndpointBody(Fields):
    """An endpoint to subscribe; without a ``secret`` one is made, without ``categories`` it is told of all."""

    url: Url
    secret: Secret | None = None
    is_test: bool = True
    categories: Categories | None = None
    project_id: ProjectId | None = None


class EditBody(Fields):
    """What changes about an endpoint; what is left out stays."""

    url: Url | None = None
    categories: Categories | None = None
    project_id: ProjectId | None = None


class RotateBody(Fields):
    """A new secret, or none for one that is made."""

    secret: Secret | None = None


class EndpointApi:
    """Subscribes and unsubscribes. A secret is shown whole when it is new, and later only its end."""

    def __init__(self, subscriptions: Subscriptions) -> None:
        self._subscriptions = subscriptions

    def routes(self) -> list[Route]:
        """Return the routes."""
        one = "/endpoints/{id}"
        return [
            ("GET", "/endpoints", self.list),
            ("POST", "/endpoints", self.add),
            ("PATCH", one, self.edit),
            ("DELETE", one, self.delete),
            ("POST", f"{one}/rotate", self.rotate),
            ("POST", f"{one}/suspend", self.suspend),
            ("POST", f"{one}/resume", self.resume),
        ]

    async def list(self, _request: web.Request) -> web.Response:
        """Show every endpoint, deleted ones too, oldest first."""
        return answer({"items": [_document(one) for one in await self._subscriptions.all()]})

    async def add(self, request: web.Request) -> web.Response:
        """Subscribe a URL."""
        wish = await body_of(request, EndpointBody)
        endpoint = await self._subscriptions.add(
            NewEndpoint(
                url=wish.url,
                secret=wish.secret,
                is_test=wish.is_test,
                categories=tuple(dict.fromkeys(wish.categories or CATEGORIES)),
                project_id=wish.project_id,
            )
        )
        return answer(_document(endpoint, whole_secret=True), status=201)

    async def edit(self, request: web.Request) -> web.Response:
        """Change an endpoint; ``null`` for ``project_id`` takes the filter away."""
        wish = await body_of(request, EditBody)
        changes: dict[str, Any] = {
            name: value for name, value in wish if name in wish.model_fields_set and (value or name == "project_id")
        }
        if "categories" in changes:
            changes["categories"] = tuple(dict.fromkeys(changes["categories"]))
        return answer(_document(await self._subscriptions.edit(id_of(request), **changes)))

    async def delete(self, request: web.Request) -> web.Response:
        """End a subscription; what is queued for it is cancelled."""
        return answer(_document(await self._subscriptions.delete(id_of(request))))

    async def rotate(self, request: web.Request) -> web.Response:
        """Give an endpoint a new secret; for 24 h of virtual time the old one signs beside it."""
        wish = await body_of(request, RotateBody)
        endpoint = await self._subscriptions.rotate(id_of(request), wish.secret)
        return answer(_document(endpoint, whole_secret=True))

    async def suspend(self, request: web.Request) -> web.Response:
        """Stop deliveries; what is queued waits."""
        return answer(_document(await self._subscriptions.suspend(id_of(request))))

    async def resume(self, request: web.Request) -> web.Response:
        """Let deliveries go on."""
        return answer(_document(await self._subscriptions.resume(id_of(request))))


def _document(endpoint: Endpoint, *, whole_secret: bool = False) -> dict[str, Any]:
    until = endpoint.previous_secret_invalid_at
    return {
        "id": endpoint.id,
        "url": endpoint.url,
        "status": endpoint.status.value,
        "is_test": endpoint.is_test,
        "categories": list(endpoint.categories),
        "project_id": endpoint.project_id,
        "secret": endpoint.secret if whole_secret else f"…{endpoint.secret[-SHOWN_OF_SECRET:]}",
        "previous_secret_invalid_at": None if until is None else format_instant(until),
        "created_at": format_instant(endpoint.created_at),
    }
