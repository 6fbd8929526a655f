"""What the dispatcher needs to know of any resource, whatever its kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from sender.durations import Instant

R = TypeVar("R")


class Wanted(NamedTuple):
    """What names a resource for the merchant that made it: kind, project, its own id, and the environment.

    The id is unique within the project, not within the environment (contract §5.4).
    """

    kind: str
    project_id: str
    external_id: str
    is_test: bool


@dataclass(frozen=True, slots=True)
class Transition(Generic[R]):
    """What a command made of a resource; without an ``event_type`` it is silent. ``note`` says what happened."""

    resource: R
    event_type: str | None
    note: str


class Resource(Protocol):
    """An invoice, a withdrawal, a payment channel or a deposit: frozen, replaced at each transition."""

    @property
    def kind(self) -> str:
        """The word that names the kind in the store."""

    @property
    def id(self) -> str:
        """The public id."""

    @property
    def project_id(self) -> str:
        """The project, or an empty text for what belongs to the merchant."""

    @property
    def external_id(self) -> str:
        """The merchant's own id, unique within the project."""

    @property
    def is_test(self) -> bool:
        """Whether it lives in the sandbox."""

    @property
    def status(self) -> str:
        """The status as it is shown."""

    @property
    def created_at(self) -> Instant:
        """When it was created."""

    @property
    def updated_at(self) -> Instant:
        """When it last changed."""

    @property
    def deadline_at(self) -> Instant | None:
        """When time alone changes it, if it does."""
