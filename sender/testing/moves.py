"""How a test moves time, which stands still otherwise."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from sender.durations import Duration, Instant, parse_duration, parse_instant
from sender.errors import UsageError
from sender.store import reads
from sender.testing.stage import Stage, id_of
from sender.testing.thread import hops

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from sender.store.engine import Session

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Moves(Stage):
    """Virtual time."""

    @hops
    async def now(self) -> datetime:
        """Return the virtual time, in UTC."""
        return _moment(await self._simulator.now())

    @hops
    async def advance(
        self,
        /,
        by: str | timedelta | None = None,
        *,
        to: str | datetime | None = None,
        until: Literal["idle", "delivered"] | None = None,
        about: Any = None,
        **units: float,
    ) -> datetime:
        """Move time from deadline to deadline; everything on the way happens and settles. Return where it stands.

        Say how far in one way: ``"16h3m"``, ``hours=16``, a timedelta, ``to`` an instant, or ``until`` nothing is
        pending any more; with ``about``, until that resource's deliveries are settled.
        """
        ways = [by is not None, to is not None, until is not None or about is not None, bool(units)]
        if sum(ways) != 1:
            raise UsageError('say in one way how far time moves, as in advance(hours=16) or advance(until="idle")')
        await self._settle()
        await self._play.through_deaths(await self._way(by, to, about, units, until_idle=ways[2]))
        await self._settle()
        return _moment(await self._simulator.now())

    async def _way(
        self, by: Any, to: Any, about: Any, units: dict[str, float], *, until_idle: bool
    ) -> Callable[[], Coroutine[Any, Any, Instant]]:
        conductor = self._simulator.conductor
        if until_idle:
            return conductor.advance_until_idle if about is None else partial(conductor.advance_until, _settled(about))
        # To an instant in each case: a move that is interrupted goes on from where it stands.
        target = _instant(to) if to is not None else await self._simulator.now() + _length(by, units)
        return partial(conductor.advance_to, target)


def _settled(about: Any) -> Callable[[Session], Coroutine[Any, Any, bool]]:
    async def done(session: Session) -> bool:
        return not any(one.state == "pending" for one in await reads.events(session, id_of(about)))

    return done


def _length(by: str | timedelta | None, units: dict[str, float]) -> Duration:
    if isinstance(by, str):
        return parse_duration(by)
    try:
        return (timedelta(**units) if by is None else by) // _MICROSECOND
    except TypeError:
        raise UsageError(f"{', '.join(units)}: time is moved by days, hours, minutes or seconds") from None


def _instant(to: str | datetime) -> Instant:
    if isinstance(to, str):
        return parse_instant(to)
    if to.tzinfo is None:
        raise UsageError("a datetime without a zone is no instant; give it one, as in datetime(…, tzinfo=UTC)")
    return (to - _EPOCH) // _MICROSECOND


def _moment(instant: Instant) -> datetime:
    return _EPOCH + instant * _MICROSECOND
