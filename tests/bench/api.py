"""Figures of the merchant API: creates beside ``localstripe``, the peer of the same kind, and reads of a full table."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp

from tests.bench.parts import Figure

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

CREATES = 1_000
FEW, MANY = 100, 10_000
BIN = Path(sys.executable).parent
LISTENS = b"Running on"
PATIENCE = 20


@asynccontextmanager
async def serving(database_url: str, *options: str) -> AsyncIterator[tuple[str, str]]:
    """Run ``serve``; give its base URL and its project."""
    command = (str(BIN / "paymos-sim"), "serve", "--port", "0", "--no-auth", "--database-url", database_url, *options)
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    project = ""
    async for line in process.stdout:
        words = line.decode().split()
        project = words[1] if words[:1] == ["project"] else project
        if words[:1] == ["ready"]:
            yield words[1].removeprefix("url="), project
            break
    process.terminate()
    await process.communicate()


@asynccontextmanager
async def _peer() -> AsyncIterator[str]:
    """Run localstripe; give its base URL once it says that it listens."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = (sys.executable, "-u", str(BIN / "localstripe"), "--port", str(port), "--from-scratch")
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE):
        while LISTENS not in (line := await process.stdout.readline()):
            assert line, "localstripe ended before it listened"
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    await process.communicate()


async def _creates(post: Callable[[int], Awaitable[int]], connections: int) -> tuple[float, float]:
    """Return creates a second through so many connections, and the median seconds of one."""
    left, times = iter(range(CREATES)), []

    async def one() -> None:
        for number in left:
            start = time.perf_counter()
            assert await post(number) in {200, 201}
            times.append(time.perf_counter() - start)

    start = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(connections)))
    return CREATES / (time.perf_counter() - start), sorted(times)[CREATES // 2]


def _poster(session: aiohttp.ClientSession, base: str, project: str, mark: str) -> Callable[[int], Awaitable[int]]:
    async def post(number: int) -> int:
        order = {"project_id": project, "amount": "10.00", "currency": "USD", "external_order_id": f"{mark}-{number}"}
        async with session.post(f"{base}/v1/invoices", json=order) as response:
            await response.read()
            return response.status

    return post


def _stripe_poster(session: aiohttp.ClientSession, base: str) -> Callable[[int], Awaitable[int]]:
    auth = aiohttp.BasicAuth("sk_test_12345", "")

    async def post(_number: int) -> int:
        form = {"amount": "1000", "currency": "usd"}
        async with session.post(f"{base}/v1/payment_intents", data=form, auth=auth) as response:
            await response.read()
            return response.status

    return post


async def creates(database_url: str) -> AsyncIterator[Figure]:
    """Create invoices in durable SQLite beside payment intents of the peer, which keeps them in memory."""
    async with (
        serving(database_url, "--durable") as (base, project),
        _peer() as peer,
        aiohttp.ClientSession() as session,
    ):
        for connections, aim in ((1, "≥5"), (16, "≥1")):
            theirs, _ = await _creates(_stripe_poster(session, peer), connections)
            ours, middle = await _creates(_poster(session, base, project, f"c{connections}"), connections)
            against = f"localstripe: {theirs:,.0f}/s"
            yield Figure(f"creates through {connections} connections", f"{ours:,.0f}/s", against, ours / theirs, aim)
            if connections == 1:
                yield Figure("create, p50, in units of 3 ms", f"{1e3 * middle:.2f} ms", "3 ms", middle / 0.003, "≤1")


async def reads(database_url: str) -> AsyncIterator[Figure]:
    """Read one invoice and the first page of the list among many, against among few."""
    async with serving(database_url, "--durable") as (base, project), aiohttp.ClientSession() as session:
        post = _poster(session, base, project, "r")
        times = []
        for begin, end in ((0, FEW), (FEW, MANY)):
            for number in range(begin, end, 50):
                await asyncio.gather(*(post(number + place) for place in range(50)))
            times.append([await _median(session, f"{base}/v1/invoices{path}") for path in await _paths(session, base)])
    for name, few, many in zip(("get", "first list page"), *times, strict=True):
        against = f"among {FEW}: {1e3 * few:.2f} ms"
        yield Figure(f"{name} among {MANY:,} invoices", f"{1e3 * many:.2f} ms", against, many / few, "≤1.5")


async def _paths(session: aiohttp.ClientSession, base: str) -> tuple[str, str]:
    async with session.get(f"{base}/v1/invoices?limit=1") as response:
        (item,) = json.loads(await response.read())["items"]
    return f"/{item['invoice_id']}", "?limit=50"


async def _median(session: aiohttp.ClientSession, url: str) -> float:
    times = []
    for _ in range(201):
        start = time.perf_counter()
        async with session.get(url) as response:
            await response.read()
        times.append(time.perf_counter() - start)
    return sorted(times)[100]
