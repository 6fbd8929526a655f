"""A whole sale with nothing but the provider's SDK: the merchant re-reads the invoice before it ships."""

from __future__ import annotations

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

from paymos import Paymos, WebhookVerifier

from sender.subscriptions import NewEndpoint
from tests.api import PROJECT, serving_beside
from tests.sdk import sdk
from tests.simulators import wire_fault

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = "whsec_test_of_the_shop"


class Shop:
    """A merchant as the provider recommends it: verify, dedupe, re-read, ship (contract §1.12)."""

    def __init__(self, client: Paymos) -> None:
        self.client = client
        self.verifier = WebhookVerifier(SECRET)
        self.told: list[tuple[str, str]] = []
        self.shipped: list[str] = []
        self._seen: set[str] = set()

    def receive(self, signature: str, body: bytes) -> None:
        """Take one delivery; the state that is read is at least the one that was announced."""
        event = self.verifier.construct_event(signature, body)
        data: Any = event["data"]
        if event["event_id"] in self._seen:
            return
        self._seen.add(event["event_id"])
        read = self.client.invoices.get(data["invoice_id"])
        self.told.append((event["event_type"], read["status"]))
        if event["event_type"] == "invoice.paid" and read["status"] == "paid":
            assert read["order"] == data["order"]
            assert read["project_id"] == data["project_id"]
            self.shipped.append(read["order"]["external_id"])


@contextmanager
def opened(shop: Shop) -> Iterator[str]:
    """Let a shop listen, and give its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            shop.receive(self.headers["X-Webhook-Signature"], body)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        serving = Thread(target=server.serve_forever, args=(0.05,))
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/webhook"
        finally:
            server.shutdown()
            serving.join()


def test_order_is_settled_once() -> None:
    """From creation to shipping, with an answer lost and the event delivered again: shipped once."""
    with serving_beside() as api:
        client = sdk(api.base)
        shop = Shop(client)
        with opened(shop) as url:
            api.run(lambda simulator: simulator.subscriptions.add(NewEndpoint(url=url, secret=SECRET)))
            api.run(
                lambda simulator: simulator.subscriptions.arm(wire_fault("lose_response", event_type="invoice.paid"))
            )
            invoice = client.invoices.create(
                project_id=PROJECT, amount="100.00", currency="USD", external_order_id="order-123"
            )["invoice_id"]
            client.invoices.confirm_payment(invoice, "USDT", "TRC20")
            client.invoices.simulate_payment(invoice, "paid")
            api.run(lambda simulator: simulator.conductor.advance_until_idle())
            events = client.invoices.list(status=["paid"])["items"]

    # Nothing is promised about the order of two events that are on their way at once.
    assert sorted(event for event, _ in shop.told) == ["invoice.confirming", "invoice.paid"]
    assert ("invoice.paid", "paid") in shop.told
    assert shop.shipped == ["order-123"]
    assert [item["external_order_id"] for item in events] == ["order-123"]
