"""Calls of the control API, for the tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.api import Answer, Api


async def ask(api: Api, method: str, path: str, body: Any = None, **headers: str) -> Answer:
    """Call the control API."""
    data = b"" if body is None else json.dumps(body).encode()
    return await api.raw(
        method, f"/_sim/v1{path}", data, ({"Content-Type": "application/json"} if data else {}) | headers
    )
