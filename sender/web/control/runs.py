"""Scenario runs over HTTP: start, follow, read the report, stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from sender.durations import format_instant
from sender.web.control.call import Ask, Call, Reply
from sender.web.control.documents import instant
from sender.web.control.events import Word
from sender.web.query import Query, digits
from sender.web.refusals import Flaw, Invalid
from sender.web.validation import Fields, Text

if TYPE_CHECKING:
    from sender.web.merchant.operation import Nothing
    from sender.web.parts import Run, Runs

LONGEST_STORY = 256 * 1024
PAGE = 500


class RunBody(Fields):
    """What is played: a story that ships, by its name, or one that is given as YAML."""

    name: Word | None = None
    story: Annotated[Text, Field(min_length=1, max_length=LONGEST_STORY)] | None = None


class LinesQuery(Query):
    """Which lines of a run are read: those after the first ``after``; ``wait`` is in real seconds."""

    after: Annotated[int, Field(ge=0), digits] = 0
    wait: Annotated[int, Field(ge=0, le=30), digits] = 0


class RunCalls:
    """Plays stories beside the simulator, each in processes and a database of its own."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    def calls(self) -> tuple[Call, ...]:
        """Return the calls."""
        return (
            Call(name="listStories", method="GET", path="/stories", handle=self.stories, answer="Stories",
                 summary="List the stories that ship"),
            Call(name="listRuns", method="GET", path="/runs", handle=self.list, answer="Runs",
                 summary="List runs, newest first"),
            Call(name="startRun", method="POST", path="/runs", handle=self.start, body=RunBody, answer="Run",
                 status=201, refusals=(404, 409), summary="Play a story in processes of its own"),
            Call(name="getRun", method="GET", path="/runs/{id}", handle=self.get, answer="Run",
                 summary="Get a run; its report when it has ended"),
            Call(name="followRun", method="GET", path="/runs/{id}/lines", handle=self.lines, query=LinesQuery,
                 answer="RunLines", summary="Read what a run has told, waiting for more where that is asked for"),
            Call(name="stopRun", method="DELETE", path="/runs/{id}", handle=self.stop, answer="Run",
                 summary="End a run; twice is once"),
        )  # fmt: skip

    async def stories(self, _ask: Ask[Any, Any]) -> Reply:
        """List what ships."""
        return Reply({"items": self._runs.stories()})

    async def list(self, _ask: Ask[Any, Any]) -> Reply:
        """List runs without their reports."""
        return Reply({"items": [_document(run) for run in self._runs.all()]})

    async def start(self, ask: Ask[RunBody, Nothing]) -> Reply:
        """Start a run."""
        if (ask.body.name is None) == (ask.body.story is None):
            raise Invalid([Flaw("validation_failed", "", "write the name of a story, or a story")])
        return Reply(_document(await self._runs.start(name=ask.body.name, story=ask.body.story)), 201)

    async def get(self, ask: Ask[Any, Nothing]) -> Reply:
        """Get a run."""
        return Reply(_document(self._runs.get(ask.id), whole=True))

    async def lines(self, ask: Ask[Any, LinesQuery]) -> Reply:
        """Read lines."""
        query = ask.query
        run = await self._runs.follow(ask.id, query.after, query.wait)
        items = run.lines[query.after : query.after + PAGE]
        following = query.after + len(items)
        ended = run.state != "running" and following >= len(run.lines)
        return Reply({"items": items, "next_after": following, "state": run.state, "ended": ended})

    async def stop(self, ask: Ask[Any, Nothing]) -> Reply:
        """Stop a run."""
        return Reply(_document(await self._runs.stop(ask.id)))


def _document(run: Run, *, whole: bool = False) -> dict[str, Any]:
    report = run.lines[-1] if whole and run.state in {"passed", "failed"} and run.lines else None
    return {
        "id": run.id,
        "story": run.story,
        "state": run.state,
        "started_at": format_instant(run.started_at),
        "finished_at": instant(run.finished_at),
        "lines": len(run.lines),
        "cut": run.cut,
        "problem": run.problem or None,
        "report": report,
    }
