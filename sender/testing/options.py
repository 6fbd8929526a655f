"""What a simulator of a test is told, in the words that a test writes."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal

from sender.clock import parse_mode
from sender.config import RelaySettings, Settings
from sender.durations import parse_duration, parse_instant
from sender.errors import UsageError
from sender.ladderfile import load_ladder
from sender.suggest import remedy, shown

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What can be said of one simulator. The virtual time starts at ``start``, the same for every test.

    ``attempt_timeout`` is what a test really waits for a receiver that hangs; ten seconds are recorded in any case.
    ``laws`` tells whether the laws of the sender are checked at the end.
    """

    clock: str = "manual"
    seed: int = 1
    start: str = "2026-03-02T09:00:00Z"
    ladder: str = "paymos"
    attempt_timeout: str = "10s"
    signature_clock: Literal["real", "virtual"] = "real"
    database_url: str = "memory"
    laws: bool = True

    def changed(self, changes: dict[str, Any]) -> Self:
        """Return the options with some changed. Raises ``UsageError`` for one that there is not."""
        known = [field.name for field in fields(self)]
        for name in changes:
            if name not in known:
                raise UsageError(f"{shown(name)} is no option of paymos; {remedy(name, known)}")
        return replace(self, **changes)

    def settings(self) -> Settings:
        """Return them as the simulator reads them. Raises ``UsageError``, which names what cannot be read."""
        parse_mode(self.clock)
        if not isinstance(self.seed, int):
            raise UsageError(f"{shown(str(self.seed))} is no seed; write a whole number, as in seed=2")
        relay = RelaySettings(
            ladder=load_ladder(self.ladder),
            attempt_timeout=parse_duration(self.attempt_timeout),
            signature_clock=self.signature_clock,
        )
        return Settings(
            relay=relay,
            database_url=self.database_url,
            seed=self.seed,
            clock=self.clock,
            start=parse_instant(self.start),
        )
