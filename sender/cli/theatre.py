"""Where the stories of one ``run`` are played: the receiver, a database for each of them, and the report."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sender.cli import readers
from sender.cli.settings import DEFAULT_SEED, database_url, relay_settings
from sender.config import Settings
from sender.domain.ids import Prefix, make_secret
from sender.errors import NotAvailable
from sender.scenario.play import Target
from sender.scenario.receiver_client import ReceiverClient
from sender.scenario.report_ink import Ink
from sender.scenario.report_json import JsonReport
from sender.scenario.report_text import TextReport
from sender.scenario.runner import DEFAULT_START, Staging, run_story
from sender.store.scratch import scratch

if TYPE_CHECKING:
    from sender.cli.options import Options
    from sender.cli.stories import Story
    from sender.config import RelaySettings
    from sender.scenario.events import Listener
    from sender.scenario.receiver_process import ReceiverProcess

CONNECT_PATIENCE = 5.0
"""Real seconds that somebody's own receiver gets to take a connection."""


class Theatre:
    """Plays stories one after another.

    ``receiver`` is the reference receiver, unless another one is under test; ``server`` the URL of a database, where
    one was asked for.
    """

    def __init__(self, options: Options, receiver: ReceiverProcess | None, server: str | None) -> None:
        self._options = options
        self._receiver = receiver
        self._server = server
        self._as_json = options.has("json")
        self._report: Listener = JsonReport(_write) if self._as_json else TextReport(_write, Ink(_has_colours()))
        self._url: str | None = None

    async def play(self, story: Story) -> bool:
        """Play one story; tell whether it holds."""
        settings = self._settings(story)
        async with AsyncExitStack() as stack:
            # A server, where one was named or started, is for all of them; a temporary file is for this one.
            base = self._server or stack.enter_context(database_url(None))
            url = await stack.enter_async_context(scratch(base))
            target, reference = await self._under_test(settings.seed)
            staging = Staging(
                settings=replace(settings, database_url=url),
                target=target,
                receiver=reference,
                story=story.name,
                file=str(story.path),
            )
            return await run_story(story.scenario, staging, self._report)

    def sum_up(self, results: dict[str, bool]) -> None:
        """Write the last line, where there is more than one story."""
        if len(results) > 1 and not self._as_json:
            failed = [name for name, held in results.items() if not held]
            rest = f", {len(failed)} failed: {', '.join(failed)}" if failed else ""
            _write(f"{len(results)} stories: {len(results) - len(failed)} passed{rest}\n")

    def _settings(self, story: Story) -> Settings:
        options, scenario = self._options, story.scenario
        return Settings(
            relay=self._relay_settings(story),
            seed=options.read("seed", readers.seed, DEFAULT_SEED if scenario.seed is None else scenario.seed),
            clock=scenario.clock,
            start=DEFAULT_START if scenario.start is None else scenario.start,
            relays=options.read("relays", readers.relays, 1),
            in_process=options.has("in_process"),
        )

    def _relay_settings(self, story: Story) -> RelaySettings:
        """Return how relays send: what the command line says, then what the story says, then the default."""
        scenario, relay = story.scenario, relay_settings(self._options)
        if scenario.ladder is not None and not self._options.has("ladder"):
            relay = replace(relay, ladder=scenario.ladder)
        if scenario.attempt_timeout is not None and not self._options.has("attempt_timeout"):
            relay = replace(relay, attempt_timeout=scenario.attempt_timeout)
        return relay

    async def _under_test(self, seed: int) -> tuple[Target, ReceiverClient | None]:
        secret = make_secret(seed, Prefix.WEBHOOK_SECRET_TEST, 0)
        if self._receiver is None:
            url = self._options.read("target", readers.url, "")
            await _require_reachable(url)
            return Target(url, self._options.read("secret", readers.secret, secret)), None
        if self._url is None:
            self._url = await self._receiver.ready()
        return Target(self._url, secret), ReceiverClient(self._url)


async def _require_reachable(url: str) -> None:
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        async with asyncio.timeout(CONNECT_PATIENCE):
            _, writer = await asyncio.open_connection(parts.hostname, port)
    except (OSError, TimeoutError) as error:
        reason = getattr(error, "strerror", None) or "no answer"
        message = f"--target: nobody listens at {parts.hostname} port {port} ({reason}); start your receiver first"
        raise NotAvailable(message) from None
    writer.close()


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _has_colours() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
