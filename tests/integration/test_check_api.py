"""A receiver that reads the invoice before it fulfils: it finds the simulator's API where it looks for it."""

from __future__ import annotations

import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import aiohttp
from aiohttp import web

from sender.check.choice import chosen
from sender.check.means import Means
from sender.check.opening import bench_for
from sender.check.runner import run_checks
from sender.cli.check_api import serving
from tests.checking import QUICK, SECRET, Told

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@asynccontextmanager
async def careful(api: str, statuses: list[str]) -> AsyncIterator[str]:
    """Run a receiver that asks the API about every invoice; give the URL of its webhook."""

    async def webhook(request: web.Request) -> web.Response:
        data = (await request.json())["data"]
        async with session.get(f"{api}/v1/invoices/{data['invoice_id']}") as answer:
            invoice = await answer.json()
        statuses.append(f"{answer.status} {invoice['status']}")
        return web.Response()

    app = web.Application()
    app.router.add_post("/webhook", webhook)
    runner = web.AppRunner(app)
    async with aiohttp.ClientSession() as session:
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}/webhook"
        finally:
            await runner.cleanup()


async def test_invoice_is_read() -> None:
    """The API is served at the address that was given, for whatever key, shows what was announced, and it is noted."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        base = f"http://127.0.0.1:{free.getsockname()[1]}"
    asked: list[str] = []
    statuses: list[str] = []
    async with (
        careful(base, statuses) as url,
        bench_for(Means(url=url, secret=SECRET, asked=asked), 4711, pace=QUICK, api=serving(base, asked)) as bench,
    ):
        (result,) = (await run_checks(bench, chosen("re-read", None), Told())).results
    assert (result.verdict, result.findings) == ("noted", ("It was read.",))
    assert set(statuses) == {"200 paid"}
