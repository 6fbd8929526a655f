"""Reads the stories of one ``run``: every problem of every file, before anything is played."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.errors import FileRefused
from sender.scenario.language import load_scenario
from sender.scenario.receiving import beyond_reach
from sender.schedules import find

if TYPE_CHECKING:
    from pathlib import Path

    from sender.cli.options import Options
    from sender.scenario.language import Scenario


@dataclass(frozen=True, slots=True)
class Story:
    """A scenario that was read: its name, where it stands, and what it says."""

    name: str
    path: Path
    scenario: Scenario


def read_stories(options: Options) -> list[Story]:
    """Read every scenario. Raises ``FileRefused`` with the problems of all of them, and ``UsageError``."""
    stories, problems = [], []
    for word in options.operands:
        path = find("scenarios", word)
        try:
            stories.append(Story(path.stem, path, load_scenario(path, environ=os.environ)))
        except FileRefused as error:
            problems += error.problems
    if options.has("target"):
        problems += [problem for story in stories for problem in _needs_reference(story)]
    if problems:
        raise FileRefused(problems)
    return stories


def _needs_reference(story: Story, *, probed: bool = False) -> list[str]:
    """Return a sentence for each step that only the reference receiver can follow, or a probe where there is none."""
    return [
        f"{story.path}:{step.line}: step {step.number} ({step.verb}): {name} needs the reference receiver; "
        "leave it out, or run without --target"
        for step in story.scenario.steps
        for name in beyond_reach(step, probed=probed)
    ]
