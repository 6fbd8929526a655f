"""Receivers of ten lines, as merchants write them, tested through the fixture, with the official SDK verifying."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import flask
import pytest
from aiohttp import web
from fastapi import FastAPI, Request, Response
from paymos import Paymos as Sdk
from paymos.errors import PaymosError
from paymos.webhooks import WebhookVerifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.testing import Paymos

HEADER = "X-Webhook-Signature"


@dataclass
class Shop:
    """What a merchant keeps: which events it has seen, and which orders it has shipped."""

    seen: set[str] = field(default_factory=set)
    shipped: list[str] = field(default_factory=list)

    def take(self, event: Any) -> None:
        """Handle an event once."""
        if event["event_id"] not in self.seen and event["event_type"] == "invoice.paid":
            self.shipped.append(event["data"]["order"]["external_id"])
        self.seen.add(event["event_id"])


def flask_receiver(secret: str, shop: Shop) -> flask.Flask:
    """Return a Flask application."""
    app = flask.Flask("shop")
    verifier = WebhookVerifier(secret)

    @app.post("/webhook")
    def webhook() -> tuple[str, int]:
        try:
            event = verifier.construct_event(flask.request.headers.get(HEADER, ""), flask.request.get_data())
        except PaymosError:
            return "", 401
        shop.take(event)
        return "", 204

    return app


def fastapi_receiver(secret: str, shop: Shop) -> FastAPI:
    """Return a FastAPI application."""
    app = FastAPI()
    verifier = WebhookVerifier(secret)

    @app.post("/webhook")
    async def webhook(request: Request) -> Response:
        try:
            event = verifier.construct_event(request.headers.get(HEADER, ""), await request.body())
        except PaymosError:
            return Response(status_code=401)
        shop.take(event)
        return Response(status_code=204)

    return app


def aiohttp_receiver(secret: str, shop: Shop) -> web.Application:
    """Return an aiohttp application."""
    verifier = WebhookVerifier(secret)

    async def webhook(request: web.Request) -> web.Response:
        try:
            event = verifier.construct_event(request.headers.get(HEADER, ""), await request.read())
        except PaymosError:
            return web.Response(status=401)
        shop.take(event)
        return web.Response(status=204)

    app = web.Application()
    app.router.add_post("/webhook", webhook)
    return app


MAKERS = {"flask": flask_receiver, "fastapi": fastapi_receiver, "aiohttp": aiohttp_receiver}
every_kind = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
in_a_loop = pytest.mark.parametrize("make", [fastapi_receiver, aiohttp_receiver], ids=["fastapi", "aiohttp"])


@every_kind
def test_a_paid_order_is_shipped_once(paymos: Paymos, make: Callable[[str, Shop], Any]) -> None:
    """The sender dies after the receiver has answered; the event comes twice, and the order is shipped once."""
    shop = Shop()
    paymos.receiver(make(paymos.secret, shop))
    paymos.crash("relay.after_send", event="invoice.paid")
    invoice = paymos.create_invoice(amount="10.00", order_id="order-7")
    assert paymos.pay(invoice).status == "paid"
    paymos.expect(invoice, "invoice.paid", state="delivered", attempts=1)
    assert shop.shipped == ["order-7"]


@every_kind
def test_a_forgery_is_turned_away(paymos: Paymos, make: Callable[[str, Shop], Any]) -> None:
    """What is tampered with is refused, and the next attempt is taken."""
    shop = Shop()
    paymos.receiver(make(paymos.secret, shop))
    paymos.wire("tampered_body", event="invoice.paid", attempt=1)
    invoice = paymos.pay(paymos.create_invoice("10.00"))
    assert shop.shipped == []
    paymos.advance(minutes=1)
    paymos.expect(invoice, "invoice.paid", state="delivered", statuses=[401, 204], at=["0", "1m"])
    assert shop.shipped == ["order-1"]


@in_a_loop
async def test_a_receiver_in_the_loop_of_the_test(paymos: Paymos, make: Callable[[str, Shop], Any]) -> None:
    """It runs where the test runs, which awaits the simulator and so does not stop it."""
    shop = Shop()
    async with paymos.aio.serving(make(paymos.secret, shop)) as url:
        assert url.endswith("/webhook")
        invoice = await paymos.aio.create_invoice(amount="10.00")
        await paymos.aio.pay(invoice)
        await paymos.aio.advance(hours=16)
        await paymos.aio.expect(invoice, "invoice.paid", state="delivered", attempts=1)
    assert shop.shipped == ["order-1"]


@every_kind
async def test_a_receiver_in_a_thread_of_its_own(paymos: Paymos, make: Callable[[str, Shop], Any]) -> None:
    """A test with a loop may leave the receiver to the fixture too."""
    shop = Shop()
    await paymos.aio.receiver(make(paymos.secret, shop))
    await paymos.aio.pay(await paymos.aio.create_invoice("10.00"))
    assert shop.shipped == ["order-1"]


def test_the_shop_s_own_code_calls_the_api(paymos: Paymos) -> None:
    """The SDK works by its base URL; what the test lets happen to its invoice arrives at its receiver."""
    shop = Shop()
    paymos.receiver(flask_receiver(paymos.secret, shop))
    client = Sdk(**paymos.credentials)
    invoice = client.invoices.create(
        project_id=paymos.project_id, external_order_id="mine", amount="10.00", currency="USD"
    )
    paymos.pay(invoice["invoice_id"])
    assert shop.shipped == ["mine"]
    assert client.invoices.get(invoice["invoice_id"])["status"] == "paid"
    assert {"USDT", "USDC"} == {one["currency"] for one in Sdk(**paymos.payout_credentials).balances.get()}
