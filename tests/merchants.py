"""Right receivers as merchants write them, with the provider's own SDK: on Flask, and on FastAPI."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import flask
import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from paymos.errors import SignatureMismatchError, TimestampSkewError
from paymos.webhooks import WebhookVerifier
from werkzeug.serving import make_server

from sender.check.means import Means
from sender.clock import Clock
from sender.probe.spec import make_probe
from tests.checking import SECRET

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS fulfilments (invoice TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS orders (number TEXT PRIMARY KEY, shipped INTEGER, state TEXT, final INTEGER, at INTEGER);
"""


@dataclass(frozen=True)
class Shop:
    """The merchant's own books: everything about one event in one transaction."""

    file: Path

    def open(self) -> None:
        """Make the tables."""
        with closing(self._connect()) as books:
            books.executescript(_SCHEMA)

    def handle(self, signature: str, body: bytes) -> int:
        """Take one delivery; return the status of the answer."""
        try:
            event: Any = WebhookVerifier(SECRET).construct_event(signature, body)
        except (SignatureMismatchError, TimestampSkewError):
            return 401
        except ValueError:
            return 400
        with closing(self._connect()) as books:
            books.execute("BEGIN IMMEDIATE")
            if books.execute("INSERT OR IGNORE INTO events VALUES (?)", [event["event_id"]]).rowcount:
                _apply(books, event)
            books.execute("COMMIT")
        return 200

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.file, timeout=8, isolation_level=None)


def _apply(books: sqlite3.Connection, event: dict[str, Any]) -> None:
    data = event["data"]
    if "invoice_id" not in data or not event["event_type"].startswith("invoice."):
        return
    number, status, final = data["order"]["external_id"], data["status"], data["is_final"]
    books.execute("INSERT OR IGNORE INTO orders VALUES (?, 0, NULL, 0, 0)", [number])
    newer = "final = 0 AND (? OR at <= ?)"
    at = event["occurred_at"]
    books.execute(
        f"UPDATE orders SET state = ?, final = ?, at = ? WHERE number = ? AND {newer}",
        [status, final, at, number, final, at],
    )
    if final and status in {"paid", "paid_over"}:
        new = books.execute("INSERT OR IGNORE INTO fulfilments VALUES (?)", [data["invoice_id"]]).rowcount
        books.execute("UPDATE orders SET shipped = shipped + ? WHERE number = ?", [new, number])


class Server(Protocol):
    """A server in a thread."""

    port: int

    def stop(self) -> None:
        """Stop it, and wait until it has."""


class FlaskServer:
    """Flask's application on the development server, a thread for each request."""

    def __init__(self, shop: Shop, port: int = 0) -> None:
        logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
        app = flask.Flask("merchant")

        @app.post("/webhook")
        def webhook() -> tuple[str, int]:
            signature = flask.request.headers.get("X-Webhook-Signature", "")
            return "", shop.handle(signature, flask.request.get_data())

        self._server = make_server("127.0.0.1", port, app, threaded=True)
        self.port = self._server.port
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def stop(self) -> None:
        """Stop it, and wait until it has."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class FastApiServer:
    """FastAPI's application on uvicorn."""

    def __init__(self, shop: Shop, port: int = 0) -> None:
        app = FastAPI()

        @app.post("/webhook")
        async def webhook(request: Request) -> Response:
            signature = request.headers.get("X-Webhook-Signature", "")
            return Response(status_code=await run_in_threadpool(shop.handle, signature, await request.body()))

        config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="critical", lifespan="off", ws="none")
        self._server = uvicorn.Server(config)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self._ready.wait(20)
        self.port = self._server.servers[0].sockets[0].getsockname()[1]

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        started = self._server.startup

        async def startup(sockets: Any = None) -> None:
            await started(sockets)
            self._ready.set()

        self._server.startup = startup  # type: ignore[method-assign]
        await self._server.serve()

    def stop(self) -> None:
        """Stop it, and wait until it has."""
        self._server.should_exit = True
        self._thread.join()


@asynccontextmanager
async def merchant(make: Callable[[Shop, int], Server], file: Path) -> AsyncIterator[Means]:
    """Run a merchant's receiver; give everything that a check can need."""
    shop = Shop(file)
    shop.open()
    servers = [make(shop, 0)]
    probe = make_probe(f"table:sqlite:///{file}#orders.number,shipped,state", Clock())

    async def restart() -> None:
        await asyncio.to_thread(servers[-1].stop)
        servers.append(await asyncio.to_thread(make, shop, servers[-1].port))

    try:
        url = f"http://127.0.0.1:{servers[0].port}/webhook"
        yield Means(url=url, secret=SECRET, probe=probe, restart=restart, retired="whsec_test_retired", asked=[])
    finally:
        await probe.close()
        await asyncio.to_thread(servers[-1].stop)
