"""The receiver as one object: a host runs it in its own event loop, ``__main__`` in a process of its own.

This is where its parts are put together, and the only place that names them all.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Self

from aiohttp import web

from receiver_fixture.app import make_runner
from receiver_fixture.clock import Clock, SystemClock
from receiver_fixture.control import Control
from receiver_fixture.errors import CannotStart
from receiver_fixture.flaws.deciding import rules_for
from receiver_fixture.flaws.handling import usual_delay, webhook_class
from receiver_fixture.flaws.verifying import verifier
from receiver_fixture.keyring import Keyring
from receiver_fixture.ledger import Ledger
from receiver_fixture.scripts import ScriptQueue
from receiver_fixture.worker import Worker

if TYPE_CHECKING:
    from types import TracebackType

    from receiver_fixture.settings import Settings
    from receiver_fixture.webhook import Webhook


class Receiver:
    """A merchant's webhook endpoint with its ledger and its background application.

    ``async with Receiver(settings) as receiver:`` starts and stops it. ``scripts`` takes scripted answers without HTTP.
    """

    def __init__(self, settings: Settings, clock: Clock | None = None) -> None:
        self._settings = settings
        self._clock = clock or SystemClock()
        self.scripts = ScriptQueue()
        self._parts: tuple[Ledger, Worker, web.AppRunner] | None = None
        self._webhook: Webhook | None = None
        self._url = ""

    @property
    def url(self) -> str:
        """Return the webhook's URL; empty before the start."""
        return self._url

    async def start(self) -> str:
        """Take the port, open the ledger, begin with what an earlier run left; return the webhook's URL.

        Raises ``CannotStart``, and then leaves nothing open behind it.
        """
        # The port comes first: when it is taken, no database file has been made.
        listening = _listen(self._settings.host, self._settings.port)
        try:
            ledger = Ledger.open(self._settings.database)
        except CannotStart:
            listening.close()
            raise
        worker = Worker(ledger, self._clock, self._settings.apply_delay, rules_for(self._settings.flaws))
        runner = self._runner(ledger, worker)
        self._parts = ledger, worker, runner
        self._url = _url(listening, self._settings)
        worker.start()
        await runner.setup()
        await web.SockSite(runner, listening).start()
        return self._url

    def _runner(self, ledger: Ledger, worker: Worker) -> web.AppRunner:
        keyring = Keyring(self._settings.secrets)
        settings = self._settings
        webhook = webhook_class(settings.flaws)(
            ledger=ledger,
            worker=worker,
            scripts=self.scripts,
            keyring=keyring,
            clock=self._clock,
            tolerance=settings.tolerance,
            rules=rules_for(settings.flaws),
            verify=verifier(settings.flaws),
            retired=settings.retired,
            delay=usual_delay(settings.flaws, settings.flaw_delay),
        )
        self._webhook = webhook
        control = Control(ledger=ledger, worker=worker, scripts=self.scripts, keyring=keyring, flaws=settings.flaws)
        return make_runner(webhook, control, settings.path)

    async def idle(self) -> None:
        """Wait until everything received so far has been applied."""
        if self._parts is None:
            raise RuntimeError("the receiver is not running")
        await self._parts[1].idle()

    async def stop(self) -> None:
        """Let go of every connection and close the ledger; events not yet applied wait for the next start."""
        if self._parts is None:
            return
        (ledger, worker, runner), self._parts = self._parts, None
        self.scripts.clear()
        if self._webhook is not None:
            self._webhook.drop()
        await runner.cleanup()
        await worker.stop()
        ledger.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise CannotStart(
            f"cannot listen on {host} port {port}: {error.strerror or error}; choose another, or 0 for a free one"
        ) from error


def _url(listening: socket.socket, settings: Settings) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{listening.getsockname()[1]}{settings.path}"
