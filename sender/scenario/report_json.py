"""The stream of a run as JSON, one object a line.

Instants become Unix seconds: whole numbers where they are whole. Durations become milliseconds, and say so by name.
Of one seed all lines repeat, but for ``duration_ms``, ``elapsed_ms``, ``detail`` and ``receiver``.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from sender.durations import MILLISECOND, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.scenario.events import RunEvent

_INSTANTS = frozenset({"virtual_time", "due_at", "started_at", "finished_at", "next_due_at"})
_DURATIONS = {"duration": "duration_ms", "elapsed": "elapsed_ms"}


class JsonReport:
    """A listener that writes each event as a line."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write

    def __call__(self, event: RunEvent) -> None:
        self._write(json.dumps(as_document(event)) + "\n")


def as_document(event: RunEvent) -> dict[str, Any]:
    """Return an event as it is written."""
    document: dict[str, Any] = {"kind": event.kind}
    for one in fields(event):
        value = getattr(event, one.name)
        if one.name in _INSTANTS:
            value = None if value is None else _in_units(value, SECOND)
        if one.name in _DURATIONS:
            value = _in_units(value, MILLISECOND)
        document[_DURATIONS.get(one.name, one.name)] = value
    return document


def _in_units(value: int, unit: int) -> int | float:
    whole, rest = divmod(value, unit)
    return value / unit if rest else whole
