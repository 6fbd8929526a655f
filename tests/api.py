"""A running API for the tests: simulator and web application on one loop, reached over a real socket."""

from __future__ import annotations

import asyncio
import io
import json
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

import aiohttp
from aiohttp import web
from yarl import URL

from sender.clock import Clock
from sender.config import RelaySettings, Settings
from sender.domain.access import ApiKey, KeyKind, make_key, make_project
from sender.domain.signature import request_signature
from sender.durations import SECOND
from sender.ladderfile import load_ladder
from sender.runs import ScenarioRuns
from sender.serve import parts_of
from sender.simulator import Simulator
from sender.web.app import make_app
from sender.web.parts import ApiOptions
from sender.web.server import make_runner
from tests.described import check_answer
from tests.simulators import RecordingLog

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterator

    from sender.web.parts import Runs

T = TypeVar("T")

PATIENCE = 20
SEED = 1
PROJECT = make_project(SEED, 0).id
PAYMENT, PAYOUT = (make_key(SEED, 0, kind, is_test=True) for kind in KeyKind)
LIVE_PAYMENT, LIVE_PAYOUT = (make_key(SEED, 0, kind, is_test=False) for kind in KeyKind)

ORDER = {"project_id": PROJECT, "amount": "11.05", "currency": "USD", "external_order_id": "order-1"}


@dataclass(frozen=True)
class Api:
    """A running API with the simulator behind it."""

    simulator: Simulator
    session: aiohttp.ClientSession
    base: str

    async def call(self, method: str, target: str, body: Any = None, key: ApiKey = PAYMENT, **more: Any) -> Answer:
        """Make one signed call; a body that is neither bytes nor nothing goes as JSON."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        headers = sign(method, target, data, key) | {"Content-Type": "application/json"} | more.pop("headers", {})
        return await self.raw(method, target, data, headers)

    async def raw(self, method: str, target: str, data: bytes, headers: dict[str, str]) -> Answer:
        """Make one call as it is given."""
        url = URL(self.base + target, encoded=True)
        sent = io.BytesIO(data) if data else None  # as a file, because aiohttp warns of large bytes
        async with self.session.request(method, url, data=sent, headers=headers) as answer:
            raw = await answer.read()
            check_answer(method, target, answer.status, answer.headers.get("Content-Type", ""), raw)
            return Answer(answer.status, raw, dict(answer.headers))


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    raw: bytes
    headers: dict[str, str]

    @property
    def document(self) -> Any:
        """The JSON in it."""
        return json.loads(self.raw)


def sign(method: str, target: str, body: bytes = b"", key: ApiKey = PAYMENT, shift: int = 0) -> dict[str, str]:
    """Return the headers of a signed request; ``shift`` is in seconds."""
    path, mark, query = target.partition("?")
    timestamp = str(Clock().real_now() // SECOND + shift)
    signature = request_signature(
        key.secret, timestamp=timestamp, method=method, path=path, query=mark + query, body=body
    )
    return {"Authorization": f"HMAC-SHA256 {key.id}:{signature}", "X-Request-Timestamp": timestamp}


def make_settings(database_url: str = "memory", **more: Any) -> Settings:
    """Return settings of a simulator whose clock stands still."""
    return Settings(relay=RelaySettings(ladder=load_ladder("paymos")), database_url=database_url, seed=SEED, **more)


@asynccontextmanager
async def serving(
    database_url: str = "memory",
    options: ApiOptions | None = None,
    make_runs: Callable[[Clock], Runs] = ScenarioRuns,
    **settings: Any,
) -> AsyncIterator[Api]:
    """Run an API in this loop; ``settings`` are the simulator's. Stories that it was asked to play end with it."""
    async with Simulator(make_settings(database_url, **settings), log=RecordingLog()) as simulator:
        runs = make_runs(simulator.clock)
        runner = make_runner(make_app(replace(parts_of(simulator), runs=runs), options or ApiOptions()))
        await runner.setup()
        try:
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            timeout = aiohttp.ClientTimeout(total=PATIENCE)
            async with aiohttp.ClientSession(timeout=timeout) as session:
                yield Api(simulator, session, f"http://127.0.0.1:{runner.addresses[0][1]}")
        finally:
            if isinstance(runs, ScenarioRuns):
                await runs.close()
            await runner.cleanup()


@dataclass(frozen=True)
class Beside:
    """An API that runs in a thread of its own, for clients that block."""

    api: Api
    loop: asyncio.AbstractEventLoop

    @property
    def base(self) -> str:
        """Where it is reached."""
        return self.api.base

    def run(self, work: Callable[[Simulator], Coroutine[Any, Any, T]]) -> T:
        """Do something with the simulator, in its loop."""
        return asyncio.run_coroutine_threadsafe(work(self.api.simulator), self.loop).result(PATIENCE)


@contextmanager
def serving_beside(
    database_url: str = "memory",
    options: ApiOptions | None = None,
    make_runs: Callable[[Clock], Runs] = ScenarioRuns,
) -> Iterator[Beside]:
    """Run an API in a thread."""
    ready: Future[tuple[Beside, asyncio.Event]] = Future()

    async def serve() -> None:
        stop = asyncio.Event()
        async with serving(database_url, options, make_runs) as api:
            ready.set_result((Beside(api, asyncio.get_running_loop()), stop))
            await stop.wait()

    def work() -> None:
        try:
            asyncio.run(serve())
        except BaseException as error:
            if ready.done():
                raise
            ready.set_exception(error)

    thread = Thread(target=work)
    thread.start()
    beside, stop = ready.result(PATIENCE)
    try:
        yield beside
    finally:
        beside.loop.call_soon_threadsafe(stop.set)
        thread.join(PATIENCE)
