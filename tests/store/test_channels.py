"""Channels and deposits in the database: what is committed, who is told, what is credited (contract §2.4, §4.4)."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from sender.domain.channel import ChannelStatus
from sender.domain.deposit import DepositStatus
from sender.errors import Conflict, NotFound, RequestRefused
from sender.store import resources
from tests.providing import PROJECT, START, order, providing

S = DepositStatus
TEN = Decimal(10)
PREFIX = "payment_channel.deposit."


async def test_opening_is_silent_and_remembered(database_url: str) -> None:
    """A channel is opened with all its rails, in the history, without a webhook."""
    async with providing(database_url) as provider:
        await provider.subscribe("payment_channel")
        receipt = await provider.channels.open(PROJECT, "customer-42")
        channel = receipt.resource
        assert (receipt.created, receipt.event_ids) == (True, ())
        assert (channel.status, channel.is_accepting_payments, channel.is_fully_provisioned) == ("active", True, True)
        assert {rail.network for rail in channel.rails} == set(provider.profile.catalogue.networks)
        assert len({rail.address for rail in channel.rails}) == len(channel.rails)
        assert [(row.event_type, row.status) for row in await provider.history(channel.id)] == [(None, "active")]


async def test_the_same_external_id_is_the_same_channel(database_url: str) -> None:
    """A project has one channel for a customer, however often and however at once it is asked for."""
    async with providing(database_url) as provider:
        receipts = await asyncio.gather(*(provider.channels.open(PROJECT, "customer-42") for _ in range(10)))
        assert len({receipt.resource.id for receipt in receipts}) == 1
        assert sum(receipt.created for receipt in receipts) == 1
        assert (await provider.channels.open("prj_2", "customer-42")).created
        with pytest.raises(Conflict) as refused:
            await provider.channels.open(PROJECT, "customer-42", is_test=False)
        assert refused.value.reason_code == "conflict"


async def test_a_blocked_channel_takes_no_payments(database_url: str) -> None:
    """Blocking and unblocking are silent and may be repeated; while it is blocked no deposit is made."""
    async with providing(database_url) as provider:
        await provider.subscribe("payment_channel")
        channel = (await provider.channels.open(PROJECT, "customer-42")).resource.id
        await provider.move_to(START + 5)
        blocked = [(await provider.channels.block(channel)).resource for _ in range(2)]
        assert [(one.status, one.is_accepting_payments, one.updated_at) for one in blocked] == [
            (ChannelStatus.BLOCKED, False, START + 5)
        ] * 2
        with pytest.raises(Conflict) as refused:
            await provider.channels.deposit(channel, TEN, "USDT", "TRC20")
        assert refused.value.reason_code == "payment_channel_not_accepting"
        assert (await provider.channels.unblock(channel)).resource.status is ChannelStatus.ACTIVE
        assert (await provider.channels.deposit(channel, TEN, "USDT", "TRC20")).created
        assert [row.status for row in await provider.history(channel)] == ["active", "blocked", "active"]


@pytest.mark.parametrize(
    ("stage", "told", "balance"),
    [
        (S.CONFIRMING, ["confirming"], "10000"),
        (S.REORGED, ["confirming", "reorged"], "10000"),
        (S.CONFIRMED, ["confirming", "confirmed"], "10009.900000"),
    ],
)
async def test_each_stage_is_confirming_first(database_url: str, stage: S, told: list[str], balance: str) -> None:
    """A simulated deposit commits state, history, outbox and balance, and is always told as confirming first."""
    async with providing(database_url) as provider:
        endpoint = await provider.subscribe("payment_channel")
        channel = (await provider.channels.open(PROJECT, "customer-42")).resource
        receipt = await provider.channels.deposit(channel.id, TEN, "USDT", "TRC20", stage)
        deposit = receipt.resource
        assert (receipt.created, deposit.status, deposit.is_final) == (True, stage, stage is S.CONFIRMED)
        assert deposit.destination_address == channel.rail("TRC20").address
        assert await provider.queued(deposit.id) == [(PREFIX + name, endpoint) for name in told]
        assert [row.event_type for row in await provider.history(deposit.id)] == [PREFIX + name for name in told]
        assert (await provider.body(receipt))["data"] == provider.profile.resource(deposit)
        assert await provider.balance() == balance


async def test_a_reorg_can_be_followed_by_a_confirmation(database_url: str) -> None:
    """Confirming, reorged, confirmed is a way a deposit goes; it is credited once, and then nothing moves it."""
    async with providing(database_url) as provider:
        channel = (await provider.channels.open(PROJECT, "customer-42")).resource.id
        deposit = (await provider.channels.deposit(channel, TEN, "TRX", "TRC20", S.CONFIRMING)).resource.id
        await provider.channels.reorg(deposit)
        with pytest.raises(Conflict) as again:
            await provider.channels.reorg(deposit)
        assert again.value.reason_code == "deposit_already_reorged"
        assert (await provider.channels.confirm(deposit)).event_type == PREFIX + "confirmed"
        for move in (provider.channels.confirm, provider.channels.reorg):
            with pytest.raises(Conflict) as refused:
                await move(deposit)
            assert refused.value.reason_code == "deposit_is_final"
        assert await provider.balance("TRX") == "9.900000"


async def test_category_and_project_filter_decide(database_url: str) -> None:
    """Deposits go to endpoints of their category and environment that filter on no project or on theirs."""
    async with providing(database_url) as provider:
        await provider.subscribe("invoice", "withdrawal")
        await provider.subscribe("payment_channel", project_id="prj_other")
        await provider.subscribe("payment_channel", is_test=False)
        wanted = {
            await provider.subscribe("payment_channel"),
            await provider.subscribe("payment_channel", "invoice", project_id=PROJECT),
        }
        channel = (await provider.channels.open(PROJECT, "customer-42")).resource.id
        deposit = (await provider.channels.deposit(channel, TEN, "USDT", "TRC20", S.CONFIRMING)).resource.id
        assert {endpoint for _, endpoint in await provider.queued(deposit)} == wanted


async def test_what_no_rail_takes_is_refused_by_name(database_url: str) -> None:
    """A pair that is not offered and an amount that is none, too fine or too small are refused; nothing is left."""
    async with providing(database_url) as provider:
        channel = (await provider.channels.open(PROJECT, "customer-42")).resource.id
        refusals = [
            (TEN, "USDT", "SUI", "network"),
            (TEN, "USD", "TRC20", "currency"),
            (Decimal(0), "USDT", "TRC20", "amount"),
            (Decimal("1.0000001"), "USDT", "TRC20", "amount"),
            (Decimal("0.99"), "USDT", "TRC20", "amount"),
        ]
        for amount, currency, network, field in refusals:
            with pytest.raises(RequestRefused) as refused:
                await provider.channels.deposit(channel, amount, currency, network)
            assert refused.value.field == field
        with pytest.raises(RequestRefused) as long:
            await provider.channels.open(PROJECT, "x" * 129)
        assert long.value.field == "external_id"
        invoice = (await provider.invoices.create(order("order-1"))).resource.id
        for move in (provider.channels.block, provider.channels.confirm):
            with pytest.raises(NotFound):
                await move(invoice)
        assert await provider.balance() == "10000"


async def test_an_invoice_credits_what_it_nets_when_it_is_final(database_url: str) -> None:
    """Paid in full, too much or too little: the net amount is credited, once, when the status is final."""
    async with providing(database_url) as provider:
        for external_id, amount, before, after in [
            ("full", "11.05", "10010.939500", "10010.939500"),
            ("over", "20", "10030.739500", "10030.739500"),
            ("short", "5", "10030.739500", "10035.689500"),
        ]:
            invoice = (await provider.invoices.create(order(external_id))).resource.id
            await provider.invoices.pay(invoice, Decimal(amount))
            assert await provider.balance() == before
            if before != after:
                await provider.invoices.expire(invoice)
            assert await provider.balance() == after


async def test_a_native_coin_has_no_contract_and_is_read_back_so(database_url: str) -> None:
    """What is absent is absent again after it was stored: a payment in TRX, on an invoice and into a channel."""
    async with providing(database_url) as provider:
        invoice = (await provider.invoices.create(order("order-1"))).resource.id
        chosen = (await provider.invoices.choose_network(invoice, "TRX", "TRC20")).resource
        channel = (await provider.channels.open(PROJECT, "customer-42")).resource.id
        deposit = (await provider.channels.deposit(channel, TEN, "TRX", "TRC20", S.CONFIRMING)).resource
        async with provider.database.read() as session:
            for made in (chosen, deposit):
                read = await resources.load(session, made.id)
                assert read == made
                assert "contract_address" not in str(provider.profile.resource(read))
