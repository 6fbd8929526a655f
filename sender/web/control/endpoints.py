"""Webhook endpoints over HTTP; the real provider has no API for them, only its dashboard (contract §1.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from sender.domain.endpoint import CATEGORIES, EndpointStatus
from sender.durations import format_instant
from sender.errors import NotFound
from sender.subscriptions import NewEndpoint
from sender.web.control.call import Ask, Call, Reply
from sender.web.validation import Fields, Text

if TYPE_CHECKING:
    from sender.domain.endpoint import Endpoint
    from sender.subscriptions import Subscriptions
    from sender.web.merchant.operation import Nothing

URL_MAX = 2048
SHOWN_OF_SECRET = 4
"""How much of a secret is shown unless somebody asks for all of it."""


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


class EndpointCalls:
    """Subscribes and unsubscribes. A secret is shown whole when it is new and when it is asked for."""

    def __init__(self, subscriptions: Subscriptions) -> None:
        self._subscriptions = subscriptions

    def calls(self) -> tuple[Call, ...]:
        """Return the calls."""
        one = "/endpoints/{id}"
        return (
            Call(name="listEndpoints", method="GET", path="/endpoints", handle=self.list, answer="Endpoints",
                 summary="List endpoints, deleted ones too, oldest first"),
            Call(name="addEndpoint", method="POST", path="/endpoints", handle=self.add, body=EndpointBody,
                 answer="Endpoint", status=201, refusals=(409,), summary="Subscribe a URL"),
            Call(name="getEndpoint", method="GET", path=one, handle=self.get, answer="Endpoint",
                 summary="Get an endpoint"),
            Call(name="editEndpoint", method="PATCH", path=one, handle=self.edit, body=EditBody, answer="Endpoint",
                 refusals=(409,), summary="Change an endpoint; null for project_id takes the filter away"),
            Call(name="deleteEndpoint", method="DELETE", path=one, handle=self.delete, answer="Endpoint",
                 summary="End a subscription; what is queued for it is cancelled"),
            Call(name="rotateSecret", method="POST", path=f"{one}/rotate", handle=self.rotate, body=RotateBody,
                 answer="Endpoint", refusals=(409,), summary="Give an endpoint a new secret; the old one signs beside "
                 "it for 24 h of virtual time"),
            Call(name="revealSecret", method="POST", path=f"{one}/reveal", handle=self.reveal, answer="Secret",
                 summary="Show the secret of an endpoint whole"),
            Call(name="suspendEndpoint", method="POST", path=f"{one}/suspend", handle=self.suspend,
                 answer="Endpoint", refusals=(409,), summary="Stop deliveries; what is queued waits"),
            Call(name="resumeEndpoint", method="POST", path=f"{one}/resume", handle=self.resume, answer="Endpoint",
                 refusals=(409,), summary="Let deliveries go on"),
        )  # fmt: skip

    async def list(self, _ask: Ask[Any, Any]) -> Reply:
        """List every endpoint."""
        return Reply({"items": [_document(one) for one in await self._subscriptions.all()]})

    async def add(self, ask: Ask[EndpointBody, Nothing]) -> Reply:
        """Subscribe a URL."""
        wish = ask.body
        endpoint = await self._subscriptions.add(
            NewEndpoint(
                url=wish.url,
                secret=wish.secret,
                is_test=wish.is_test,
                categories=tuple(dict.fromkeys(wish.categories or CATEGORIES)),
                project_id=wish.project_id,
            )
        )
        return Reply(_document(endpoint, whole_secret=True), 201)

    async def get(self, ask: Ask[Any, Nothing]) -> Reply:
        """Get an endpoint."""
        return Reply(_document(await self._find(ask.id)))

    async def edit(self, ask: Ask[EditBody, Nothing]) -> Reply:
        """Change an endpoint."""
        wish = ask.body
        changes: dict[str, Any] = {
            name: value for name, value in wish if name in wish.model_fields_set and (value or name == "project_id")
        }
        if "categories" in changes:
            changes["categories"] = tuple(dict.fromkeys(changes["categories"]))
        return Reply(_document(await self._subscriptions.edit(ask.id, **changes)))

    async def delete(self, ask: Ask[Any, Nothing]) -> Reply:
        """End a subscription; twice is once."""
        endpoint = await self._find(ask.id)
        if endpoint.status is EndpointStatus.DELETED:
            return Reply(_document(endpoint))
        return Reply(_document(await self._subscriptions.delete(ask.id)))

    async def rotate(self, ask: Ask[RotateBody, Nothing]) -> Reply:
        """Give an endpoint a new secret."""
        return Reply(_document(await self._subscriptions.rotate(ask.id, ask.body.secret), whole_secret=True))

    async def reveal(self, ask: Ask[Any, Nothing]) -> Reply:
        """Show secrets whole."""
        endpoint = await self._find(ask.id)
        return Reply({"secret": endpoint.secret, "previous_secret": endpoint.previous_secret})

    async def suspend(self, ask: Ask[Any, Nothing]) -> Reply:
        """Stop deliveries."""
        return Reply(_document(await self._subscriptions.suspend(ask.id)))

    async def resume(self, ask: Ask[Any, Nothing]) -> Reply:
        """Let deliveries go on."""
        return Reply(_document(await self._subscriptions.resume(ask.id)))

    async def _find(self, endpoint_id: str) -> Endpoint:
        for endpoint in await self._subscriptions.all():
            if endpoint.id == endpoint_id:
                return endpoint
        raise NotFound(f"there is no endpoint {endpoint_id[:64]}", code="endpoint_not_found")


def _document(endpoint: Endpoint, *, whole_secret: bool = False) -> dict[str, Any]:
    until = endpoint.previous_secret_invalid_at
    return {
        "id": endpoint.id,
        "url": endpoint.url,
        "status": endpoint.status.value,
        "is_test": endpoint.is_test,
        "categories": list(endpoint.categories),
        "project_id": endpoint.project_id,
        "secret": endpoint.secret if whole_secret else masked(endpoint.secret),
        "previous_secret_invalid_at": None if until is None else format_instant(until),
        "created_at": format_instant(endpoint.created_at),
    }


def masked(secret: str) -> str:
    """Return the end of a secret, which is all that is shown of it unasked; of a short one, less."""
    return f"…{secret[-min(SHOWN_OF_SECRET, len(secret) // 2) :]}" if len(secret) > 1 else "…"
