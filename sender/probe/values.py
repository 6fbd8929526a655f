"""From what a receiver answers to what is seen: counts that are written as numbers, lists or truth, and statuses."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from sender.errors import NotAvailable
from sender.probe.looking import Sighting
from sender.suggest import shown

if TYPE_CHECKING:
    from collections.abc import Callable

_WHOLE = re.compile(r"[0-9]{1,9}")
_MOST = 10**9


def sighting(count: object, status: object, asked: Callable[[], str]) -> Sighting:
    """Return what is seen. Raises ``NotAvailable`` that begins with ``asked`` where the count is none."""
    number = _count(count)
    if number is None:
        message = f"{asked()}: {shown(str(count))} is not a count of fulfilments; a whole number, true or a list is one"
        raise NotAvailable(message)
    return Sighting(number, None if status is None else str(status)[:200])


def _count(value: object) -> int | None:
    """Return a value as a count: nothing is none, truth is one, a list has its length."""
    if value is None:
        return 0
    if isinstance(value, list | tuple | dict):
        return len(value)
    if isinstance(value, str):
        return int(value) if _WHOLE.fullmatch(value.strip()) else None
    # Databases sum to decimals, JSON knows but one kind of number; False and True are 0 and 1.
    if not isinstance(value, int | float | Decimal) or not 0 <= value <= _MOST:
        return None
    return int(value) if value == int(value) else None
