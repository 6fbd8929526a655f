"""The provider's two signatures: one of webhooks (hexadecimal), one of API requests (base64)."""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def webhook_signature(body: bytes, secret: str, timestamp: int) -> str:
    """Return the ``v1`` value of a delivery: lowercase hexadecimal HMAC-SHA256 (contract §1.2).

    What is signed is the decimal Unix seconds of the attempt, a dot and the body as it goes on the wire; the key is the
    whole secret with its ``whsec_`` prefix.
    """
    return hmac.digest(secret.encode(), b"%d.%b" % (timestamp, body), "sha256").hex()


def webhook_header(body: bytes, secrets: Sequence[str], timestamp: int) -> str:
    """Return the value of ``X-Webhook-Signature``: one ``t`` and a ``v1`` for each secret, in the order given.

    During a rotation there are two secrets, the current one first (contract §1.3).
    """
    values = "".join(f",v1={webhook_signature(body, secret, timestamp)}" for secret in secrets)
    return f"t={timestamp}{values}"


def request_signature(secret: str, *, timestamp: str, method: str, path: str, query: str, body: bytes) -> str:
    """Return the signature of an API request: base64 HMAC-SHA256 of the canonical string (contract §5.1)."""
    canonical = canonical_request(timestamp=timestamp, method=method, path=path, query=query, body=body)
    return base64.b64encode(hmac.digest(secret.encode(), canonical, "sha256")).decode()


def canonical_request(*, timestamp: str, method: str, path: str, query: str, body: bytes) -> bytes:
    """Return what an API request signs: five lines joined by a line feed.

    ``path`` and ``query`` are taken as they were sent, ``query`` with its question mark or empty.
    """
    lines = (timestamp, method.upper(), path, query, body_hash(body))
    return "\n".join(lines).encode("utf-8", "surrogateescape")  # a server reads bytes that are not UTF-8 that way


def body_hash(body: bytes) -> str:
    """Return the hexadecimal SHA-256 of a body; nothing, not the hash of nothing, for an empty one."""
    return hashlib.sha256(body).hexdigest() if body else ""
