"""Begins again: nothing that was sent before a reset arrives after it.

Deliveries at rest are called off, those in flight are waited for, and what does not come home in time dies with its
relay. Only then is everything cleared, in one transaction that finds no delivery in anybody's hands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, get_args

from sender.clock import start_timeline
from sender.durations import SECOND
from sender.errors import UsageError
from sender.store import clearing, world

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection
    from contextlib import AbstractAsyncContextManager

    from sender.config import Settings
    from sender.durations import Duration
    from sender.runtime import Runtime
    from sender.store.engine import Database, Session

Scope: TypeAlias = Literal["state", "faults", "clock", "endpoints", "merchant"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
USUAL: frozenset[Scope] = frozenset({"state", "faults"})
"""What is cleared when nobody says: what a test made, and not what it was set up with."""

GLANCE = 0.02
"""Real seconds between two looks at what is still in flight."""


class Standing(Protocol):
    """Whoever moves time, and can be made to wait; see ``sender.conductor``."""

    def holding(self) -> AbstractAsyncContextManager[None]:
        """Keep time from being moved."""


@dataclass(frozen=True, slots=True)
class Cleared:
    """What a reset found in flight: how many deliveries came home, and how many were dropped with their relay."""

    waited_for: int
    dropped: int


class Resetting:
    """Resets one simulator. ``restart`` kills relays and starts them again; ``wake`` tells everybody to look."""

    def __init__(
        self,
        runtime: Runtime,
        database: Database,
        settings: Settings,
        *,
        conductor: Standing,
        restart: Callable[[], Awaitable[None]],
        wake: Callable[[], None],
    ) -> None:
        self._clock = runtime.clock
        self._database = database
        self._settings = settings
        self._conductor = conductor
        self._restart = restart
        self._wake = wake

    async def reset(self, scopes: Collection[Scope] = USUAL, patience: Duration | None = None) -> Cleared:
        """Clear the scopes; deliveries in flight get ``patience`` of real time, or as long as an attempt may last.

        Raises ``UsageError`` for ``clock`` or ``endpoints`` without ``state``: what is on record would lie in the
        future, or belong to nobody.
        """
        _require_sense(scopes)
        wait = self._settings.relay.attempt_timeout + SECOND if patience is None else patience
        deadline = self._clock.monotonic() + wait
        most = dropped = 0
        async with self._conductor.holding():
            while left := await self._cleared_or_left(scopes):
                most = max(most, left)
                if self._clock.monotonic() >= deadline:
                    dropped += await self._drop()
                await self._clock.sleep(GLANCE)
        self._wake()
        return Cleared(max(most - dropped, 0), dropped)

    async def _cleared_or_left(self, scopes: Collection[Scope]) -> int:
        """Clear the scopes, or return how many deliveries are still in flight."""
        async with self._database.write() as session:
            left = await clearing.call_off(session) if "state" in scopes else 0
            if not left:
                await self._clear(session, scopes)
        return left

    async def _drop(self) -> int:
        """Take everything from the relays, and end them before they can send more; return how much it was."""
        async with self._database.write() as session:
            count = await clearing.take_away(session)
        await self._restart()
        return count

    async def _clear(self, session: Session, scopes: Collection[Scope]) -> None:
        if "state" in scopes:
            await clearing.clear_state(session)
        if "faults" in scopes:
            await clearing.clear_faults(session)
        if "endpoints" in scopes:
            await clearing.clear_endpoints(session)
        if "merchant" in scopes:
            await clearing.clear_access(session)
        if "clock" in scopes:
            settings = self._settings
            start = start_timeline(settings.clock, self._clock.real_now(), settings.start)
            await world.write_timeline(session, start)
        await world.revise(session)


def _require_sense(scopes: Collection[Scope]) -> None:
    for scope in ("clock", "endpoints"):
        if scope in scopes and "state" not in scopes:
            raise UsageError(f"the scope {scope} needs the scope state beside it: what is on record refers to it")
