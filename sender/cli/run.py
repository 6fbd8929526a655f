"""``paymos-sim run``: plays stories, each on a simulator of its own, and tells what they expect and what happened."""

from __future__ import annotations

import asyncio
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from sender.cli import complain, readers, reports
from sender.cli.settings import DEFAULT_SEED, database_url, relay_settings
from sender.errors import UsageError
from sender.forks import warm_up
from sender.harmless import plain
from sender.loops import run
from sender.signals import end_on_sigterm

if TYPE_CHECKING:
    from sender.cli.options import Options
    from sender.cli.programme import Programme
    from sender.cli.stories import Story
    from sender.probe.looking import Probe
    from sender.scenario.receiver_process import ReceiverProcess

TERMINATED = 143
"""128 + SIGTERM."""

MOST_REPEATS = 10_000
MOST_SIDE_BY_SIDE = 32


def main(options: Options) -> int:
    """Play every story; return 0 when all of them hold."""
    _require_sense(options)
    if options.has("dry_run"):
        return _show_plans(options)
    files = options.read("report", reports.wanted, reports.NONE)
    with ExitStack() as stack:
        # The children import while this process does; what is wrong with the files is found meanwhile.
        if not options.has("in_process"):
            warm_up(options.text("database_url"))
        first = None if options.has("target") else stack.enter_context(_receiver())
        from sender.cli.stories import read_stories  # noqa: PLC0415 - pydantic, once the children import too

        stories = [story for story in read_stories(options) for _ in range(_repeats(options))]
        _require_files(options, len(stories))
        receivers = [first]
        while len(receivers) < min(_side_by_side(options), len(stories)):
            receivers.append(stack.enter_context(_receiver()))
        server = stack.enter_context(database_url(url)) if (url := options.text("database_url")) else None
        try:
            programme = run(_play_all(stories, options, receivers, server))
        except asyncio.CancelledError:
            return TERMINATED
        reports.write(files, [record for _, record in sorted(programme.records.items())])
        for trouble in programme.troubles[:-1]:
            complain(trouble)
        if programme.troubles:
            raise programme.troubles[-1]
        return 0 if all(record.passed for record in programme.records.values()) else 1


def _receiver() -> ReceiverProcess:
    from sender.scenario.receiver_process import ReceiverProcess  # noqa: PLC0415 - not with --target

    return ReceiverProcess()


async def _play_all(
    stories: list[Story], options: Options, receivers: list[ReceiverProcess | None], server: str | None
) -> Programme:
    from sender.cli.programme import Programme  # noqa: PLC0415 - the simulator, once the files are good
    from sender.cli.theatre import Theatre, UnderTest  # noqa: PLC0415

    end_on_sigterm()
    probe = _probe(options)
    try:
        programme = Programme(
            options,
            stories,
            [Theatre(options, UnderTest(receiver, probe), server) for receiver in receivers],
            fail_fast=options.has("fail_fast"),
            keep=options.has("report"),
        )
        await programme.play()
        return programme
    finally:
        if probe is not None:
            await probe.close()


def _probe(options: Options) -> Probe | None:
    if not options.has("probe"):
        return None
    from sender.clock import Clock  # noqa: PLC0415 - only where a probe is wanted
    from sender.probe.spec import make_probe  # noqa: PLC0415

    return options.read("probe", lambda text: make_probe(text, Clock()), None)


def _show_plans(options: Options) -> int:
    from sender.cli.plan import plan, plan_as_json  # noqa: PLC0415 - pydantic comes with it
    from sender.cli.stories import read_stories  # noqa: PLC0415
    from sender.cli.theatre import settings_of  # noqa: PLC0415

    for story in read_stories(options):
        settings = settings_of(options, story)
        as_json = options.has("json")
        lines = plan_as_json(story, settings.seed) if as_json else plan(story, settings.relay.ladder, settings.seed)
        sys.stdout.writelines(f"{plain(line)}\n" for line in lines)
    return 0


def _repeats(options: Options) -> int:
    return options.read("repeat", readers.whole(1, MOST_REPEATS, "a number of repetitions"), 1)


def _side_by_side(options: Options) -> int:
    return options.read("n", readers.whole(1, MOST_SIDE_BY_SIDE, "a number of stories side by side"), 1)


def _require_sense(options: Options) -> None:
    """Raise ``UsageError``, before anything starts, for options that do not go together and values that are none."""
    url = options.read("database_url", readers.database, "")
    if url == "memory" and not options.has("in_process"):
        raise UsageError("--database-url: memory is within one process, and the relay is another; add --in-process")
    if options.has("probe") and not options.has("target"):
        raise UsageError("--probe: it looks into your own receiver; name that by --target")
    if options.has("target") and _side_by_side(options) > 1:
        raise UsageError("-n: one receiver cannot tell stories apart that run side by side; leave it out")
    options.read("target", readers.url, None)
    options.read("secret", readers.secret, None)
    options.read("seed", readers.seed, DEFAULT_SEED)
    options.read("relays", readers.relays, 1)
    _repeats(options)
    _side_by_side(options)
    relay_settings(options)


def _require_files(options: Options, stories: int) -> None:
    if stories > 1 and (options.text("database_url") or "").startswith("sqlite:"):
        raise UsageError("--database-url: each story needs a file of its own; run them one by one, or leave it out")
