"""Steps that a person takes in the provider's dashboard: endpoints, secrets, resending (contract §1.3, §1.7, §1.10)."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field, model_validator

from sender.scenario.language.part import Part
from sender.scenario.language.subject import AboutEvents
from sender.scenario.language.values import Category, EventType, Many, Name, Project, Secret, Url

DEFAULT_ENDPOINT = "default"
"""The name of the endpoint that a scenario has when it lists none."""

_ENDPOINT = "The endpoint, by its name; may be left out where there is only one."


class Endpoint(Part):
    """Subscribes an address to events."""

    example: ClassVar[str] = "endpoint: {as: shop, categories: [invoice]}"

    name: Name = Field(alias="as", description="The name by which steps mean this endpoint.")
    url: Url | None = Field(
        None, description="The address; that of the receiver under test when left out. ${env:NAME} is filled in."
    )
    secret: Secret | None = Field(
        None, description="The webhook secret; made up when left out. ${env:NAME} is filled in."
    )
    categories: Many[Category] | None = Field(None, min_length=1, description="What is sent there; all when left out.")
    project: Project | None = Field(None, description="Only what belongs to this project, prj_…; all when left out.")


class Edit(Part):
    """Changes an endpoint; the next attempt of what is queued already goes by the new values."""

    example: ClassVar[str] = "edit: {endpoint: default, url: http://127.0.0.1:8000/webhook}"

    endpoint: Name | None = Field(None, description=_ENDPOINT)
    url: Url | None = Field(None, description="The new address. ${env:NAME} is filled in.")
    categories: Many[Category] | None = Field(None, min_length=1, description="What is sent there from now on.")
    project: Project | None = Field(None, description="The only project whose events are sent there from now on.")

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.url is None and self.categories is None and self.project is None:
            raise ValueError("nothing is changed; name url, categories or project")
        return self


class _OfEndpoint(Part):
    endpoint: Name | None = Field(None, description=_ENDPOINT)
    bare: ClassVar[bool] = True


class Suspend(_OfEndpoint):
    """Suspends an endpoint: nothing new is queued for it, and what is queued waits."""

    example: ClassVar[str] = "suspend: {endpoint: default}"


class Resume(_OfEndpoint):
    """Lets a suspended endpoint go on."""

    example: ClassVar[str] = "resume: {endpoint: default}"


class Delete(_OfEndpoint):
    """Deletes an endpoint: what is queued for it is cancelled, its attempts stay readable."""

    example: ClassVar[str] = "delete: {endpoint: default}"


class RotateSecret(_OfEndpoint):
    """Gives an endpoint a new secret. For 24 hours deliveries are signed with both."""

    example: ClassVar[str] = "rotate_secret: {endpoint: default}"


class Resend(AboutEvents):
    """Sends an event once more, as support does from the dashboard: same id, same bytes, a fresh signature.

    Where there is only one resource that such an event tells of, it need not be named.
    """

    example: ClassVar[str] = "resend: {invoice: order, event: invoice.paid}"

    event: EventType = Field(description="Which event; the last of that type.")
    endpoint: Name | None = Field(None, description="Only the copy for this endpoint; every endpoint's when left out.")
