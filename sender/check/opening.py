"""Sets a bench up: a simulator in this process, an endpoint that waits, a project, a transport; and takes it down."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sender.check.bench import Bench
from sender.check.pace import Pace
from sender.check.purchase import Desk
from sender.clock import Clock
from sender.config import RelaySettings, Settings
from sender.ladderfile import load_ladder
from sender.simulator import Simulator
from sender.subscriptions import NewEndpoint
from sender.transport.client import Transport

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

    from sender.check.means import Means


@asynccontextmanager
async def bench_for(
    means: Means,
    seed: int,
    *,
    pace: Pace | None = None,
    api: Callable[[Simulator], AbstractAsyncContextManager[object]] | None = None,
) -> AsyncIterator[Bench]:
    """Give a bench; ``api`` serves the simulator's API meanwhile, where the receiver asks for it.

    The seed has to be another one each time: a receiver that has seen an event id before rightly ignores it.
    """
    clock, pace = Clock(), pace or Pace()
    relay = RelaySettings(ladder=load_ladder("paymos"), attempt_timeout=pace.timeout, trust=means.trust)
    settings = Settings(relay=relay, seed=seed, start=clock.real_now())
    transport = Transport(clock, ca_file=means.trust)
    try:
        async with Simulator(settings) as simulator:
            endpoint = await simulator.subscriptions.add(NewEndpoint(url=means.url, secret=means.secret))
            await simulator.subscriptions.suspend(endpoint.id)
            project = (await simulator.merchant.projects())[0].id
            bench = Bench(simulator, transport, Desk(simulator, project), means, endpoint.id, pace)
            if api is None:
                yield bench
            else:
                async with api(simulator):
                    yield bench
    finally:
        await transport.close()
