"""Whoever re-reads the resource from inside the webhook handler sees at least the state that was announced."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from sender.subscriptions import NewEndpoint
from tests.api import ORDER, PAYMENT, PAYOUT, PROJECT, serving
from tests.receivers import receiving

if TYPE_CHECKING:
    from tests.api import Api
    from tests.receivers import Request

LATER = {
    "confirming": {"confirming", "paid", "confirmed"},
    "paid": {"paid"},
    "created": {"created", "completed"},
    "completed": {"completed"},
    "confirmed": {"confirmed"},
}
"""What may be read once a status has been announced."""

STORIES = 12


def target_of(data: dict[str, Any]) -> str:
    """Return where the resource in a webhook is read."""
    if "invoice_id" in data:
        return f"/v1/invoices/{data['invoice_id']}"
    if "withdrawal_id" in data:
        return f"/v1/withdrawals/{data['withdrawal_id']}"
    return f"/v1/payment-channel-deposits/{data['id']}"


async def stories(api: Api, number: int) -> None:
    """Drive an invoice, a withdrawal and a deposit to their ends."""
    order = ORDER | {"external_order_id": f"order-{number}"}
    invoice = (await api.call("POST", "/v1/invoices", order)).document["invoice_id"]
    await api.call("POST", f"/v1/sandbox/invoices/{invoice}/simulate-payment", {"stage": "paid"})
    payout = {"destination_address": "T1", "network": "TRC20", "currency": "USDT", "amount": "1"}
    made = await api.call("POST", "/v1/withdrawals", payout | {"external_order_id": f"payout-{number}"}, PAYOUT)
    done = f"/v1/sandbox/withdrawals/{made.document['withdrawal_id']}/simulate-completion"
    await api.call("POST", done, key=PAYOUT)
    customer = {"project_id": PROJECT, "external_id": f"customer-{number}"}
    channel = (await api.call("POST", "/v1/payment-channels", customer)).document["id"]
    deposit = {"amount": "5", "currency": "USDT", "network": "TRC20"}
    await api.call("POST", f"/v1/sandbox/payment-channels/{channel}/simulate-deposit", deposit)


@pytest.mark.timeout(180)
async def test_handler_reads_at_least_what_was_announced(database_url: str) -> None:
    """Every webhook of a dozen stories at once is confirmed by a read from inside its handler (contract §8)."""
    stale: list[tuple[str, str, int]] = []

    async with serving(database_url) as api:

        async def reread(request: Request) -> int:
            data = json.loads(request.body)["data"]
            answer = await api.call("GET", target_of(data), key=PAYOUT if "withdrawal_id" in data else PAYMENT)
            status = answer.document.get("status", "")
            if status not in LATER.get(data["status"], {data["status"]}):
                stale.append((data["status"], status, answer.status))
            return 200

        async with receiving(reread) as receiver:
            await api.simulator.subscriptions.add(NewEndpoint(url=receiver.url()))
            await asyncio.gather(*(stories(api, number) for number in range(STORIES)))
            await api.simulator.conductor.advance_until_idle()

    assert stale == []
    assert len(receiver.counts) == STORIES * 6
