"""What events are about: an invoice, a withdrawal or a deposit, by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

from pydantic import Field, model_validator

from sender.scenario.language.part import Part
from sender.scenario.language.values import EVENTS_OF, EventType, Name

if TYPE_CHECKING:
    from collections.abc import Iterable

KINDS = ("invoice", "withdrawal", "deposit")


class Subject(NamedTuple):
    """A resource of the story: its kind, and its name."""

    kind: str
    name: str


class AboutEvents(Part):
    """A step that is about events of one resource, or of one type, or both."""

    invoice: Name | None = Field(None, description="The invoice that the event tells of, by its name.")
    withdrawal: Name | None = Field(None, description="The withdrawal that the event tells of, by its name.")
    deposit: Name | None = Field(None, description="The deposit that the event tells of, by its name.")
    event: EventType | None = Field(None, description="The type of the event.")

    @property
    def subject(self) -> Subject | None:
        """The resource that is named, if one is."""
        return next((Subject(kind, name) for kind in KINDS if (name := getattr(self, kind)) is not None), None)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        named = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(named) > 1:
            raise ValueError(f"{' and '.join(named)} are too many; an event is about one of them")
        if named and self.event is not None:
            require_event_of(named[0], [self.event])
        return self


def require_event_of(kind: str, events: Iterable[str]) -> None:
    """Raise ``ValueError`` for an event that tells of another kind of resource."""
    for event in events:
        if event not in EVENTS_OF[kind]:
            raise ValueError(f"{event} is about {with_article(kind_of(event))} and not {with_article(kind)}")


def kind_of(event: str) -> str:
    """Return the kind of resource that an event tells of."""
    return next(kind for kind, events in EVENTS_OF.items() if event in events)


def with_article(kind: str) -> str:
    """Return a kind as a sentence has it: an invoice, a withdrawal."""
    return f"an {kind}" if kind[:1] in "aeio" else f"a {kind}"
