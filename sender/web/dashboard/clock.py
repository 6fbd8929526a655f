"""The page of the clock: where virtual time stands, what it will bring, and buttons that move it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.durations import format_instant
from sender.store.upcoming import upcoming
from sender.web.control.call import Ask
from sender.web.control.clock import ClockCalls, ModeBody, MoveBody
from sender.web.dashboard.visit import Page, Visit, done
from sender.web.merchant.operation import Nothing
from sender.web.validation import checked

if TYPE_CHECKING:
    from sender.web.dashboard.visit import Went
    from sender.web.parts import Parts

STEPS = ("1m", "5m", "15m", "1h", "4h", "1d")
MODES = ("manual", "skip", "real", "scale:60", "scale:3600")


class ClockPage:
    """Shows the clock and moves it."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._calls = ClockCalls(parts)

    async def show(self, visit: Visit) -> Page:
        """Show where time stands and what is due next."""
        async with self._parts.database.read() as session:
            ahead = await upcoming(session, visit.now)
        return Page("clock.html", {"ahead": ahead, "steps": STEPS, "modes": MODES})

    async def move(self, visit: Visit) -> Went:
        """Move time by a duration, to an instant, until idle, or to the next deadline; all on the way has settled."""
        wish = {name: visit.given(name) for name in ("by", "to")}
        if visit.given("until") == "next":
            wish["to"] = await self._next(visit)
            if wish["to"] is None:
                return done("Nothing is due: time stands where it stood.")
        elif visit.given("until"):
            wish["until"] = "idle"
        reply = await self._calls.advance(Ask(visit.request, "", checked(MoveBody, wish), Nothing()))
        return done("It is {now} now; all on the way has settled.", now=_plain(reply.document["now"]))

    async def set_mode(self, visit: Visit) -> Went:
        """Let time go on in another mode."""
        mode = checked(ModeBody, {"mode": visit.given("mode") or ""})
        await self._calls.set_mode(Ask(visit.request, "", mode, Nothing()))
        return done("The clock runs in mode {mode}.", mode=mode.mode)

    async def _next(self, visit: Visit) -> str | None:
        async with self._parts.database.read() as session:
            ahead = await upcoming(session, visit.now)
        at = next((one.at for one in ahead if one.at > visit.now and not one.waits), None)
        return None if at is None else format_instant(at)


def _plain(text: str) -> str:
    return text.partition(".")[0].replace("T", " ").removesuffix("Z")
