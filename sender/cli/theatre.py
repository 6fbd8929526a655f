"""Where stories are played, one after another: a receiver, and a database for each of them."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sender.cli import readers
from sender.cli.settings import DEFAULT_SEED, database_url, relay_settings
from sender.config import Settings
from sender.domain.ids import Prefix, make_secret
from sender.errors import NotAvailable
from sender.scenario.play import Target
from sender.scenario.receiver_client import ReceiverClient
from sender.scenario.runner import DEFAULT_START, Staging, run_story
from sender.store.scratch import scratch

if TYPE_CHECKING:
    from sender.cli.options import Options
    from sender.cli.stories import Story
    from sender.config import RelaySettings
    from sender.probe.looking import Probe
    from sender.scenario.events import Listener
    from sender.scenario.receiver_process import ReceiverProcess

CONNECT_PATIENCE = 5.0
"""Real seconds that somebody's own receiver gets to take a connection."""


@dataclass(frozen=True, slots=True)
class UnderTest:
    """The receiver of a theatre: the reference receiver, or somebody's own, into which a probe may look."""

    reference: ReceiverProcess | None
    probe: Probe | None = None


class Theatre:
    """Plays stories; ``server`` is the URL of a database, where one was asked for."""

    def __init__(self, options: Options, under_test: UnderTest, server: str | None) -> None:
        self._options = options
        self._under_test = under_test
        self._server = server
        self._url: str | None = None

    async def play(self, story: Story, listener: Listener, *, keep_exchanges: bool = False) -> bool:
        """Play one story; tell whether it holds."""
        settings = settings_of(self._options, story)
        async with AsyncExitStack() as stack:
            # A server, where one was named or started, is for all of them; a temporary file is for this one.
            base = self._server or stack.enter_context(database_url(None))
            url = await stack.enter_async_context(scratch(base))
            target, reference = await self._target(story, settings.seed)
            staging = Staging(
                settings=replace(settings, database_url=url),
                target=target,
                receiver=reference,
                story=story.name,
                file=str(story.path),
                probe=self._under_test.probe,
                keep_exchanges=keep_exchanges,
            )
            return await run_story(story.scenario, staging, listener)

    async def _target(self, story: Story, seed: int) -> tuple[Target, ReceiverClient | None]:
        secret = make_secret(seed, Prefix.WEBHOOK_SECRET_TEST, 0)
        if self._under_test.reference is None:
            url = self._options.read("target", readers.url, "")
            if not story.wants_refusals:
                await _require_reachable(url)
            return Target(url, self._options.read("secret", readers.secret, secret)), None
        if self._url is None:
            self._url = await self._under_test.reference.ready()
        return Target(self._url, secret), ReceiverClient(self._url)


def settings_of(options: Options, story: Story) -> Settings:
    """Return what a story is played with, but for its database: the command line decides, then the story."""
    scenario = story.scenario
    return Settings(
        relay=_relay_settings(options, story),
        seed=options.read("seed", readers.seed, DEFAULT_SEED if scenario.seed is None else scenario.seed),
        clock=scenario.clock,
        start=DEFAULT_START if scenario.start is None else scenario.start,
        relays=options.read("relays", readers.relays, 1),
        in_process=options.has("in_process"),
    )


def _relay_settings(options: Options, story: Story) -> RelaySettings:
    scenario, relay = story.scenario, relay_settings(options)
    if scenario.ladder is not None and not options.has("ladder"):
        relay = replace(relay, ladder=scenario.ladder)
    if scenario.attempt_timeout is not None and not options.has("attempt_timeout"):
        relay = replace(relay, attempt_timeout=scenario.attempt_timeout)
    return relay


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
