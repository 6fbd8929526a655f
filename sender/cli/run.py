"""``paymos-sim run``: plays stories, each on a simulator of its own, and tells what they expect and what happened."""

from __future__ import annotations

import asyncio
import os
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.cli import readers
from sender.cli.settings import DEFAULT_SEED, database_url, relay_settings
from sender.errors import UsageError
from sender.forks import warm_up
from sender.loops import run
from sender.signals import end_on_sigterm

if TYPE_CHECKING:
    from pathlib import Path

    from sender.cli.options import Options
    from sender.scenario.language import Scenario
    from sender.scenario.receiver_process import ReceiverProcess


TERMINATED = 143
"""128 + SIGTERM."""


@dataclass(frozen=True, slots=True)
class Story:
    """A scenario that was read: its name, where it stands, and what it says."""

    name: str
    path: Path
    scenario: Scenario


def main(options: Options) -> int:
    """Play every story; return 0 when all of them hold."""
    _require_sense(options)
    with ExitStack() as stack:
        # Both children import while this process does; what is wrong with the files is found meanwhile.
        if not options.has("in_process"):
            warm_up()
        receiver = None if options.has("target") else stack.enter_context(_receiver())
        stories = read_stories(options)
        server = stack.enter_context(database_url(url)) if (url := options.text("database_url")) else None
        try:
            return 0 if run(_play_all(stories, options, receiver, server)) else 1
        except asyncio.CancelledError:
            return TERMINATED


def _receiver() -> ReceiverProcess:
    from sender.scenario.receiver_process import ReceiverProcess  # noqa: PLC0415 - not with --target

    return ReceiverProcess()


def read_stories(options: Options) -> list[Story]:
    """Read every scenario. Raises ``FileRefused`` with the problems of all of them, and ``UsageError``."""
    from sender.errors import FileRefused  # noqa: PLC0415
    from sender.scenario.language import load_scenario  # noqa: PLC0415 - pydantic, once the children import too
    from sender.schedules import find  # noqa: PLC0415

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


def _needs_reference(story: Story) -> list[str]:
    """Return a sentence for each step that only the reference receiver can follow."""
    found = []
    for step in story.scenario.steps:
        asked = ["receiver"] if step.verb == "receiver" else []
        if step.expect is not None:
            asked = [name for name in ("received", "applied", "order") if getattr(step.expect, name) is not None]
        found += [
            f"{story.path}:{step.line}: step {step.number} ({step.verb}): {name} needs the reference receiver; "
            "leave it out, or run without --target"
            for name in asked
        ]
    return found


async def _play_all(
    stories: list[Story], options: Options, receiver: ReceiverProcess | None, server: str | None
) -> bool:
    from sender.cli.theatre import Theatre  # noqa: PLC0415 - the simulator, once the files are good

    theatre = Theatre(options, receiver, server)
    end_on_sigterm()
    results = {story.name: await theatre.play(story) for story in stories}
    theatre.sum_up(results)
    return all(results.values())


def _require_sense(options: Options) -> None:
    """Raise ``UsageError`` for options that do not go together, and for values that are none, before anything starts."""
    url = options.text("database_url") or ""
    if url == "memory" and not options.has("in_process"):
        raise UsageError("--database-url: memory is within one process, and the relay is another; add --in-process")
    if url.startswith("sqlite:") and len(options.operands) > 1:
        raise UsageError("--database-url: each story needs a file of its own; run them one by one, or leave it out")
    options.read("target", readers.url, None)
    options.read("secret", readers.secret, None)
    options.read("seed", readers.seed, DEFAULT_SEED)
    options.read("relays", readers.relays, 1)
    relay_settings(options)
