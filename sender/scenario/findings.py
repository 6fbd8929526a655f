"""One comparison of an ``expect`` step, and how its two sides are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.durations import format_duration
from sender.scenario.language.expectations import OF_EVENT, STATUSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.durations import Duration
    from sender.scenario.language.expectations import Expect

NONE = "none"
"""The word for what is not there."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One comparison, as text: what was asked, of what, what was wanted and what was found."""

    subject: str
    field: str
    wanted: str
    found: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Since:
    """A virtual duration, which is shown with its unit."""

    duration: Duration


def equal(expect: Expect, field: str, wanted: object, found: object) -> Finding:
    """Return the finding that two values are the same, as they are written."""
    left, right = shown(wanted), shown(found)
    return Finding(subject_of(expect, field), field, left, right, left == right)


def bounded(expect: Expect, field: str, found: Sequence[Duration], *, is_real: bool) -> Finding:
    """Return the finding that there are durations and each keeps the bound that ``field`` sets.

    A real duration that keeps it is shown as the bound, so that runs compare equal.
    """
    bound: Duration = getattr(expect, field)
    is_most = field.endswith("_within")
    worst = (max if is_most else min)(found, default=None)
    holds = worst is not None and (worst <= bound if is_most else worst >= bound)
    wanted = f"{'at most' if is_most else 'at least'} {format_duration(bound)}"
    if holds and is_real:
        return Finding(subject_of(expect, field), field, wanted, wanted, holds=True)
    return Finding(subject_of(expect, field), field, wanted, NONE if worst is None else format_duration(worst), holds)


def shown(value: object) -> str:
    """Return a value of an expectation as it is written in a story."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(shown, value))}]"
    if value is None:
        return NONE
    if isinstance(value, bool):
        return str(value).lower()
    return format_duration(value.duration) if isinstance(value, Since) else str(value)


def subject_of(expect: Expect, field: str) -> str:
    """Return what a field of an ``expect`` step is about, in words."""
    if field == "endpoint_status":
        return f"endpoint {expect.endpoint}" if expect.endpoint else "the endpoint"
    subject = expect.subject
    where = f" at {expect.endpoint}" if expect.endpoint else ""
    if field in OF_EVENT and subject is not None:
        return f"{expect.event} of {subject.name}{where}"
    if subject is None or STATUSES.get(field) == "channel":
        return f"channel {expect.channel}"
    return f"{subject.kind} {subject.name}{where if field == 'arrived' else ''}"
