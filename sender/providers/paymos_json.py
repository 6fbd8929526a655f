"""Members of the bodies of Paymos: absent instead of ``null``, instants as whole Unix seconds (contract §3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sender.durations import SECOND, Instant

if TYPE_CHECKING:
    from decimal import Decimal

Json = dict[str, Any]


def put(document: Json, key: str, value: str | None) -> None:
    """Add a member, unless it has no value."""
    if value is not None:
        document[key] = value


def put_instant(document: Json, key: str, instant: Instant | None) -> None:
    """Add an instant in Unix seconds, unless there is none."""
    if instant is not None:
        document[key] = instant // SECOND


def number(percent: Decimal) -> int | float:
    """Return a percentage as JSON has it: ``1``, ``1.5``. Money is never written so."""
    return int(percent) if percent == percent.to_integral_value() else float(percent)
