"""What a receiver is told once, at its start."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from receiver_fixture.errors import CannotStart
from receiver_fixture.flaws import NO_FLAWS, Flaws

if TYPE_CHECKING:
    from receiver_fixture.clock import Micros

_HIGHEST_PORT = 65_535


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Where to listen, whom to believe, where to write.

    ``port`` 0 takes a free one; ``database`` is a file, ``:memory:`` or ``postgresql://…``; ``tolerance`` is in
    seconds, both ways and inclusive (contract §1.4); ``apply_delay`` in microseconds holds back the background
    application. ``flaws`` make it wrong in one named way, ``flaw_delay`` is how long that keeps a gap open, ``retired``
    are secrets that only one of the flaws still believes. Secrets and the database URL stay out of ``repr``.

    Raises ``CannotStart`` for values that cannot be used.
    """

    secrets: tuple[str, ...] = field(repr=False)
    host: str = "127.0.0.1"
    port: int = 0
    path: str = "/webhook"
    database: str = field(default=":memory:", repr=False)
    tolerance: int = 300
    apply_delay: Micros = 0
    flaws: Flaws = NO_FLAWS
    flaw_delay: Micros | None = None
    retired: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        for holds, complaint in self._checks():
            if not holds:
                raise CannotStart(complaint)

    def _checks(self) -> list[tuple[bool, str]]:
        usable = bool(self.secrets) and all(secret.strip() for secret in self.secrets)
        port_exists = 0 <= self.port <= _HIGHEST_PORT
        fixed_path = self.path.startswith("/") and not {"{", "}", "?", "#"} & set(self.path)
        return [
            (usable, "the receiver needs a webhook secret: give --secret or RECEIVER_SECRET"),
            (port_exists, f"port {self.port} does not exist; use 0 for a free one, or 1 to {_HIGHEST_PORT}"),
            (fixed_path, f"path {self.path!r} cannot be used; it starts with / and has none of {{ }} ? #"),
            (self.tolerance >= 0, f"tolerance {self.tolerance} is negative; give 0 or more seconds"),
            (len(self.flaws) <= 1, "a receiver has one flaw at most, so that it is known what is found"),
            (self.apply_delay >= 0, f"apply delay {self.apply_delay} is negative; give 0 or more"),
        ]
