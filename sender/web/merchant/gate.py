"""Who asks: API keys and the signature of requests, byte for byte as contract §5.1 has it."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.domain.signature import request_signature
from sender.durations import MINUTE, SECOND
from sender.errors import Forbidden
from sender.store import access
from sender.web.merchant.kept import Kept
from sender.web.reading import target_of
from sender.web.refusals import Unauthorized

if TYPE_CHECKING:
    from aiohttp import web

    from sender.clock import Clock
    from sender.domain.access import ApiKey
    from sender.store.engine import Database

FRESHNESS = 5 * MINUTE
"""How far the timestamp of a request may be from real time, either way (contract §5.1)."""

_CREDENTIALS = re.compile(r"HMAC-SHA256 ([A-Za-z0-9_]{1,128}):([A-Za-z0-9+/]+={0,2})")
_TIMESTAMP = re.compile(r"[0-9]{1,12}")
_NOBODY = "sk_test_nobody"


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose key signed a request: what the key is for, and in which environment."""

    key_id: str
    kinds: frozenset[str]
    is_test: bool

    def require(self, kind: str | None, *, sandbox: bool) -> None:
        """Raise ``Forbidden`` for a key of the wrong kind, and for a live key where only the sandbox is."""
        if kind is not None and kind not in self.kinds:
            raise Forbidden(f"this operation takes a {kind} key", code=f"{kind}_key_required")
        if sandbox and not self.is_test:
            raise Forbidden("this operation takes a test key; nothing is simulated in production", code="not_sandbox")


EVERYBODY = Caller("", frozenset({"payment", "payout"}), is_test=True)
"""Who asks when nobody is asked who he is."""


class Gate:
    """Finds out who signed a request; ``keys`` are those that were found a moment ago."""

    def __init__(self, database: Database, clock: Clock, keys: Kept[ApiKey] | None = None) -> None:
        self._database = database
        self._clock = clock
        self._keys = keys or Kept(clock)

    async def admit(self, request: web.Request, body: bytes) -> Caller:
        """Return the caller. Raises ``Unauthorized``; what is wrong, the key or the signature, is not told apart."""
        key_id, signature, timestamp = _credentials(request)
        self._require_fresh(timestamp)
        key = await self._keys.get(key_id, lambda: self._find(key_id))
        path, query = target_of(request)
        expected = request_signature(
            _NOBODY if key is None else key.secret,
            timestamp=timestamp, method=request.method, path=path, query=query, body=body,
        )  # fmt: skip
        if not hmac.compare_digest(expected, signature) or key is None:
            raise Unauthorized("the API key is not known or the signature does not match", code="invalid_signature")
        return Caller(key.id, frozenset({key.kind}), key.is_test)

    async def _find(self, key_id: str) -> ApiKey | None:
        async with self._database.read() as session:
            return await access.find_key(session, key_id)

    def _require_fresh(self, timestamp: str) -> None:
        real = self._clock.real_now()
        if abs(int(timestamp) * SECOND - real) > FRESHNESS:
            raise Unauthorized(
                f"X-Request-Timestamp is more than 5 minutes from the time here, which is {real // SECOND}",
                code="timestamp_out_of_range",
            )


def _credentials(request: web.Request) -> tuple[str, str, str]:
    header, timestamp = _single(request, "Authorization"), _single(request, "X-Request-Timestamp")
    found = _CREDENTIALS.fullmatch(header)
    if found is None:
        raise Unauthorized("Authorization must be HMAC-SHA256, a space, the key id, a colon, the signature in base64")
    if not _TIMESTAMP.fullmatch(timestamp):
        raise Unauthorized("X-Request-Timestamp must be Unix seconds, in digits")
    return found[1], found[2], timestamp


def _single(request: web.Request, name: str) -> str:
    values = request.headers.getall(name, [])
    if len(values) != 1:
        raise Unauthorized(f"the header {name} is {'missing' if not values else 'there more than once'}")
    return values[0]
