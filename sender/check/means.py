"""What a run is given: where the receiver is, its secret, and what is at hand to look into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.check.need import Need
from sender.check.volley import Target

if TYPE_CHECKING:
    from sender.check.restart import Restart
    from sender.probe.looking import Probe


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What is known of the receiver: where it is, its secret, and what may be at hand to look into it.

    ``asked`` holds the paths of the requests that it made to the API, where the API is served; ``trust`` is a file of
    authorities that may vouch for it besides the public ones.
    """

    url: str
    secret: str
    probe: Probe | None = None
    restart: Restart | None = None
    retired: str | None = None
    asked: list[str] | None = None
    trust: str | None = None

    @property
    def target(self) -> Target:
        """Where requests go that are made on a connection of their own."""
        return Target(self.url, self.trust)

    def missing(self, needs: frozenset[Need]) -> list[Need]:
        """Return what is needed and not at hand."""
        there = {Need.PROBE: self.probe, Need.RESTART: self.restart, Need.RETIRED: self.retired, Need.API: self.asked}
        return sorted(need for need in needs if there[need] is None)

    def masked(self, text: str) -> str:
        """Return what came from the receiver without the secrets that it may have told."""
        for secret in filter(None, (self.secret, self.retired)):
            text = text.replace(secret, "(the webhook secret)")
        return text
