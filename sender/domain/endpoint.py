"""An endpoint: a subscribed address, its secrets, categories and optional project filter (contract §1.10)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from ipaddress import ip_address
from urllib.parse import urlsplit

from sender.durations import DAY, Duration, Instant
from sender.errors import Conflict, RequestRefused

ROTATION_WINDOW: Duration = DAY
"""How long the previous secret still signs after a rotation (contract §1.3)."""

CATEGORIES = ("invoice", "withdrawal", "payment_channel")


class EndpointStatus(StrEnum):
    """Whether an endpoint gets deliveries: suspended ones keep what is queued, deleted ones lose it."""

    ACTIVE = "active"
    SUSPENDED = "suspended"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One subscription of one environment; ``secret`` is the whole ``whsec_…`` text."""

    id: str
    url: str
    secret: str
    is_test: bool = True
    categories: tuple[str, ...] = ("invoice",)
    project_id: str | None = None
    status: EndpointStatus = EndpointStatus.ACTIVE
    previous_secret: str | None = None
    previous_secret_invalid_at: Instant | None = None
    created_at: Instant = 0

    def wants(self, event_type: str, project_id: str | None, *, is_test: bool) -> bool:
        """Tell whether this endpoint is subscribed to the event: environment, category, project.

        Withdrawal events belong to the merchant and ignore the project filter (contract §1.10).
        """
        category = category_of(event_type)
        if is_test != self.is_test or category not in self.categories:
            return False
        return category == "withdrawal" or self.project_id in {None, project_id}

    def signing_secrets(self, now: Instant) -> tuple[str, ...]:
        """Return the secrets that sign an attempt made at ``now``: current first, then the previous one."""
        if self.previous_secret is None or (self.previous_secret_invalid_at or 0) <= now:
            return (self.secret,)
        return (self.secret, self.previous_secret)

    def rotated(self, secret: str, now: Instant) -> Endpoint:
        """Return the endpoint with ``secret`` as the current one; a second rotation in the window drops the oldest."""
        return replace(
            self, secret=secret, previous_secret=self.secret, previous_secret_invalid_at=now + ROTATION_WINDOW
        )


_PRIVATE_NAMES = ("localhost", "local", "internal", "home.arpa", "test", "example", "invalid")
"""Last labels of names that no public resolver knows (RFC 6761, RFC 6762, RFC 8375)."""


MOST_ENDPOINTS = 10
"""How many a merchant may have in one environment (contract §1.10)."""
_HTTPS_PORT, _FIRST_FREE_PORT = 443, 1024


def require_registrable(endpoint: Endpoint, others: Iterable[Endpoint]) -> None:
    """Raise what the provider's dashboard would refuse an endpoint with (contract §1.10).

    ``RequestRefused`` for a URL that is not https to a public host on port 443 or from 1024 on; ``Conflict`` for the
    eleventh endpoint of an environment, and for a URL that an active one there has already. A host name is judged as it
    is written and not looked up: where it leads is known when it is called, and not before.
    """
    _require_public(endpoint.url)
    beside = [
        one
        for one in others
        if one.id != endpoint.id and one.is_test == endpoint.is_test and one.status is not EndpointStatus.DELETED
    ]
    if len(beside) >= MOST_ENDPOINTS:
        raise Conflict(f"a merchant has at most {MOST_ENDPOINTS} endpoints (--strict-endpoints)", code="endpoint_limit")
    if any(one.url == endpoint.url and one.status is EndpointStatus.ACTIVE for one in beside):
        raise Conflict("an active endpoint has this url already (--strict-endpoints)", code="endpoint_exists")


def _require_public(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https":
        raise _not_public("must be https; the provider calls nothing else")
    host = (parts.hostname or "").rstrip(".")
    if not _is_public(host):
        raise _not_public(f"must lead to a public host; the provider never calls {host or 'nobody'}")
    if parts.port not in {None, _HTTPS_PORT} and (parts.port or 0) < _FIRST_FREE_PORT:
        raise _not_public(f"must name no port, 443, or one from {_FIRST_FREE_PORT} on")


def _is_public(host: str) -> bool:
    try:
        return ip_address(host).is_global
    except ValueError:
        last = host.rpartition(".")
        return bool(last[1]) and not any(host == name or host.endswith(f".{name}") for name in _PRIVATE_NAMES)


def _not_public(message: str) -> RequestRefused:
    return RequestRefused(f"url {message} (--strict-endpoints)", code="field_invalid", field="url")


def category_of(event_type: str) -> str:
    """Return the subscription category of an event type: what stands before its first dot."""
    return event_type.partition(".")[0]
