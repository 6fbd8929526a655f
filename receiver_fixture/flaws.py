"""The named ways in which this receiver can be made wrong; there is none yet.

Each wrong receiver is the right one with one switch, so the set is part of the settings from the start and whoever
reads ``/_stats`` can see which receiver answered.
"""

from __future__ import annotations

from enum import StrEnum


class Flaw(StrEnum):
    """One way to be wrong, by its name."""


Flaws = frozenset[Flaw]

NO_FLAWS: Flaws = frozenset()
