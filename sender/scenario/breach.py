"""What a law is, and where it does not hold."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sender.scenario.evidence import Evidence
    from sender.store.reads import EventView


@dataclass(frozen=True, slots=True)
class Breach:
    """Where a law does not hold: the event, order or invoice, and what was found."""

    subject: str
    detail: str


class Witness(StrEnum):
    """Who can tell whether a law holds: the sender's own records, the reference receiver, or a probe of another."""

    SENDER = "sender"
    RECEIVER = "receiver"
    PROBE = "probe"


@dataclass(frozen=True, slots=True)
class Law:
    """One law: its name, what it says in a sentence, and what finds its breaches."""

    name: str
    says: str
    breaches: Callable[[Evidence], Iterator[Breach]]
    witness: Witness = Witness.SENDER


def breach(event: EventView, detail: str) -> Breach:
    """Return a breach that shows at an event."""
    return Breach(f"{event.event_type} {event.event_id}", detail)


def times(number: int) -> str:
    """Return how often, in words."""
    return "once" if number == 1 else f"{number} times"
