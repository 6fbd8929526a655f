"""``paymos-sim run``: plays stories, each on a simulator of its own, and tells what they expect and what happened."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import TYPE_CHECKING

from sender.cli import readers
from sender.cli.settings import DEFAULT_SEED, database_url, relay_settings
from sender.errors import UsageError
from sender.forks import warm_up
from sender.loops import run
from sender.signals import end_on_sigterm

if TYPE_CHECKING:
    from sender.cli.options import Options
    from sender.cli.stories import Story
    from sender.scenario.receiver_process import ReceiverProcess


TERMINATED = 143
"""128 + SIGTERM."""


def main(options: Options) -> int:
    """Play every story; return 0 when all of them hold."""
    _require_sense(options)
    with ExitStack() as stack:
        # Both children import while this process does; what is wrong with the files is found meanwhile.
        if not options.has("in_process"):
            warm_up(options.text("database_url"))
        receiver = None if options.has("target") else stack.enter_context(_receiver())
        from sender.cli.stories import read_stories  # noqa: PLC0415 - pydantic, once the children import too

        stories = read_stories(options)
        server = stack.enter_context(database_url(url)) if (url := options.text("database_url")) else None
        try:
            return 0 if run(_play_all(stories, options, receiver, server)) else 1
        except asyncio.CancelledError:
            return TERMINATED


def _receiver() -> ReceiverProcess:
    from sender.scenario.receiver_process import ReceiverProcess  # noqa: PLC0415 - not with --target

    return ReceiverProcess()


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
    """Raise ``UsageError``, before anything starts, for options that do not go together and values that are none."""
    url = options.read("database_url", readers.database, "")
    if url == "memory" and not options.has("in_process"):
        raise UsageError("--database-url: memory is within one process, and the relay is another; add --in-process")
    if url.startswith("sqlite:") and len(options.operands) > 1:
        raise UsageError("--database-url: each story needs a file of its own; run them one by one, or leave it out")
    options.read("target", readers.url, None)
    options.read("secret", readers.secret, None)
    options.read("seed", readers.seed, DEFAULT_SEED)
    options.read("relays", readers.relays, 1)
    relay_settings(options)
