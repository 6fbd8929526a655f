"""The merchant's projects and API keys over HTTP; a secret is shown whole when it is new and when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from sender.domain.access import KeyKind
from sender.errors import NotFound
from sender.merchant import NAME_MAX
from sender.web.control.call import Ask, Call, Reply
from sender.web.control.endpoints import masked
from sender.web.validation import Fields, Words

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.domain.access import ApiKey, Project
    from sender.merchant import Merchant
    from sender.web.merchant.operation import Nothing


class ProjectBody(Fields):
    """A project to add."""

    name: Annotated[Words, Field(min_length=1, max_length=NAME_MAX)]


class KeyBody(Fields):
    """A key pair to add: for payments or payouts, of the sandbox or not."""

    kind: Annotated[KeyKind, Field(strict=False)]
    is_test: bool = True


class MerchantCalls:
    """Shows and adds projects and keys. ``forget`` drops what the merchant API remembers of them."""

    def __init__(self, merchant: Merchant, forget: Callable[[], None]) -> None:
        self._merchant = merchant
        self._forget = forget

    def calls(self) -> tuple[Call, ...]:
        """Return the calls."""
        return (
            Call(name="listProjects", method="GET", path="/projects", handle=self.projects, answer="Projects",
                 summary="List projects, oldest first"),
            Call(name="addProject", method="POST", path="/projects", handle=self.add_project, body=ProjectBody,
                 answer="Project", status=201, summary="Add a project"),
            Call(name="listKeys", method="GET", path="/keys", handle=self.keys, answer="Keys",
                 summary="List API keys, oldest first, with the end of each secret"),
            Call(name="addKey", method="POST", path="/keys", handle=self.add_key, body=KeyBody, answer="Key",
                 status=201, summary="Add an API key"),
            Call(name="revealKey", method="POST", path="/keys/{id}/reveal", handle=self.reveal, answer="Key",
                 summary="Show an API key with its secret whole"),
            Call(name="revokeKey", method="DELETE", path="/keys/{id}", handle=self.revoke, status=204,
                 summary="Take an API key back; requests that it signs are refused from then on"),
        )  # fmt: skip

    async def projects(self, _ask: Ask[Any, Any]) -> Reply:
        """List projects."""
        return Reply({"items": [_project(one) for one in await self._merchant.projects()]})

    async def add_project(self, ask: Ask[ProjectBody, Nothing]) -> Reply:
        """Add a project."""
        return Reply(_project(await self._merchant.add_project(ask.body.name)), 201)

    async def keys(self, _ask: Ask[Any, Any]) -> Reply:
        """List keys."""
        return Reply({"items": [_key(one) for one in await self._merchant.keys()]})

    async def add_key(self, ask: Ask[KeyBody, Nothing]) -> Reply:
        """Add a key."""
        key = await self._merchant.add_key(ask.body.kind, is_test=ask.body.is_test)
        return Reply(_key(key, whole_secret=True), 201)

    async def reveal(self, ask: Ask[Any, Nothing]) -> Reply:
        """Show a key whole."""
        for key in await self._merchant.keys():
            if key.id == ask.id:
                return Reply(_key(key, whole_secret=True))
        raise _no_key(ask.id)

    async def revoke(self, ask: Ask[Any, Nothing]) -> Reply:
        """Take a key back."""
        if not await self._merchant.revoke_key(ask.id):
            raise _no_key(ask.id)
        self._forget()
        return Reply()


def _no_key(key_id: str) -> NotFound:
    return NotFound(f"there is no API key {key_id[:64]}", code="key_not_found")


def _project(project: Project) -> dict[str, str]:
    return {"id": project.id, "name": project.name}


def _key(key: ApiKey, *, whole_secret: bool = False) -> dict[str, Any]:
    secret = key.secret if whole_secret else masked(key.secret)
    return {"id": key.id, "kind": key.kind.value, "is_test": key.is_test, "secret": secret}
