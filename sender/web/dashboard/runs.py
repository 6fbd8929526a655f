"""The pages of scenario runs: what ships, what was played, and one run with its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sender.web.control.call import Ask
from sender.web.control.runs import RunBody, RunCalls
from sender.web.dashboard.visit import Page, Visit, done
from sender.web.merchant.operation import Nothing
from sender.web.validation import checked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sender.web.dashboard.visit import Went
    from sender.web.parts import Parts

SHOWN = frozenset({
    "step.started", "relay.died", "api.crashed", "expectation.held", "expectation.failed", "event.summed", "law.held",
    "law.broken", "run.finished",
})  # fmt: skip
"""The lines of a run that a person reads; the rest is in the control API."""
MOST = 500


class RunsPage:
    """Shows runs, starts and stops them."""

    def __init__(self, parts: Parts) -> None:
        self._runs = parts.runs
        self._calls = RunCalls(parts.runs)

    async def show(self, _visit: Visit) -> Page:
        """Show what ships and what was played."""
        runs = list(self._runs.all())
        going = any(run.state == "running" for run in runs)
        return Page("runs.html", {"stories": self._runs.stories(), "runs": runs, "poll": going})

    async def one(self, visit: Visit) -> Page:
        """Show one run as far as it has come."""
        run = self._runs.get(visit.id)
        lines = list(_readable(run.lines))
        values = {"run": run, "lines": lines[:MOST], "more": len(lines) > MOST, "poll": run.state == "running"}
        return Page("run.html", values)

    async def start(self, visit: Visit) -> Went:
        """Start a story that ships, or one that is written into the form."""
        story = visit.given("story")
        wish = checked(RunBody, {"story": story} if story else {"name": visit.given("name")})
        reply = await self._calls.start(Ask(visit.request, "", wish, Nothing()))
        return done("Started.", to=f"/runs/{reply.document['id']}")

    async def stop(self, visit: Visit) -> Went:
        """End a run."""
        await self._calls.stop(Ask(visit.request, visit.id, Nothing(), Nothing()))
        return done("Stopped.")


def _readable(lines: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    start: int | None = None
    for line in lines:
        start = line.get("virtual_time") if start is None else start
        if line.get("kind") in SHOWN:
            since = (line.get("virtual_time") or 0) - (start or 0)
            yield {**line, "since": since * 1_000_000}
