"""What every list asks of its filters before a database is asked anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.domain.text import can_travel
from sender.durations import SECOND
from sender.errors import RequestRefused

if TYPE_CHECKING:
    from sender.durations import Instant

DEFAULT_LIMIT = 50
"""How long a page is when nobody says; the provider's own default is not published (contract §5.5)."""
LIMITS = range(1, 101)

_LAST_SECOND = 2**63 // SECOND - 2


def check_limit(limit: int) -> None:
    """Raise ``RequestRefused`` for a page of no resources, or of more than 100."""
    if limit not in LIMITS:
        raise filter_refused(f"limit is {limit}; it goes from {LIMITS.start} to {LIMITS.stop - 1}", "limit")


def check_filter(text: str | None, field: str) -> None:
    """Raise ``RequestRefused`` for text that no database can be asked for."""
    if text is not None and not can_travel(text):
        raise filter_refused(f"{field} holds a NUL or half a surrogate pair; neither is text", field)


def whole_second(instant: Instant) -> Instant:
    """Return the beginning of the second of an instant, within what 64 bits hold."""
    return min(max(instant // SECOND, 0), _LAST_SECOND) * SECOND


def filter_refused(message: str, field: str) -> RequestRefused:
    """Return the refusal of a filter."""
    return RequestRefused(message, code="field_invalid", field=field)
