"""The simulator as a server: API and relays until told to stop.

Starts in the order in which things can fail: the port first, so that nothing is written where it is taken; then the
database, the relays, the endpoint, and the API last, when everything behind it works. Stops the other way round.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from aiohttp import web

from sender.domain.endpoint import EndpointStatus
from sender.errors import NotAvailable
from sender.housekeeping import Housekeeping
from sender.runs import ScenarioRuns
from sender.simulator import Simulator
from sender.subscriptions import NewEndpoint
from sender.traffic.schedule import Traffic
from sender.traffic.shop import Shop
from sender.web.app import make_app
from sender.web.parts import ApiOptions, Parts
from sender.web.server import make_runner
from sender.wire import wire_fault

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Sequence

    from sender.config import Settings
    from sender.domain.access import ApiKey, Project
    from sender.domain.endpoint import Endpoint
    from sender.traffic.flow import Flow


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """What a server is told. ``clock_given``: the mode is set also where the database has one already."""

    settings: Settings
    host: str = "127.0.0.1"
    port: int = 8080
    endpoint: str | None = None
    secret: str
    secret_given: bool = False
    clock_given: bool = False
    api: ApiOptions = field(default_factory=ApiOptions)
    tls: bool = False
    traffic: Sequence[Flow] = ()


@dataclass(frozen=True, slots=True)
class Ready:
    """What a client needs to know once the server works."""

    url: str
    projects: Sequence[Project]
    keys: Sequence[ApiKey]
    endpoint: Endpoint | None
    trust: Path | None = None
    """The file that clients have to trust, with ``tls``."""


@dataclass(frozen=True, slots=True)
class Door:
    """Where clients come in: a socket that listens, and what HTTPS needs where it is spoken."""

    listener: socket.socket
    host: str
    context: ssl.SSLContext | None = None
    trust: Path | None = None

    @property
    def url(self) -> str:
        """Return the URL under which it is reached."""
        scheme = "http" if self.context is None else "https"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}:{self.listener.getsockname()[1]}"


async def serve(options: ServeOptions, told: asyncio.Event, announce: Callable[[Ready], None]) -> None:
    """Serve until ``told`` is set; ``announce`` is called once API, database and relays work.

    Raises ``NotAvailable``, ``UsageError`` or ``StoreError`` for what cannot be had, and then leaves nothing behind.
    """
    with ExitStack() as stack:
        listener = stack.enter_context(listening(options.host, options.port))
        door = Door(listener, options.host, *_tls(options, stack))
        simulator = Simulator(replace(options.settings, checkout_url=options.settings.checkout_url or door.url))
        try:
            await simulator.start()
            await _serve(simulator, door, options, told, announce)
        finally:
            await simulator.close()


async def _serve(
    simulator: Simulator, door: Door, options: ServeOptions, told: asyncio.Event, announce: Callable[[Ready], None]
) -> None:
    if options.clock_given:
        await simulator.conductor.set_mode(options.settings.clock)
    endpoint = await _subscribe(simulator, options) if options.endpoint else None
    traffic = traffic_of(simulator)
    runs = ScenarioRuns(simulator.clock)
    runner = make_runner(make_app(parts_of(simulator, runs, traffic), replace(options.api, public_url=door.url)))
    await runner.setup()
    housekeeping = Housekeeping(simulator.runtime, simulator.database, simulator.conductor.settled)
    try:
        await web.SockSite(runner, door.listener, ssl_context=door.context).start()
        projects, keys = await simulator.merchant.projects(), await simulator.merchant.keys()
        announce(Ready(door.url, projects, keys, endpoint, door.trust))
        housekeeping.start()
        traffic.begin(options.traffic)
        await told.wait()
    finally:
        await traffic.close()
        await housekeeping.stop()
        # Side by side: each may wait a second for what is under way.
        await asyncio.gather(runner.cleanup(), simulator.relays.stop(), runs.close())


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises ``NotAvailable`` where the port is taken or there is no such address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        message = f"port {port} of {host} cannot be had: {error.strerror or error}; give another --port, or 0 for any"
        raise NotAvailable(message) from None


def parts_of(simulator: Simulator, runs: ScenarioRuns | None = None, traffic: Traffic | None = None) -> Parts:
    """Return the parts of a simulator that its web calls; whoever hands ``runs`` and ``traffic`` over closes them."""
    return Parts(
        runtime=simulator.runtime,
        database=simulator.database,
        profile=simulator.profile,
        invoices=simulator.invoices,
        withdrawals=simulator.withdrawals,
        channels=simulator.channels,
        subscriptions=simulator.subscriptions,
        merchant=simulator.merchant,
        resetting=simulator.resetting,
        runs=runs or ScenarioRuns(simulator.clock),
        traffic=traffic or traffic_of(simulator),
        conductor=simulator.conductor,
        relays_alive=lambda: simulator.relays.alive,
        check_wire_fault=wire_fault,
    )


def _tls(options: ServeOptions, stack: ExitStack) -> tuple[ssl.SSLContext | None, Path | None]:
    if not options.tls:
        return None, None
    from sender.web.tls import make_tls  # noqa: PLC0415 - a cryptography library, only on demand

    folder = Path(stack.enter_context(TemporaryDirectory(prefix="paymos-sim-")))
    return make_tls([options.host, *options.api.names], folder)


def traffic_of(simulator: Simulator) -> Traffic:
    """Return the traffic of a simulator, in which nothing happens yet; whoever starts some closes it."""

    async def open_shop() -> Shop:
        project_id = (await simulator.merchant.projects())[0].id
        return Shop(simulator.invoices, simulator.withdrawals, simulator.channels, project_id)

    return Traffic(open_shop, simulator.runtime, simulator.settings.seed)


async def _subscribe(simulator: Simulator, options: ServeOptions) -> Endpoint:
    """Subscribe the URL, or return the endpoint that an earlier start has made for it; a secret that is given wins."""
    url = options.endpoint or ""
    for endpoint in await simulator.subscriptions.all():
        if endpoint.url == url and endpoint.status is not EndpointStatus.DELETED:
            if options.secret_given and endpoint.secret != options.secret:
                return await simulator.subscriptions.edit(endpoint.id, secret=options.secret)
            return endpoint
    return await simulator.subscriptions.add(NewEndpoint(url=url, secret=options.secret))
