"""An endpoint: a subscribed address, its secrets, categories and optional project filter (contract §1.10)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from sender.durations import DAY, Duration, Instant

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


def category_of(event_type: str) -> str:
    """Return the subscription category of an event type: what stands before its first dot."""
    return event_type.partition(".")[0]
