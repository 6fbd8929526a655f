"""Merchants: they buy over HTTP, ask again when nobody answered, and remember everything that was answered."""

from __future__ import annotations

import asyncio
import io
import json
from typing import TYPE_CHECKING, Any

import aiohttp

from sender.domain.access import ApiKey, KeyKind
from tests.api import sign
from tests.storm.chronicle import PATIENCE

if TYPE_CHECKING:
    import random

    from sender.clock import Clock
    from tests.storm.figures import Figures
    from tests.storm.parent import Parent

PAUSE = 0.03
"""Real seconds after which a call that failed is made again."""

STAGES = ("paid", "paid", "paid", "overpaid", "underpay", "paid_late")
PAIR = {"currency": "USDT", "network": "TRC20"}


class Client:
    """Calls the API until it answers: a cut connection and a 503 are what a kill looks like from outside."""

    def __init__(self, parent: Parent, session: aiohttp.ClientSession, clock: Clock, figures: Figures) -> None:
        self._parent = parent
        self._session = session
        self._clock = clock
        self._figures = figures

    async def call(self, method: str, target: str, body: Any = None, key: ApiKey | None = None) -> tuple[int, Any]:
        """Return status and document of the first answer that is neither."""
        while True:
            await asyncio.wait_for(self._parent.up.wait(), PATIENCE)
            try:
                status, raw = await self._once(method, target, b"" if body is None else json.dumps(body).encode(), key)
            except aiohttp.ClientError:
                self._figures.refused["cut"] += 1
            else:
                if status != 503:
                    assert status < 500, f"{method} {target}: {status} {raw!r}"
                    self._figures.answered += 1
                    return status, json.loads(raw) if raw else None
                self._figures.refused["503"] += 1
            await self._clock.sleep(PAUSE)

    async def good(self, method: str, target: str, body: Any = None, key: ApiKey | None = None) -> Any:
        """Return the document of an answer that has to be a good one."""
        status, document = await self.call(method, target, body, key)
        assert status < 300, f"{method} {target}: {status} {document}"
        return document

    async def all(self, target: str, key: ApiKey | None = None) -> list[dict[str, Any]]:
        """Return every item of a list, page by page."""
        items: list[dict[str, Any]] = []
        cursor = ""
        while True:
            page = await self.good("GET", f"{target}?limit=100{cursor}", None, key)
            items += page["items"]
            if not page["next_cursor"]:
                return items
            cursor = f"&cursor={page['next_cursor']}"

    async def _once(self, method: str, target: str, data: bytes, key: ApiKey | None) -> tuple[int, bytes]:
        headers = {"Content-Type": "application/json"} | (sign(method, target, data, key) if key else {})
        sent = io.BytesIO(data) if data else None
        async with self._session.request(method, self._parent.url + target, data=sent, headers=headers) as answer:
            return answer.status, await answer.read()


class Merchant:
    """One merchant with a project and a key of its own. ``promised`` is every status that was answered, by invoice."""

    def __init__(self, name: str, client: Client, chance: random.Random) -> None:
        self._name = name
        self._client = client
        self._chance = chance
        self._key: ApiKey | None = None
        self._project = ""
        self._orders = 0
        self.made: dict[str, str] = {}
        self.promised: dict[str, list[str]] = {}

    async def join(self) -> None:
        """Get a project and a key."""
        self._project = (await self._client.good("POST", "/_sim/v1/projects", {"name": self._name}))["id"]
        key = await self._client.good("POST", "/_sim/v1/keys", {"kind": "payment"})
        self._key = ApiKey(key["id"], key["secret"], KeyKind.PAYMENT, is_test=True)

    async def buy(self) -> None:
        """Make an invoice, and do something with it."""
        self._orders += 1
        order = f"{self._name}-{self._orders}"
        invoice = await self._create(order)
        if self._chance.random() < 0.2:
            await self._do(f"/v1/invoices/{invoice}/confirm-payment", invoice, PAIR)
        if self._chance.random() < 0.25:
            await self._do(f"/v1/invoices/{invoice}/cancel", invoice, {"reason": "changed my mind"})
        else:
            stage = {"stage": self._chance.choice(STAGES)}
            await self._do(f"/v1/sandbox/invoices/{invoice}/simulate-payment", invoice, stage)
        if self._chance.random() < 0.1:
            assert await self._create(order) == invoice, "an order was made twice"

    async def shown(self) -> dict[str, str]:
        """Return the status of each invoice, as the API shows it."""
        items = await self._client.all("/v1/invoices", self._key)
        return {one["invoice_id"]: one["status"] for one in items if one["invoice_id"] in self.promised}

    async def _create(self, order: str) -> str:
        wish = {"project_id": self._project, "amount": "11.05", "currency": "USD", "external_order_id": order}
        made = await self._client.good("POST", "/v1/invoices", wish, self._key)
        invoice: str = made["invoice_id"]
        assert self.made.setdefault(order, invoice) == invoice, "an order was made twice"
        self.promised.setdefault(invoice, []).append(made["status"])
        return invoice

    async def _do(self, target: str, invoice: str, body: Any) -> None:
        """Ask for something; it is refused where an earlier call did more than could be answered, or time did."""
        status, document = await self._client.call("POST", target, body, self._key)
        if status == 409:
            document = await self._client.good("GET", f"/v1/invoices/{invoice}", None, self._key)
        else:
            assert status < 300, f"{target}: {status} {document}"
        self.promised[invoice].append(document["status"])


class SideDoor:
    """A second endpoint at the same receiver that is deleted, and subscribed anew, while rows of it are in flight."""

    def __init__(self, client: Client, url: str, secret: str) -> None:
        self._client = client
        self._url = url
        self._secret = secret
        self._open = ""
        self._number = 0
        self.deleted: set[str] = set()

    async def turn(self) -> None:
        """Delete the endpoint that is there and add another one."""
        if self._open:
            await self._client.good("DELETE", f"/_sim/v1/endpoints/{self._open}")
            self.deleted.add(self._open)
            left = await self._client.good("GET", f"/_sim/v1/events?endpoint_id={self._open}&state=pending")
            assert left["items"] == [], "rows of a deleted endpoint are pending"
        self._number += 1
        wish = {"url": f"{self._url}?side={self._number}", "secret": self._secret}
        # An earlier call may have done it without being heard; one endpoint more does no harm.
        self._open = (await self._client.good("POST", "/_sim/v1/endpoints", wish))["id"]
