"""Bodies of Paymos against the samples of the provider's documentation, to the byte."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import pytest
from paymos.webhooks import WebhookVerifier
from pydantic import TypeAdapter

from sender.domain.invoice import Invoice, InvoiceStatus
from sender.domain.invoice_commands import ChooseNetwork, ConfirmTransfers, PayLate, SeeTransfer
from sender.domain.invoice_transitions import transition
from sender.domain.sandbox import Stage, stage_commands
from sender.durations import HOUR, SECOND
from sender.providers.paymos import EVENT_TYPES, Paymos
from sender.providers.paymos_wire import invoice_item, to_bytes
from sender.providers.profile import Event
from tests.invoices import CHOOSE, CREATE, QUOTE, START, invoice_in, run, see

PAYMOS = Paymos()
S = InvoiceStatus
TX = "abcdef1234567890" * 4

PAID_SAMPLE = (
    '{"event_id":"evt_J7EEYeL9pZJukfj2c5OQ44","event_type":"invoice.paid","version":1,"occurred_at":1739281200,"data":{'
    '"invoice_id":"inv_5CcyDYmMUGtzYL10q0Iimr","project_id":"prj_xFukZuAJZR06pLVBh3uwzv","status":"paid",'
    '"is_final":true,"is_test":false,"payment_url":"https://checkout.paymos.io/invoice/inv_5CcyDYmMUGtzYL10q0Iimr",'
    '"order":{"external_id":"order-12345","client_id":"customer-67890","amount":"100.00","currency":"USD"},'
    '"payment":{"currency":"USDT","network":"TRC20","chain_id":728126428,'
    '"contract_address":"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t","expected":"50.00",'
    '"address":"TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m9","exchange_rate":"2.00","paid":"50.00","remaining":"0",'
    '"fee":"0.50","net":"49.50","transfers":[{"tx_hash":"' + TX + '","amount":"50.00","status":"confirmed",'
    '"created_at":1739281020,"confirmed_at":1739281200,"required_confirmations":19,'
    '"estimated_confirmation_at":1739281080,"explorer_url":"https://tronscan.org/#/transaction/' + TX + '"}]},'
    '"expires_at":1739284200,"completed_at":1739281200,"created_at":1739277600,"updated_at":1739281200}}'
)
CREATED_SAMPLE = (
    '{"invoice_id":"inv_5CcyDYmMUGtzYL10q0Iimr","project_id":"prj_xFukZuAJZR06pLVBh3uwzv","status":"awaiting_client",'
    '"is_final":false,"is_test":true,"payment_url":"https://checkout.paymos.io/invoice/inv_5CcyDYmMUGtzYL10q0Iimr",'
    '"order":{"external_id":"order-123","client_id":"customer-456","amount":"100.00","currency":"USD"},'
    '"created_at":1743594000,"updated_at":1743594000,"expires_at":1743597600}'
)


def event_of(invoice: Invoice, event_type: str) -> Event:
    """Return an event about ``invoice`` that occurred when it last changed."""
    return Event("evt_J7EEYeL9pZJukfj2c5OQ44", event_type, invoice.updated_at, invoice)


def data_of(invoice: Invoice) -> dict:
    """Return the snapshot that a webhook about ``invoice`` carries."""
    return json.loads(PAYMOS.encode(event_of(invoice, f"invoice.{invoice.status}")))["data"]


def sample_invoice() -> Invoice:
    """Return the paid invoice of the sample, made by the transitions that led there."""
    created_at, seen_at, confirmed_at = (second * SECOND for second in (1739277600, 1739281020, 1739281200))
    order = replace(CREATE, external_id="order-12345", client_id="customer-67890", is_test=False)
    invoice = run(None, order, ChooseNetwork(QUOTE, lifetime=6600 * SECOND), now=created_at).resource
    invoice = transition(invoice, SeeTransfer(TX, Decimal("50.00")), seen_at).resource
    return transition(invoice, ConfirmTransfers(), confirmed_at).resource


def test_the_paid_sample_to_the_byte() -> None:
    """The body of ``invoice.paid`` is the sample of the documentation, key order and values included."""
    assert PAYMOS.encode(event_of(sample_invoice(), "invoice.paid")) == PAID_SAMPLE.encode()


def test_the_created_sample_to_the_byte() -> None:
    """The answer to a create is the sample of the documentation, in the order of the API."""
    created = transition(None, replace(CREATE, lifetime=HOUR), 1743594000 * SECOND).resource
    assert to_bytes(PAYMOS.resource(created)) == CREATED_SAMPLE.encode()


def test_the_api_orders_its_keys_otherwise_than_the_webhook() -> None:
    """The same invoice has its instants in another order on the API, and the same values."""
    resource = PAYMOS.resource(sample_invoice())
    assert list(resource)[7:] == ["payment", "created_at", "updated_at", "expires_at", "completed_at"]
    assert resource == json.loads(PAID_SAMPLE)["data"]


def test_a_list_item_is_flat() -> None:
    """An item of a list has neither order nor payment, and leaves out what is not there."""
    assert invoice_item(sample_invoice()) == {
        "invoice_id": "inv_5CcyDYmMUGtzYL10q0Iimr",
        "project_id": "prj_xFukZuAJZR06pLVBh3uwzv",
        "external_order_id": "order-12345",
        "status": "paid",
        "is_final": True,
        "is_test": False,
        "amount": "100.00",
        "currency": "USD",
        "created_at": 1739277600,
        "client_id": "customer-67890",
        "expires_at": 1739284200,
        "completed_at": 1739281200,
    }


def test_simulated_transfers_are_counted_and_not_shown() -> None:
    """A sandbox payment has its sums and no ``transfers``; a real one beside it is shown."""
    invoice = invoice_in(S.AWAITING_CLIENT)
    half = run(invoice, *stage_commands(invoice, Stage.UNDERPAY, CHOOSE)).resource
    payment = data_of(half)["payment"]
    assert (payment["paid"], payment["remaining"], payment["fee"], payment["net"]) == (
        "25.00",
        "25.00",
        "0.25",
        "24.75",
    )
    assert "transfers" not in payment
    mixed = run(half, see("25", "real"), ConfirmTransfers()).resource
    assert [item["tx_hash"] for item in data_of(mixed)["payment"]["transfers"]] == ["real"]


def test_sums_appear_once_something_is_confirmed() -> None:
    """While the first transfer is confirming there is no ``paid`` yet, and the transfer says so itself."""
    payment = data_of(invoice_in(S.CONFIRMING))["payment"]
    assert not {"paid", "remaining", "fee", "net"} & set(payment)
    assert payment["transfers"][0]["status"] == "confirming"
    assert "confirmed_at" not in payment["transfers"][0]


@pytest.mark.parametrize("status", list(S))
def test_nothing_is_null_and_the_status_is_the_announced_one(status: InvoiceStatus) -> None:
    """In every status absent members are absent, and ``data.status`` equals what the event says."""
    body = PAYMOS.encode(event_of(invoice_in(status), f"invoice.{status}"))
    assert b"null" not in body
    assert b": " not in body
    document = json.loads(body)
    assert document["event_type"] == f"invoice.{document['data']['status']}"
    assert document["data"]["is_final"] == (status in {S.PAID, S.PAID_OVER, S.UNDERPAID, S.EXPIRED, S.CANCELLED})


def test_a_late_payment_appears_on_reads() -> None:
    """``paid_late_at`` follows ``completed_at`` and the status stays."""
    late = transition(invoice_in(S.EXPIRED), PayLate(), START + HOUR).resource
    resource = PAYMOS.resource(late)
    assert list(resource)[-3:] == ["expires_at", "completed_at", "paid_late_at"]
    assert (resource["status"], resource["paid_late_at"]) == ("expired", 1_700_003_600)


def test_text_is_utf8_and_escaped_only_where_json_must() -> None:
    """Cyrillic, an emoji and quotes travel as themselves, so the body is the same text that was given."""
    order = replace(CREATE, external_id='заказ № 1 "😀" <&+>', client_id=None)
    body = PAYMOS.encode(event_of(transition(None, order, START).resource, "invoice.awaiting_client"))
    assert '"external_id":"заказ № 1 \\"😀\\" <&+>"'.encode() in body


def test_a_native_coin_has_no_contract_and_a_locked_order_its_network() -> None:
    """``contract_address`` is left out for TRX; ``order.network`` is there only for a locked order."""
    locked = PAYMOS.priced(replace(CREATE, amount=Decimal(5), currency="TRX", network="TRC20"))
    data = data_of(transition(None, locked, START).resource)
    assert data["status"] == "awaiting_payment"
    assert list(data["order"]) == ["external_id", "client_id", "amount", "currency", "network"]
    assert "contract_address" not in data["payment"]
    assert data["payment"]["expected"] == "5.00"


def test_the_headers_of_an_attempt() -> None:
    """Names, values and order are those of the contract, and the official SDK takes the signature."""
    body = PAYMOS.encode(event_of(sample_invoice(), "invoice.paid"))
    headers = PAYMOS.sign(body, ["whsec_test_new", "whsec_test_old"], 1739281201, "evt_J7EEYeL9pZJukfj2c5OQ44")
    assert headers[:4] == (
        ("Content-Type", "application/json; charset=utf-8"),
        ("User-Agent", "Paymos-Webhook/1.0"),
        ("X-Webhook-Id", "evt_J7EEYeL9pZJukfj2c5OQ44"),
        ("X-Webhook-Timestamp", "1739281201"),
    )
    name, signature = headers[4]
    assert name == "X-Webhook-Signature"
    for secret in ("whsec_test_new", "whsec_test_old"):
        event = WebhookVerifier(secret).construct_event(signature, body, now=1739281500)
        assert event["event_type"] == "invoice.paid"


@pytest.mark.parametrize(
    ("status", "accepted"),
    [
        (199, False),
        (200, True),
        (204, True),
        (299, True),
        (300, False),
        (302, False),
        (410, False),
        (429, False),
        (500, False),
    ],
)
def test_only_2xx_is_accepted(status: int, accepted: bool) -> None:  # noqa: FBT001 - a column of the table
    """Any 2xx ends the ladder, nothing else does."""
    assert PAYMOS.accepts(status) is accepted


def test_the_profile_lists_every_event_it_can_announce() -> None:
    """Eight invoice events, five of withdrawals, three of deposits; each in a category that can be subscribed to."""
    assert len(EVENT_TYPES) == len(set(EVENT_TYPES)) == 16
    assert {name.partition(".")[0] for name in EVENT_TYPES} == set(PAYMOS.categories)
    assert {name for name in EVENT_TYPES if name.startswith("invoice.")} == {
        f"invoice.{status}" for status in S if status is not S.AWAITING_CLIENT
    }


@pytest.mark.parametrize("status", list(S))
def test_an_invoice_survives_storage(status: InvoiceStatus) -> None:
    """What the store writes as JSON reads back as the same invoice, decimals with their zeros included."""
    adapter = TypeAdapter(Invoice)
    invoice = invoice_in(status)
    again = adapter.validate_json(adapter.dump_json(invoice))
    assert again == invoice
    assert PAYMOS.encode(event_of(again, "invoice.paid")) == PAYMOS.encode(event_of(invoice, "invoice.paid"))
