"""Delays as people write them: a number of seconds, or text with a unit such as ``250ms`` or ``10s``."""

from __future__ import annotations

import re

from receiver_fixture.clock import MILLISECOND, SECOND, Micros
from receiver_fixture.errors import Refused

_UNITS: dict[str, Micros] = {"ms": MILLISECOND, "s": SECOND, "m": 60 * SECOND, "h": 3_600 * SECOND}
_TEXT = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(ms|s|m|h)")
_LONGEST: Micros = 24 * 3_600 * SECOND


def parse_delay(value: object) -> Micros:
    """Read ``2``, ``0.5`` (seconds) or ``"10s"``, ``"250ms"``, ``"1.5m"`` as microseconds, at most one day.

    Raises ``Refused`` for anything else.
    """
    micros = _micros(value)
    if micros is None or not 0 <= micros <= _LONGEST:
        raise Refused(
            f"{value!r} is not a delay; write seconds as a number, or text such as '10s' or '250ms', up to 24h"
        )
    return micros


def _micros(value: object) -> Micros | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        # Compared first: a NaN or an infinity cannot be rounded.
        return round(value * SECOND) if 0 <= value <= _LONGEST else None
    found = _TEXT.fullmatch(value) if isinstance(value, str) else None
    return round(float(found[1]) * _UNITS[found[2]]) if found else None
