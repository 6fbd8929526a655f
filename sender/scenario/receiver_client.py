"""Talks to the reference receiver over its control interface: how it answers, whom it believes, what it received.

By ``http.client`` in a thread: a handful of small calls a story, for which a story with relays in children would else
import a whole HTTP client.
"""

from __future__ import annotations

import asyncio
import json
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from sender.errors import NotAvailable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PATIENCE = 30.0
"""Real seconds that the receiver gets for one answer."""

_NOT_FOUND = 404
_FIRST_ERROR = 400


class ReceiverClient:
    """One reference receiver, by the URL of its webhook. Every call raises ``NotAvailable`` when it does not answer."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._authority = urlsplit(url).netloc

    async def trust(self, secrets: Sequence[str]) -> None:
        """Let it accept these webhook secrets and no others."""
        await self._call("POST", "/_secrets", {"secrets": list(secrets)})

    async def script(self, script: Mapping[str, Any]) -> None:
        """Queue one scripted answer."""
        await self._call("POST", "/_script", script)

    async def forget_scripts(self) -> None:
        """Let it answer as it would."""
        await self._call("DELETE", "/_script")

    async def reset(self) -> None:
        """Let it forget every event, order and script."""
        await self._call("POST", "/_reset")

    async def idle(self) -> None:
        """Return once everything that it received has been applied."""
        await self._call("GET", "/_idle")

    async def received(self) -> dict[str, dict[str, Any]]:
        """Return what it received and applied, by event id."""
        answer = await self._call("GET", "/received")
        return {one["event_id"]: one for one in answer["received"]}

    async def order(self, external_id: str) -> dict[str, Any] | None:
        """Return an order as the merchant sees it, if any event of it has been applied."""
        answer: dict[str, Any] | None = await self._call("GET", f"/orders/{quote(external_id, safe='')}")
        return answer

    async def orders(self) -> list[dict[str, Any]]:
        """Return every order."""
        answer: list[dict[str, Any]] = (await self._call("GET", "/orders"))["orders"]
        return answer

    async def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        return await asyncio.get_running_loop().run_in_executor(None, self._exchange, method, path, body)

    def _exchange(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        connection = HTTPConnection(self._authority, timeout=PATIENCE)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, HTTPException) as error:
            message = f"the reference receiver does not answer {method} {path}: {str(error) or type(error).__name__}"
            raise NotAvailable(message) from None
        finally:
            connection.close()
        if answer.status == _NOT_FOUND:
            return None
        if answer.status >= _FIRST_ERROR:
            said = text.decode(errors="replace")
            message = f"the reference receiver refuses {method} {path}: {said}"
            raise NotAvailable(message)
        return json.loads(text) if text else None
