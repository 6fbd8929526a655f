"""Every method of the official SDK, against a running server over a real socket."""

from __future__ import annotations

import inspect
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sender.domain.money import minus
from tests.api import PROJECT, serving_beside
from tests.sdk import payout_sdk, sdk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paymos import Paymos

    from tests.api import Beside

PAIR = {"currency": "USDT", "network": "TRC20"}


@pytest.fixture(scope="module")
def api() -> Iterator[Beside]:
    """Give an API that all tests of this file share."""
    with serving_beside() as running:
        yield running


@pytest.fixture
def payment(api: Beside) -> Paymos:
    """Give a client with the payment key."""
    return sdk(api.base)


@pytest.fixture
def payout(api: Beside) -> Paymos:
    """Give a client with the payout key."""
    return payout_sdk(api.base)


def invoice(payment: Paymos, name: str, **more: Any) -> Any:
    """Create an invoice."""
    order: dict[str, Any] = {"project_id": PROJECT, "amount": "11.05", "currency": "USD", "external_order_id": name}
    return payment.invoices.create(**order, **more)


def test_time(payment: Paymos, payout: Paymos) -> None:
    """Any key is told the time."""
    assert payment.system.time()["server_time"] == payout.system.time()["server_time"]


def test_invoice_from_creation_to_payment(payment: Paymos) -> None:
    """Create, get, choose a network, pay: the invoice ends paid, with its sums."""
    made = invoice(payment, "life", client_id="customer-1", allow_multiple_payments=False, customer_fee_percent=3)
    assert payment.invoices.get(made["invoice_id"]) == made
    chosen = payment.invoices.confirm_payment(made["invoice_id"], "USDT", "TRC20")
    assert chosen["payment"]["address"].startswith("T")
    paid = payment.invoices.simulate_payment(made["invoice_id"], "paid")
    assert (paid["status"], paid["is_final"], paid["payment"]["remaining"]) == ("paid", True, "0")
    assert paid["payment"]["paid"] == paid["payment"]["expected"] == "11.05"


def test_invoice_is_created_once(payment: Paymos) -> None:
    """The same external order id gives the same invoice, whatever state it is in."""
    made = invoice(payment, "once")
    payment.invoices.cancel(made["invoice_id"], "the customer left")
    again = invoice(payment, "once")
    assert (again["invoice_id"], again["status"]) == (made["invoice_id"], "cancelled")


@pytest.mark.parametrize(
    ("stage", "status"),
    [("paid", "paid"), ("overpaid", "paid_over"), ("underpay", "underpaid_waiting"), ("cancel", "cancelled"),
     ("paid_late", "expired")],
)  # fmt: skip
def test_every_stage_of_the_sandbox(payment: Paymos, stage: str, status: str) -> None:
    """Each stage that the SDK knows drives an invoice."""
    made = invoice(payment, f"stage-{stage}")
    assert payment.invoices.simulate_payment(made["invoice_id"], stage)["status"] == status


def test_invoice_list_and_its_filters(payment: Paymos) -> None:
    """Every filter of the SDK is understood."""
    made = invoice(payment, "list me / *~ё", network="TRC20", client_id="c")
    page = payment.invoices.list(
        limit=10,
        status=["awaiting_client", "paid"],
        external_order_id="list me / *~ё",
        project_id=PROJECT,
        created_from=made["created_at"],
        created_to=made["created_at"] + 1,
    )
    assert [item["invoice_id"] for item in page["items"]] == [made["invoice_id"]]
    assert page["next_cursor"] is None
    everything = list(payment.invoices.iterate(limit=3, project_id=PROJECT))
    assert made["invoice_id"] in {item["invoice_id"] for item in everything}
    assert len({item["invoice_id"] for item in everything}) == len(everything)


def usdt(payout: Paymos) -> Decimal:
    """Return what is available in USDT."""
    return next(Decimal(one["available"]) for one in payout.balances.get() if one["currency"] == "USDT")


def test_withdrawals(payout: Paymos) -> None:
    """Create, get, cancel, complete, list, iterate, and what is left."""
    order = {"destination_address": "TW7pMBrHnhSbrtgpBsFbLXwPfCiKtxaHhq", "amount": "5.00", **PAIR}
    before = usdt(payout)
    first = payout.withdrawals.create(**order, external_order_id="payout-1")
    second = payout.withdrawals.create(**order, external_order_id="payout-2")
    assert payout.withdrawals.get(first["withdrawal_id"]) == first
    assert payout.withdrawals.cancel(first["withdrawal_id"], "mistake")["status"] == "cancelled"
    done = payout.withdrawals.simulate_completion(second["withdrawal_id"])
    assert (done["status"], done["is_final"], len(done["tx_hash"])) == ("completed", True, 64)
    page = payout.withdrawals.list(status=["completed"], external_order_id="payout-2", limit=5)
    assert [item["withdrawal_id"] for item in page["items"]] == [second["withdrawal_id"]]
    listed = [item["external_order_id"] for item in payout.withdrawals.iterate(limit=1)]
    assert listed == ["payout-2", "payout-1"]
    assert minus(before, usdt(payout)) == Decimal("5.00")


def test_channels_and_deposits(payment: Paymos) -> None:
    """Open or fetch, get, list, iterate, block, unblock, deposit, and the feed of deposits."""
    made = payment.payment_channels.create(project_id=PROJECT, external_id="customer-42")
    assert payment.payment_channels.create(project_id=PROJECT, external_id="customer-42") == made
    assert payment.payment_channels.get(made["id"]) == made
    assert payment.payment_channels.block(made["id"])["status"] == "blocked"
    assert payment.payment_channels.unblock(made["id"])["is_accepting_payments"] is True
    page = payment.payment_channels.list(status=["active"], external_id="customer-42", project_id=PROJECT, limit=1)
    assert [item["id"] for item in page["items"]] == [made["id"]]
    assert [item["id"] for item in payment.payment_channels.iterate(limit=1)] == [made["id"]]
    deposits = [
        payment.payment_channels.simulate_deposit(made["id"], amount="100", stage=stage, **PAIR)
        for stage in ("confirming", "reorged", "confirmed", None)
    ]
    assert [one["status"] for one in deposits] == ["confirming", "reorged", "confirmed", "confirmed"]
    assert payment.payment_channel_deposits.get(deposits[0]["id"]) == deposits[0]
    feed = payment.payment_channel_deposits.read(payment_channel_id=made["id"], project_id=PROJECT,
               confirmed_from=1, limit=1)  # fmt: skip
    rest = payment.payment_channel_deposits.read(payment_channel_id=made["id"], cursor=feed["next_cursor"])
    assert [one["id"] for one in feed["items"] + rest["items"]] == [one["id"] for one in deposits[2:]]
    assert rest["next_cursor"]


def test_no_method_was_left_out(payment: Paymos) -> None:
    """Whatever the SDK can do, a test above does."""
    source = Path(__file__).read_text()
    offered = {
        f"{name}.{method}"
        for name, group in vars(payment).items()
        if type(group).__module__ == "paymos.client"
        for method, _ in inspect.getmembers(group, inspect.ismethod)
        if not method.startswith("_")
    }
    assert len(offered) >= 24
    assert {one for one in offered if f".{one}(" not in source} == set()
