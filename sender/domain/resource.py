"""What the dispatcher needs to know of any resource, whatever its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sender.durations import Instant


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
