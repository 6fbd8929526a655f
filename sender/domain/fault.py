"""Faults that are armed: which delivery or command they wait for, and how often they still strike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class FaultMatch:
    """What a fault waits for; a part that is ``None`` matches everything.

    ``attempt`` is the number the attempt will be recorded under, from 1.
    """

    event_type: str | None = None
    event_id: str | None = None
    endpoint_id: str | None = None
    attempt: int | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """One armed fault: a crash at a point, or a wire fault by name with its fields."""

    kind: Literal["crash", "wire"]
    name: str
    match: FaultMatch = FaultMatch()
    params: Mapping[str, str] = field(default_factory=dict)
    remaining: int = 1
    id: int = 0

    def strikes(self, event_type: str | None, event_id: str, endpoint_id: str, attempt: int) -> bool:
        """Tell whether this fault is for the attempt at hand."""
        wanted = self.match
        return (
            wanted.event_type in {None, event_type}
            and wanted.event_id in {None, event_id}
            and wanted.endpoint_id in {None, endpoint_id}
            and wanted.attempt in {None, attempt}
        )
