"""What the operations do: idempotency, statuses, lists, the feed; on both databases."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from sender.durations import MINUTE, SECOND
from sender.web.parts import ApiOptions
from tests.api import LIVE_PAYOUT, ORDER, PAYOUT, PROJECT, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.api import Answer, Api

PAYOUT_ORDER = {
    "destination_address": "TW7pMBrHnhSbrtgpBsFbLXwPfCiKtxaHhq",
    "network": "TRC20",
    "currency": "USDT",
    "amount": "25.50",
    "external_order_id": "payout-1",
}
DEPOSIT = {"amount": "100.00", "currency": "USDT", "network": "TRC20"}


@pytest.fixture
async def api(database_url: str) -> AsyncIterator[Api]:
    """Give a running API, once on each kind of database."""
    async with serving(database_url) as running:
        yield running


async def created(api: Api, **changes: Any) -> dict[str, Any]:
    """Create an invoice."""
    answer = await api.call("POST", "/v1/invoices", ORDER | changes)
    assert answer.status == 201, answer.raw
    return answer.document


async def channel(api: Api, external_id: str = "customer-42") -> Answer:
    """Open a payment channel."""
    return await api.call("POST", "/v1/payment-channels", {"project_id": PROJECT, "external_id": external_id})


async def test_order_is_shown_as_it_was_given(api: Api) -> None:
    """A new invoice has the members of the provider's sample, in its order (contract §3.2)."""
    invoice = await created(api, client_id="customer-456", amount="100")
    assert list(invoice) == ["invoice_id", "project_id", "status", "is_final", "is_test", "payment_url", "order",
                             "created_at", "updated_at", "expires_at"]  # fmt: skip
    assert (invoice["status"], invoice["is_final"], invoice["is_test"]) == ("awaiting_client", False, True)
    assert invoice["order"] == {
        "external_id": "order-1", "client_id": "customer-456", "amount": "100.00", "currency": "USD",
    }  # fmt: skip
    assert invoice["expires_at"] - invoice["created_at"] == 1_800


async def test_fifty_equal_requests_make_one_invoice(api: Api) -> None:
    """Of fifty at once one creates, and the others get what it created (contract §5.4)."""
    answers = await asyncio.gather(*(api.call("POST", "/v1/invoices", ORDER) for _ in range(50)))
    assert sorted(answer.status for answer in answers) == [200] * 49 + [201]
    assert len({answer.document["invoice_id"] for answer in answers}) == 1
    assert len((await api.call("GET", "/v1/invoices")).document["items"]) == 1


async def test_replay_returns_the_original_whatever_was_asked(api: Api) -> None:
    """Another amount, and an invoice that has ended, change nothing about a replay."""
    invoice = await created(api)
    await api.call("POST", f"/v1/invoices/{invoice['invoice_id']}/cancel", {"reason": "changed my mind"})
    replay = await api.call("POST", "/v1/invoices", ORDER | {"amount": "99.00", "currency": "EUR"})
    assert (replay.status, replay.document["status"]) == (200, "cancelled")
    assert replay.document["order"]["amount"] == "11.05"


async def test_invoice_locked_to_a_network_awaits_payment(api: Api) -> None:
    """A token and a network in the order are a payment with its address at once."""
    invoice = await created(api, currency="USDT", network="TRC20", amount="50")
    assert (invoice["status"], invoice["payment"]["expected"]) == ("awaiting_payment", "50.00")
    assert invoice["order"]["network"] == "TRC20"


async def test_confirm_payment_chooses_and_moves_the_deadline(api: Api) -> None:
    """Token and network are chosen once, and the deadline begins anew (contract §4.1)."""
    invoice = await created(api)
    await api.simulator.conductor.advance_by(10 * MINUTE)
    target = f"/v1/invoices/{invoice['invoice_id']}/confirm-payment"
    chosen = await api.call("POST", target, {"currency": "USDC", "network": "BASE"})
    assert (chosen.status, chosen.document["status"]) == (200, "awaiting_payment")
    assert (chosen.document["payment"]["currency"], chosen.document["payment"]["network"]) == ("USDC", "BASE")
    assert chosen.document["expires_at"] == invoice["expires_at"] + 600
    again = await api.call("POST", target, {"currency": "USDC", "network": "BASE"})
    assert (again.status, again.document["code"]) == (409, "conflict")


@pytest.mark.parametrize(
    ("stage", "status"),
    [("paid", "paid"), ("overpaid", "paid_over"), ("underpay", "underpaid_waiting"), ("cancel", "cancelled"),
     ("paid_late", "expired")],
)  # fmt: skip
async def test_stages_of_the_sandbox(api: Api, stage: str, status: str) -> None:
    """Each stage drives the invoice to its status; a late payment leaves it and sets a mark (contract §4.1)."""
    invoice = await created(api)
    target = f"/v1/sandbox/invoices/{invoice['invoice_id']}/simulate-payment"
    driven = await api.call("POST", target, {"stage": stage})
    assert (driven.status, driven.document["status"]) == (200, status)
    assert ("paid_late_at" in driven.document) == (stage == "paid_late")
    assert driven.document["is_final"] == (stage != "underpay")
    read = await api.call("GET", f"/v1/invoices/{invoice['invoice_id']}")
    assert read.document == driven.document


async def test_only_awaiting_client_can_be_cancelled(api: Api) -> None:
    """After the choice of a network, and after the end, a cancel is a conflict of its own code (contract §4.1)."""
    invoice = await created(api, currency="USDT", network="TRC20")
    answer = await api.call("POST", f"/v1/invoices/{invoice['invoice_id']}/cancel", {"reason": "x"})
    assert (answer.status, answer.document["code"]) == (409, "invoice_cannot_be_cancelled")


async def test_simulating_what_has_ended_is_a_conflict(api: Api) -> None:
    """A final status is never left."""
    invoice = await created(api)
    target = f"/v1/sandbox/invoices/{invoice['invoice_id']}/simulate-payment"
    await api.call("POST", target, {"stage": "paid"})
    answer = await api.call("POST", target, {"stage": "overpaid"})
    assert answer.status == 409


async def test_list_pages_through_everything_once(api: Api) -> None:
    """Newest first, all at one instant, none lost or repeated while others are added (contract §5.5)."""
    for number in range(23):
        await created(api, external_order_id=f"order-{number}")
    seen, target = [], "/v1/invoices?limit=5"
    while target:
        page = (await api.call("GET", target)).document
        seen += [item["external_order_id"] for item in page["items"]]
        await created(api, external_order_id=f"late-{len(seen)}")
        target = page["next_cursor"] and f"/v1/invoices?cursor={page['next_cursor']}&limit=5"
    assert seen == [f"order-{number}" for number in reversed(range(23))]


async def test_filters_of_the_invoice_list(api: Api) -> None:
    """Status, own id, project and both bounds of the second of creation narrow the list down."""
    first = await created(api, external_order_id="a")
    await api.simulator.conductor.advance_by(10 * SECOND)
    second = await created(api, external_order_id="b")
    await api.call("POST", f"/v1/invoices/{second['invoice_id']}/cancel", {"reason": "x"})
    start, end = first["created_at"], second["created_at"]
    for query, expected in {
        "status=cancelled": ["b"],
        "status=cancelled&status=awaiting_client": ["b", "a"],
        "external_order_id=a": ["a"],
        f"project_id={PROJECT}": ["b", "a"],
        "project_id=prj_other": [],
        f"created_from={end}": ["b"],
        f"created_from={start}&created_to={end}": ["b", "a"],
        f"created_to={end - 1}": ["a"],
    }.items():
        page = (await api.call("GET", f"/v1/invoices?{query}")).document
        assert ([item["external_order_id"] for item in page["items"]], page["next_cursor"]) == (expected, None), query


async def test_withdrawal_takes_its_money_and_gives_it_back(api: Api) -> None:
    """A withdrawal is created once, leaves the balance, and a cancel returns the money."""
    first = await api.call("POST", "/v1/withdrawals", PAYOUT_ORDER, PAYOUT)
    again = await api.call("POST", "/v1/withdrawals", PAYOUT_ORDER | {"amount": "1"}, PAYOUT)
    assert (first.status, again.status, again.document) == (201, 200, first.document)
    assert await balance(api) == "9974.50"
    target = f"/v1/withdrawals/{first.document['withdrawal_id']}"
    cancelled = await api.call("POST", f"{target}/cancel", {"reason": "wrong address"}, PAYOUT)
    assert (cancelled.status, cancelled.document["status"], cancelled.document["is_final"]) == (200, "cancelled", True)
    assert await balance(api) == "10000.00"
    assert (await api.call("POST", f"{target}/cancel", {"reason": "x"}, PAYOUT)).status == 409


async def balance(api: Api) -> str:
    """Return what is available in USDT."""
    balances = (await api.call("GET", "/v1/balances", key=PAYOUT)).document
    return next(one["available"] for one in balances if one["currency"] == "USDT")


async def test_withdrawal_is_completed_in_the_sandbox(api: Api) -> None:
    """Completion needs no body, sets hash and time, and lists show the flat item without them (contract §3.3)."""
    made = (await api.call("POST", "/v1/withdrawals", PAYOUT_ORDER, PAYOUT)).document
    target = f"/v1/sandbox/withdrawals/{made['withdrawal_id']}/simulate-completion"
    completed = await api.call("POST", target, key=PAYOUT)
    assert (completed.status, completed.document["status"]) == (200, "completed")
    assert {"tx_hash", "explorer_url", "completed_at"} <= set(completed.document)
    (item,) = (await api.call("GET", "/v1/withdrawals?status=completed", key=PAYOUT)).document["items"]
    assert set(completed.document) - set(item) == {"tx_hash", "explorer_url"}
    assert (await api.call("POST", target, key=PAYOUT)).status == 409


async def test_more_than_there_is_cannot_leave(api: Api) -> None:
    """Money that is not there is a conflict, in production, which starts with nothing, any at all."""
    for order, key in [(PAYOUT_ORDER | {"amount": "10000.01"}, PAYOUT), (PAYOUT_ORDER, LIVE_PAYOUT)]:
        answer = await api.call("POST", "/v1/withdrawals", order, key)
        assert (answer.status, answer.document["code"]) == (409, "insufficient_balance")


async def test_channel_is_opened_once(api: Api) -> None:
    """Twenty calls for one customer open one channel; all of them get it (contract §5.4)."""
    answers = await asyncio.gather(*(channel(api) for _ in range(20)))
    assert sorted(answer.status for answer in answers) == [200] * 19 + [201]
    assert len({answer.document["id"] for answer in answers}) == 1


async def test_blocked_channel_takes_no_money(api: Api) -> None:
    """Block and unblock return the channel, and a deposit into a blocked one is a conflict (contract §4.3)."""
    target = f"/v1/payment-channels/{(await channel(api)).document['id']}"
    blocked = (await api.call("POST", f"{target}/block")).document
    assert (blocked["status"], blocked["is_accepting_payments"]) == ("blocked", False)
    deposit = f"/v1/sandbox/payment-channels/{blocked['id']}/simulate-deposit"
    assert (await api.call("POST", deposit, DEPOSIT)).status == 409
    assert (await api.call("POST", f"{target}/unblock")).document["is_accepting_payments"] is True
    assert (await api.call("POST", deposit, DEPOSIT)).status == 200
    assert (await api.call("GET", target)).document["status"] == "active"


@pytest.mark.parametrize("stage", ["confirming", "reorged", "confirmed", None])
async def test_deposit_ends_at_its_stage(api: Api, stage: str | None) -> None:
    """Without a stage a deposit is confirmed; only a confirmed one is final (contract §4.4)."""
    one = (await channel(api)).document
    body = DEPOSIT if stage is None else DEPOSIT | {"stage": stage}
    answer = await api.call("POST", f"/v1/sandbox/payment-channels/{one['id']}/simulate-deposit", body)
    deposit = answer.document
    assert (answer.status, deposit["status"]) == (200, stage or "confirmed")
    assert deposit["is_final"] == ("confirmed_at" in deposit) == (stage in {None, "confirmed"})
    assert (deposit["gross"], deposit["fee"], deposit["net"]) == ("100.00", "1.00", "99.00")
    assert (await api.call("GET", f"/v1/payment-channel-deposits/{deposit['id']}")).document == deposit


async def test_feed_never_ends(api: Api) -> None:
    """Confirmed deposits come oldest first; an empty page still has a cursor, from which later ones are read."""
    one = (await channel(api)).document["id"]
    target = f"/v1/sandbox/payment-channels/{one}/simulate-deposit"
    made = [(await api.call("POST", target, DEPOSIT)).document["id"] for _ in range(3)]
    await api.call("POST", target, DEPOSIT | {"stage": "confirming"})
    first = (await api.call("GET", "/v1/payment-channel-deposits?limit=2")).document
    second = (await api.call("GET", f"/v1/payment-channel-deposits?cursor={first['next_cursor']}")).document
    empty = (await api.call("GET", f"/v1/payment-channel-deposits?cursor={second['next_cursor']}")).document
    assert [item["id"] for item in first["items"] + second["items"]] == made
    assert (empty["items"], bool(empty["next_cursor"])) == ([], True)
    late = (await api.call("POST", target, DEPOSIT)).document["id"]
    then = (await api.call("GET", f"/v1/payment-channel-deposits?cursor={empty['next_cursor']}")).document
    assert [item["id"] for item in then["items"]] == [late]
    both = f"/v1/payment-channel-deposits?cursor={empty['next_cursor']}&confirmed_from=1"
    assert (await api.call("GET", both)).document["field"] == "confirmed_from"


async def test_cursor_of_another_list_is_refused(api: Api) -> None:
    """A cursor is for the list that gave it out."""
    for number in range(2):
        await created(api, external_order_id=f"order-{number}")
        await channel(api, f"customer-{number}")
    cursor = (await api.call("GET", "/v1/payment-channels?limit=1")).document["next_cursor"]
    answer = await api.call("GET", f"/v1/invoices?cursor={cursor}")
    assert (answer.status, answer.document["field"]) == (400, "cursor")


async def test_time_is_virtual(api: Api) -> None:
    """The server's time moves with the clock of the simulator and not with the one on the wall (design §2)."""
    before = (await api.call("GET", "/v1/time")).document["server_time"]
    await api.simulator.conductor.advance_by(60 * MINUTE)
    assert (await api.call("GET", "/v1/time")).document["server_time"] == before + 3_600


async def test_payment_url_leads_to_our_own_checkout_page() -> None:
    """With a public URL an invoice leads there and not to the provider."""
    async with serving(options=ApiOptions(public_url="http://localhost:8080")) as api:
        invoice = await created(api)
    assert invoice["payment_url"] == f"http://localhost:8080/invoice/{invoice['invoice_id']}"
