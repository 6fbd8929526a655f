"""Reads the stories of one ``run``: every problem of every file, before anything is played."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.cli import selection
from sender.domain.delivery import Reason
from sender.errors import FileRefused, UsageError
from sender.harmless import plain
from sender.scenario.language import load_scenario
from sender.scenario.receiving import beyond_reach
from sender.schedules import directory

if TYPE_CHECKING:
    from pathlib import Path

    from sender.cli.options import Options
    from sender.scenario.language import Scenario


@dataclass(frozen=True, slots=True)
class Story:
    """A scenario that was read: its name, fit to be printed, where it stands, and what it says."""

    name: str
    path: Path
    scenario: Scenario

    @property
    def ships(self) -> bool:
        """Whether it is one of those that ship, which go by their names."""
        return self.path.parent == directory("scenarios")

    @property
    def wants_refusals(self) -> bool:
        """Whether it expects connections to be refused, so that nobody need be there to take them."""
        return any(step.expect and Reason.REFUSED in (step.expect.reasons or ()) for step in self.scenario.steps)


def read_stories(options: Options) -> list[Story]:
    """Read every scenario that is meant.

    Raises ``FileRefused`` with the problems of all of them, and ``UsageError``, also where none is left.
    """
    fits = options.read("k", selection.keyword, selection.every)
    stories, problems = [], []
    for path in selection.files(options.operands):
        if not fits(path.stem):
            continue
        try:
            stories.append(Story(plain(path.stem), path, load_scenario(path, environ=os.environ)))
        except FileRefused as error:
            problems += error.problems
    if options.has("target"):
        probed = options.has("probe")
        problems += [problem for story in stories for problem in _needs_reference(story, probed=probed)]
    if problems:
        raise FileRefused(problems)
    if not stories:
        raise UsageError(f"-k: no story has a name that fits {options.text('k')!r}")
    return stories


def _needs_reference(story: Story, *, probed: bool) -> list[str]:
    """Return a sentence for each step that only the reference receiver can follow, or a probe where there is none."""
    remedy = "leave it out, or run without --target" if probed else "leave it out, give --probe, or leave --target out"
    return [
        f"{story.path}:{step.line}: step {step.number} ({step.verb}): {name} needs the reference receiver; {remedy}"
        for step in story.scenario.steps
        for name in beyond_reach(step, probed=probed)
    ]
