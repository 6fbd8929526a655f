"""``run --dry-run``: what a story would do and at which virtual time, and nothing started."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sender.clock import MANUAL
from sender.durations import SECOND, format_instant
from sender.scenario.report_axis import brief
from sender.scenario.runner import DEFAULT_START
from sender.scenario.telling import told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sender.cli.stories import Story
    from sender.domain.ladder import Ladder
    from sender.durations import Duration, Instant
    from sender.scenario.language import Step


def plan(story: Story, ladder: Ladder, seed: int) -> Iterator[str]:
    """Return the lines of a plan.

    From the first step whose length depends on what the receiver answers, times are the earliest there can be, and
    marked with ``>``.
    """
    start = DEFAULT_START if story.scenario.start is None else story.scenario.start
    yield f"{story.name}: {story.scenario.name}"
    yield f"starts {format_instant(start)}, seed {seed}, clock {story.scenario.clock}, ladder {ladder.name}"
    yield f"a delivery that is refused each time: {', '.join(_rungs(ladder))}"
    yield ""
    for step, at, is_exact in _timed(story, start):
        since = f"{'+' if is_exact else '>'}{brief(at)}"
        yield f"{since:>9}  {step.verb:15} {told(step)}".rstrip()
    yield ""


def plan_as_json(story: Story, seed: int) -> Iterator[str]:
    """Return the same as one object a line; ``exact`` is false where the time is the earliest there can be."""
    start = DEFAULT_START if story.scenario.start is None else story.scenario.start
    for step, at, is_exact in _timed(story, start):
        yield json.dumps({
            "kind": "step.planned",
            "story": story.name,
            "seed": seed,
            "number": step.number,
            "line": step.line,
            "verb": step.verb,
            "text": told(step),
            "virtual_time": (start + at) / SECOND,
            "exact": is_exact,
        })  # fmt: skip


def _timed(story: Story, start: Instant) -> Iterator[tuple[Step, Duration, bool]]:
    at, is_exact = 0, story.scenario.clock == MANUAL
    for step in story.scenario.steps:
        yield step, at, is_exact
        move = step.advance
        if move is None:
            continue
        if move.by is not None:
            at += move.by
        elif move.to is not None:
            to = move.to.value if move.to.since_start else move.to.value - start
            at, is_exact = max(at, to), is_exact or to >= at
        else:
            is_exact = False


def _rungs(ladder: Ladder) -> Iterator[str]:
    at = 0
    yield "+0s"
    for gap in ladder.gaps:
        at += gap
        yield f"+{brief(at)}"
