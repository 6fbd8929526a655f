"""Recurring traffic: what each entry makes of a simulator, in which order, and what happens when it is refused."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

import pytest

from sender.crash import CrashPoint
from sender.durations import MILLISECOND
from sender.traffic.flow import Deed, Flow
from sender.traffic.schedule import Traffic
from sender.traffic.shop import Shop
from tests.receivers import receiving
from tests.simulators import RecordingLog, crash, events_of, simulating, subscribe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from sender.simulator import Simulator

TWENTY = Decimal(20)
PAID = Deed("create_invoice", TWENTY, "USD", None, "paid")
OUTCOMES = [
    ("create_invoice", "paid", ["invoice.confirming", "invoice.paid"]),
    ("create_invoice", "overpaid", ["invoice.confirming", "invoice.paid_over"]),
    ("create_invoice", "underpay", ["invoice.confirming", "invoice.underpaid_waiting"]),
    ("create_invoice", "paid_late", ["invoice.expired"]),
    ("create_invoice", "cancelled", ["invoice.cancelled"]),
    ("create_invoice", "expired", ["invoice.expired"]),
    ("create_invoice", "none", []),
    ("create_withdrawal", "completed", ["withdrawal.created", "withdrawal.processing", "withdrawal.completed"]),
    ("create_withdrawal", "failed", ["withdrawal.created", "withdrawal.processing", "withdrawal.failed"]),
    ("create_withdrawal", "cancelled", ["withdrawal.created", "withdrawal.cancelled"]),
    ("create_withdrawal", "none", ["withdrawal.created"]),
    ("deposit", "confirmed", ["payment_channel.deposit.confirming", "payment_channel.deposit.confirmed"]),
    ("deposit", "reorged", ["payment_channel.deposit.confirming", "payment_channel.deposit.reorged"]),
    ("deposit", "confirming", ["payment_channel.deposit.confirming"]),
]


async def shop_at(simulator: Simulator) -> Shop:
    """Return a shop at a simulator."""
    project = (await simulator.merchant.projects())[0]
    return Shop(simulator.invoices, simulator.withdrawals, simulator.channels, project.id)


@asynccontextmanager
async def traffic_at(simulator: Simulator, *flows: Flow, seed: int = 1) -> AsyncIterator[Traffic]:
    """Let traffic happen for the time of a block."""
    traffic = Traffic(partial(shop_at, simulator), simulator.runtime, seed)
    traffic.begin(flows)
    try:
        yield traffic
    finally:
        await traffic.close()


def flow(*deeds: Deed, times: int = 1) -> Flow:
    """Return traffic that fires all the time."""
    return Flow("test", 10 * MILLISECOND, None, times, deeds)


async def kinds(simulator: Simulator) -> list[str]:
    """Return the types of every event, in the order of their commits."""
    return [one.event_type for one in await events_of(simulator)]


@pytest.mark.parametrize(("verb", "outcome", "expected"), OUTCOMES)
async def test_outcome_is_what_was_announced(verb: str, outcome: str, expected: Sequence[str]) -> None:
    """Each verb with each outcome sends the events of the contract, and no others."""
    network = None if verb == "create_invoice" else "TRC20"
    currency = "USD" if verb == "create_invoice" else "USDT"
    async with receiving() as receiver, simulating("memory") as simulator:
        await subscribe(simulator, receiver.url())
        await (await shop_at(simulator)).carry_out(Deed(verb, TWENTY, currency, network, outcome), "order-1")
        assert await kinds(simulator) == expected


async def test_traffic_goes_on_until_it_is_stopped() -> None:
    """Firings follow each other in real time, each with orders of its own, and nothing comes after the stop."""
    async with receiving() as receiver, simulating("memory") as simulator:
        await subscribe(simulator, receiver.url())
        async with traffic_at(simulator, flow(PAID)):
            await receiver.received(6)
        await simulator.conductor.quiet()
        before = await events_of(simulator)
        assert len({one.resource_id for one in before}) * 2 == len(before)
        await simulator.clock.sleep(0.05)
        assert len(await events_of(simulator)) == len(before)


async def test_same_seed_buys_the_same() -> None:
    """With the same seed the same deeds come in the same order; another seed has another order."""
    chosen = []
    for seed in (1, 1, 2):
        async with receiving() as receiver, simulating("memory") as simulator:
            await subscribe(simulator, receiver.url())
            deeds = (replace(PAID, outcome="cancelled", weight=3), replace(PAID, outcome="expired"))
            async with traffic_at(simulator, flow(*deeds, times=40), seed=seed):
                await receiver.received(40)
            await simulator.conductor.quiet()
            chosen.append((await kinds(simulator))[:40])
    assert chosen[0] == chosen[1] != chosen[2]
    assert 20 < chosen[0].count("invoice.cancelled") < 39


async def test_refusal_is_said_once_and_ends_nothing() -> None:
    """What the provider refuses is logged once while it goes on, and the next firing comes all the same."""
    log = RecordingLog()
    too_much = Deed("create_withdrawal", Decimal(10_000_000), "USDT", "TRC20", "completed")
    async with receiving() as receiver, simulating("memory", log=log) as simulator:
        await subscribe(simulator, receiver.url())
        async with traffic_at(simulator, flow(too_much), replace(flow(PAID), name="other")):
            (line,) = await log.holds("traffic.refused")
            await receiver.received(6)
        assert line["traffic"] == "test"
        assert line["detail"].startswith("create_withdrawal: ")
        assert len(log.of("traffic.refused")) == 1


async def test_death_of_the_api_ends_nothing() -> None:
    """An API that dies at an armed crash point is logged, and customers buy on."""
    log = RecordingLog()
    async with receiving() as receiver, simulating("memory", log=log) as simulator:
        await subscribe(simulator, receiver.url())
        await simulator.subscriptions.arm(crash(CrashPoint.DISPATCH_BEFORE_COMMIT, event_type="invoice.confirming"))
        async with traffic_at(simulator, flow(PAID)):
            (line,) = await log.holds("traffic.refused")
            await receiver.received(4)
    assert line["detail"] == "create_invoice: the API died at dispatch.before_commit"
