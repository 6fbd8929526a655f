"""Withdrawals in the database: what each command commits, who is told, and where the money is (contract §2.3, §4.2)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from sender.domain.withdrawal import WithdrawalStatus
from sender.durations import SECOND
from sender.errors import Conflict, Forbidden, NotFound, RequestRefused
from sender.store import resources
from tests.providing import START, order, payout, providing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.dispatcher import Receipt
    from sender.withdrawals import Withdrawals

    Act = Callable[[Withdrawals, str], Awaitable[Receipt]]

ACTS: dict[str, Act] = {
    "review": lambda them, one: them.review(one),
    "process": lambda them, one: them.process(one),
    "complete": lambda them, one: them.complete(one),
    "fail": lambda them, one: them.fail(one),
    "cancel": lambda them, one: them.cancel(one, "not needed"),
}
JOURNEYS: list[tuple[tuple[str, ...], list[str], list[str], str]] = [
    # commands, the statuses of the history, the events, what is left of 10000
    ((), ["created"], ["created"], "9995.00"),
    (("review",), ["created", "pending_review"], ["created"], "9995.00"),
    (("process",), ["created", "signed"], ["created", "processing"], "9995.00"),
    (("complete",), ["created", "completed"], ["created", "completed"], "9995.00"),
    (("process", "complete"), ["created", "signed", "completed"], ["created", "processing", "completed"], "9995.00"),
    (("fail",), ["created", "failed"], ["created", "failed"], "10000.00"),
    (("process", "fail"), ["created", "signed", "failed"], ["created", "processing", "failed"], "10000.00"),
    (("cancel",), ["created", "cancelling", "cancelled"], ["created", "cancelled"], "10000.00"),
    (
        ("review", "cancel"),
        ["created", "pending_review", "cancelling", "cancelled"],
        ["created", "cancelled"],
        "10000.00",
    ),
]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"network": "SUI"}, "network"),
    ({"currency": "DAI"}, "currency"),
    ({"amount": Decimal(0)}, "amount"),
    ({"external_id": " "}, "external_order_id"),
    ({"external_id": "a\0b"}, "external_order_id"),
    ({"external_id": "\ud800"}, "external_order_id"),
    ({"destination_address": ""}, "destination_address"),
    ({"destination_address": "T\0"}, "destination_address"),
]


async def test_each_journey_commits_state_history_outbox_and_balance(database_url: str) -> None:
    """Every transition is in the history, every event in the outbox, and the money is where the status says."""
    async with providing(database_url) as provider:
        endpoint = await provider.subscribe("withdrawal")
        for number, (acts, statuses, events, left) in enumerate(JOURNEYS):
            receipt = await provider.withdrawals.create(payout(f"payout_{number}"))
            for act in acts:
                receipt = await ACTS[act](provider.withdrawals, receipt.resource.id)
            wdr = receipt.resource.id
            history = await provider.history(wdr)
            assert [row.status for row in history] == statuses
            told = [f"withdrawal.{event}" for event in events]
            assert [row.event_type for row in history if row.event_type] == told
            assert await provider.queued(wdr) == [(event_type, endpoint) for event_type in told]
            assert await provider.balance() == left
            if left != "10000.00":
                await provider.credit("5.00")


async def test_the_body_of_an_event_is_what_the_api_answers(database_url: str) -> None:
    """The stored body carries the withdrawal as it is after the transition, and so does a read."""
    async with providing(database_url) as provider:
        await provider.subscribe("withdrawal")
        created = await provider.withdrawals.create(payout())
        completed = await provider.withdrawals.complete(created.resource.id)
        body = await provider.body(completed)
        assert (body["event_type"], body["occurred_at"]) == ("withdrawal.completed", START // SECOND)
        async with provider.database.read() as session:
            stored = await resources.load(session, created.resource.id, "withdrawal", is_test=True)
        assert body["data"] == provider.profile.resource(stored)
        assert stored == completed.resource


async def test_the_category_decides_and_the_project_filter_does_not(database_url: str) -> None:
    """Withdrawals go to every endpoint of their category and environment, whatever its project filter."""
    async with providing(database_url) as provider:
        await provider.subscribe("invoice", "payment_channel")
        await provider.subscribe("withdrawal", is_test=False)
        everywhere = await provider.subscribe("withdrawal")
        filtered = await provider.subscribe("withdrawal", "invoice", project_id="prj_other")
        receipt = await provider.withdrawals.create(payout())
        assert {endpoint for _, endpoint in await provider.queued(receipt.resource.id)} == {everywhere, filtered}


async def test_the_same_external_id_is_the_same_withdrawal(database_url: str) -> None:
    """A repeated create returns the first withdrawal, whatever its status and the new amount, and takes nothing."""
    async with providing(database_url) as provider:
        first = await provider.withdrawals.create(payout())
        await provider.withdrawals.complete(first.resource.id)
        again = await provider.withdrawals.create(payout(amount="9999999"))
        assert (first.created, again.created) == (True, False)
        assert (again.resource.id, again.resource.status) == (first.resource.id, WithdrawalStatus.COMPLETED)
        assert await provider.balance() == "9995.00"


async def test_fifty_equal_creates_at_once_are_one_withdrawal(database_url: str) -> None:
    """However many arrive together, one is created, the rest return it, and money leaves once."""
    async with providing(database_url) as provider:
        await provider.subscribe("withdrawal")
        receipts = await asyncio.gather(*(provider.withdrawals.create(payout()) for _ in range(50)))
        assert len({receipt.resource.id for receipt in receipts}) == 1
        assert sum(receipt.created for receipt in receipts) == 1
        assert len(await provider.queued(receipts[0].resource.id)) == 1
        assert await provider.balance() == "9995.00"


async def test_fifty_equal_invoices_at_once_are_one(database_url: str) -> None:
    """The same holds for invoices."""
    async with providing(database_url) as provider:
        receipts = await asyncio.gather(*(provider.invoices.create(order("order-1")) for _ in range(50)))
        assert len({receipt.resource.id for receipt in receipts}) == 1
        assert sum(receipt.created for receipt in receipts) == 1


async def test_an_external_id_of_the_other_environment_is_refused(database_url: str) -> None:
    """Ids are unique across environments: what exists in the other one is neither returned nor made again."""
    async with providing(database_url) as provider:
        await provider.withdrawals.create(payout())
        await provider.invoices.create(order("order-1"))
        with pytest.raises(Conflict) as withdrawal:
            await provider.withdrawals.create(payout(is_test=False))
        with pytest.raises(Conflict) as invoice:
            await provider.invoices.create(order("order-1", is_test=False))
        assert withdrawal.value.reason_code == "conflict"
        assert invoice.value.reason_code == "invoice_idempotency_conflict"
        assert (await provider.invoices.create(order("order-1", project_id="prj_2", is_test=False))).created


async def test_money_that_is_not_there_cannot_leave(database_url: str) -> None:
    """A withdrawal of more than is available is refused and leaves nothing behind; the last cent can be withdrawn."""
    async with providing(database_url) as provider:
        with pytest.raises(Conflict, match=r"10000\.000001 USDT are to leave") as refused:
            await provider.withdrawals.create(payout(amount="10000.000001"))
        assert refused.value.reason_code == "insufficient_balance"
        receipt = await provider.withdrawals.create(payout(amount="10000"))
        assert receipt.created
        assert await provider.balance() == "0"
        with pytest.raises(Conflict):
            await provider.withdrawals.create(payout("payout_2", "0.000001"))


async def test_production_starts_with_nothing(database_url: str) -> None:
    """Only the sandbox has money from the start, and the environments do not mix."""
    async with providing(database_url) as provider:
        assert await provider.merchant.balances(is_test=False) == []
        with pytest.raises(Conflict):
            await provider.withdrawals.create(payout(is_test=False))
        sandbox = {row.currency: str(row.available) for row in await provider.merchant.balances()}
        assert sandbox == {"USDC": "10000", "USDT": "10000"}


async def test_a_whitelist_is_kept_to(database_url: str) -> None:
    """Where addresses are listed, money goes to no other; without a list it goes anywhere."""
    async with providing(database_url, [payout().destination_address]) as provider:
        assert (await provider.withdrawals.create(payout())).created
        with pytest.raises(Forbidden) as refused:
            await provider.withdrawals.create(replace(payout("payout_2"), destination_address="T-other"))
        assert (refused.value.reason_code, refused.value.status) == ("whitelist_required", 403)


async def test_what_cannot_be_taken_is_refused_by_name(database_url: str) -> None:
    """A request that no chain or database could carry is refused, and the member at fault is named."""
    async with providing(database_url) as provider:
        for changes, field in REFUSED:
            with pytest.raises(RequestRefused) as refused:
                await provider.withdrawals.create(replace(payout(), **changes))
            assert refused.value.field == field
        assert await provider.balance() == "10000"


async def test_a_cancel_that_was_cut_short_can_be_made_again(database_url: str) -> None:
    """A withdrawal left ``cancelling`` is finished by the next call, and a cancelled one is refused."""
    async with providing(database_url) as provider:
        wdr = (await provider.withdrawals.create(payout())).resource.id
        left = await provider.withdrawals.cancel(wdr, "not needed", finish=False)
        assert (left.resource.status, left.event_type) == (WithdrawalStatus.CANCELLING, None)
        assert await provider.balance() == "9995.00"
        await provider.move_to(START + 5)
        ended = await provider.withdrawals.cancel(wdr, "not needed")
        assert (ended.resource.status, ended.resource.cancelled_at) == (WithdrawalStatus.CANCELLED, START + 5)
        with pytest.raises(Conflict) as refused:
            await provider.withdrawals.cancel(wdr, "not needed")
        assert refused.value.reason_code == "withdrawal_cannot_be_cancelled"


async def test_an_id_of_another_kind_is_not_found(database_url: str) -> None:
    """A command finds resources of its own kind only, and says which kind it looked for."""
    async with providing(database_url) as provider:
        invoice = (await provider.invoices.create(order("order-1"))).resource.id
        wdr = (await provider.withdrawals.create(payout())).resource.id
        with pytest.raises(NotFound) as no_withdrawal:
            await provider.withdrawals.complete(invoice)
        with pytest.raises(NotFound) as no_invoice:
            await provider.invoices.cancel(wdr, "no")
        with pytest.raises(NotFound):
            await provider.withdrawals.complete("wdr_\0")
        assert no_withdrawal.value.reason_code == "withdrawal_not_found"
        assert no_invoice.value.reason_code == "invoice_not_found"
