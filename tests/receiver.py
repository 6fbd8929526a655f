"""The reference receiver for tests: signed deliveries, a clock that stands still, and a client that talks to it."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import aiohttp

from receiver_fixture.clock import SECOND, Micros, SystemClock
from receiver_fixture.receiver import Receiver
from receiver_fixture.settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

SECRET = "whsec_test_receiver"
NOW = 1_700_000_000
PATIENCE = 20


class StillClock:
    """Stands at ``NOW``; a wait ends when the test says so, and is written down."""

    def __init__(self) -> None:
        self.asked: list[Micros] = []
        self._asked = asyncio.Event()
        self._released = asyncio.Event()

    def now(self) -> Micros:
        """Return ``NOW``, always."""
        return NOW * SECOND

    async def sleep(self, duration: Micros) -> None:
        """Note the wait and hold it until ``release``; 0 only lets others run."""
        if not duration:
            await SystemClock().sleep(0)
            return
        self.asked.append(duration)
        self._asked.set()
        await self._released.wait()

    async def until_asked(self) -> None:
        """Wait until somebody waits."""
        await asyncio.wait_for(self._asked.wait(), PATIENCE)

    def release(self) -> None:
        """End every wait, those to come too."""
        self._released.set()


def invoice_event(
    status: str = "paid", *, event_id: str = "evt_1", invoice: str = "inv_1", at: int = NOW
) -> dict[str, Any]:
    """Make the event that announces an invoice's status; the order is named after the invoice."""
    final = status in {"paid", "paid_over", "underpaid", "expired", "cancelled"}
    order = {"external_id": f"order-{invoice}", "amount": "11.05", "currency": "USD"}
    data = {"invoice_id": invoice, "status": status, "is_final": final, "order": order}
    return {"event_id": event_id, "event_type": f"invoice.{status}", "version": 1, "occurred_at": at, "data": data}


def encode(document: object) -> bytes:
    """Write compact UTF-8 JSON."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


def digest(body: bytes, secret: str = SECRET, stamp: int | str = NOW) -> str:
    """Compute ``v1`` the way the contract words it (§1.2)."""
    return hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()


def sign(body: bytes, secret: str = SECRET, stamp: int = NOW) -> dict[str, str]:
    """Make the headers of a delivery."""
    return {
        "Content-Type": "application/json; charset=utf-8",
        "X-Webhook-Timestamp": str(stamp),
        "X-Webhook-Signature": f"t={stamp},v1={digest(body, secret, stamp)}",
    }


@dataclass(frozen=True)
class Client:
    """Talks to one receiver, as sender and as curious merchant."""

    url: str
    session: aiohttp.ClientSession

    async def deliver(self, event: object, headers: dict[str, str] | None = None, **signing: Any) -> int:
        """Deliver an event, or ready-made bytes, and return the status."""
        body = event if isinstance(event, bytes) else encode(event)
        sent = sign(body, **signing) if headers is None else headers
        async with self.session.post(self.url, data=BytesIO(body), headers=sent, allow_redirects=False) as answer:
            await answer.read()
            return answer.status

    async def get(self, path: str, status: int = 200) -> Any:
        """Read one of the receiver's documents."""
        return await self._call("GET", path, None, status)

    async def post(self, path: str, document: object = None, status: int = 200) -> Any:
        """Turn one of the receiver's switches."""
        return await self._call("POST", path, document, status)

    async def script(self, **script: Any) -> None:
        """Script one answer."""
        await self.post("/_script", script, status=201)

    async def delete(self, path: str) -> None:
        """Take something away."""
        await self._call("DELETE", path, None, 204)

    @asynccontextmanager
    async def raw(self, body: bytes, extra: bytes = b"") -> AsyncIterator[asyncio.StreamReader]:
        """Deliver over a bare connection that stays open, with extra header bytes; read what comes back as it comes."""
        host, port = self.url.removeprefix("http://").removesuffix("/webhook").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        fields = {"Host": host, "Content-Length": str(len(body)), **sign(body)}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        writer.write(b"POST /webhook HTTP/1.1\r\n" + head.encode() + extra + b"\r\n" + body)
        try:
            yield reader
        finally:
            writer.close()

    async def _call(self, method: str, path: str, document: object, status: int) -> Any:
        base = self.url.removesuffix("/webhook")
        async with self.session.request(method, base + path, json=document) as answer:
            text = await answer.text()
            assert answer.status == status, text
            return json.loads(text) if text else None


@asynccontextmanager
async def client(url: str) -> AsyncIterator[Client]:
    """Talk to a receiver that runs somewhere."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=PATIENCE)) as session:
        yield Client(url, session)


@asynccontextmanager
async def running(clock: StillClock | None = None, **settings: Any) -> AsyncIterator[tuple[Receiver, Client]]:
    """Run a receiver in this event loop; secret ``SECRET`` and a still clock unless told otherwise."""
    chosen = Settings(**{"secrets": (SECRET,), **settings})
    async with Receiver(chosen, clock or StillClock()) as receiver, client(receiver.url) as talk:
        yield receiver, talk
