"""How the fields of wire faults are read from text; ``ValueError`` and ``UsageError`` say what would be right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sender.durations import MINUTE, SECOND, format_duration, parse_duration
from sender.suggest import remedy, shown

if TYPE_CHECKING:
    from sender.durations import Duration

MOST_COPIES = 100
LONGEST_PAUSE: Duration = MINUTE // 2
"""The conductor gives up where nothing settles for a minute of real time."""
SAME = "same"
IDS = (SAME, "new")


def copies(text: str) -> int:
    """Read how many copies are sent."""
    if not re.fullmatch("[0-9]{1,3}", text) or not 1 <= int(text) <= MOST_COPIES:
        raise ValueError(f"{text[:20]!r} is not a whole number from 1 to {MOST_COPIES}")
    return int(text)


def ids(text: str) -> str:
    """Read whether copies keep their id."""
    if text not in IDS:
        raise ValueError(f"{shown(text)} is neither same nor new; {remedy(text, IDS)}")
    return text


def pause(text: str) -> Duration:
    """Read a wait in real time."""
    wait = parse_duration(text)
    if wait > LONGEST_PAUSE:
        raise ValueError(f"{shown(text)} of real time is too long; at most {format_duration(LONGEST_PAUSE)} is right")
    return wait


def age(text: str) -> Duration:
    """Read how old a timestamp is, in whole seconds; a minus says that it lies in the future."""
    size = parse_duration(text.removeprefix("-"))
    if size == 0 or size % SECOND:
        raise ValueError(
            f"{shown(text)} is no age of a timestamp; write whole seconds, as in 10m, or -10m for the future"
        )
    return -size if text.startswith("-") else size


def header(text: str) -> str:
    """Read the name of a header."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]{0,63}", text):
        raise ValueError(f"{shown(text)} is not the name of a header; write it as in X-Webhook-Signature")
    return text
