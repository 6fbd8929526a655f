"""All or nothing for every command of every kind of resource: the books and the feed of deposits are part of it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import pytest
from sqlalchemy import delete, select

from sender.domain.deposit import DepositStatus
from sender.domain.sandbox import Stage
from sender.store.schema import metadata
from sender.withdrawals import WithdrawalRequest
from tests.simulators import order, simulating, subscribe
from tests.stopping import Killed, Stopping

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from sender.dispatcher import Receipt
    from sender.simulator import Simulator

    Act = Callable[[Simulator, str], Awaitable[Receipt]]
    State = dict[str, set[Any]]

ENOUGH = 200
NOWHERE = "http://127.0.0.1:9/"
USDT = (Decimal(20), "USDT", "TRC20")
_PROJECT = "prj_1"


@dataclass(frozen=True)
class Case:
    """A command, what it needs first, and how many transactions it has. Both are given a name of their own."""

    prepare: Act
    act: Act
    transactions: int = 1


async def nothing(simulator: Simulator, name: str) -> Receipt:
    """Prepare nothing that matters."""
    return await simulator.channels.open(_PROJECT, f"unused-{name}")


async def invoice(simulator: Simulator, name: str) -> Receipt:
    """Make an invoice that waits for its payment."""
    return await simulator.invoices.create(order(name, network="TRC20"))


async def paying(simulator: Simulator, name: str) -> Receipt:
    """Make an invoice whose payment waits for confirmations."""
    made = await invoice(simulator, name)
    return await simulator.invoices.pay(made.resource.id, Decimal("11.05"), confirm=False)


async def withdrawal(simulator: Simulator, name: str) -> Receipt:
    """Make a withdrawal."""
    amount, currency, network = USDT
    wish = WithdrawalRequest(
        external_id=name, amount=amount, currency=currency, network=network, destination_address="T1"
    )
    return await simulator.withdrawals.create(wish)


async def channel(simulator: Simulator, name: str) -> Receipt:
    """Open a channel."""
    return await simulator.channels.open(_PROJECT, name)


async def sighted(simulator: Simulator, name: str) -> Receipt:
    """Let a deposit wait for its confirmations."""
    made = await channel(simulator, name)
    return await simulator.channels.deposit(made.resource.id, *USDT, DepositStatus.CONFIRMING)


CASES: dict[str, Case] = {
    "create an invoice": Case(nothing, lambda at, name: invoice(at, f"new {name}")),
    "choose a network": Case(
        lambda at, name: at.invoices.create(order(name)), lambda at, one: at.invoices.choose_network(one, *USDT[1:])
    ),
    "pay an invoice": Case(invoice, lambda at, one: at.invoices.simulate(one, Stage.PAID), 3),
    "confirm a payment": Case(paying, lambda at, one: at.invoices.confirm(one)),
    "reorganise a payment": Case(paying, lambda at, one: at.invoices.reorg(one)),
    "expire an invoice": Case(invoice, lambda at, one: at.invoices.expire(one)),
    "create a withdrawal": Case(nothing, lambda at, name: withdrawal(at, f"new {name}")),
    "process a withdrawal": Case(withdrawal, lambda at, one: at.withdrawals.process(one)),
    "complete a withdrawal": Case(withdrawal, lambda at, one: at.withdrawals.complete(one)),
    "fail a withdrawal": Case(withdrawal, lambda at, one: at.withdrawals.fail(one)),
    "cancel a withdrawal": Case(withdrawal, lambda at, one: at.withdrawals.cancel(one, "why not"), 2),
    "open a channel": Case(nothing, lambda at, name: channel(at, f"new {name}")),
    "block a channel": Case(channel, lambda at, one: at.channels.block(one)),
    "take a deposit": Case(channel, lambda at, one: at.channels.deposit(one, *USDT), 2),
    "confirm a deposit": Case(sighted, lambda at, one: at.channels.confirm(one)),
    "reorganise a deposit": Case(sighted, lambda at, one: at.channels.reorg(one)),
}


SHAPES = ("create an invoice", "pay an invoice", "cancel a withdrawal", "take a deposit")
"""One command for each way in which the dispatcher is called; what they write is the same on every database."""

TABLES = ("resources", "history", "outbox", "bodies", "balances", "deposit_feed", "instance")
"""All that a command may write to."""


@pytest.fixture
async def simulator(database_url: str) -> AsyncIterator[Simulator]:
    """Give a simulator with two endpoints, in which nobody delivers and no time passes."""
    async with simulating(database_url) as running:
        await subscribe(running, NOWHERE)
        await subscribe(running, f"{NOWHERE}two")
        await running.relays.stop()
        yield running


async def state(simulator: Simulator) -> State:
    """Return every row that a command may have written."""
    async with simulator.database.read() as session:
        return {
            name: {tuple(map(repr, row)) for row in await session.rows(select(metadata.tables[name]))}
            for name in TABLES
        }


async def test_every_command_leaves_all_or_nothing(simulator: Simulator) -> None:
    """Stopped before any of its statements, a command has changed no row of any table, or ended a transaction."""
    everything = simulator.database.url.startswith("sqlite")
    for name in CASES if everything else SHAPES:
        case = CASES[name]
        deaths: list[int] = []
        for statements in range(ENOUGH):
            prepared = await case.prepare(simulator, f"{name} {statements}")
            before = await state(simulator)
            counting = await _stopped(simulator, case, prepared.resource.id, statements)
            after = await state(simulator)
            assert (before == after) is (counting.committed == 0), f"{name}, before statement {statements}"
            new = {table: len(after[table] - before[table]) for table in after}
            assert new["history"] == counting.committed, f"{name}, before statement {statements}"
            assert new["outbox"] == new["bodies"], f"{name}, before statement {statements}"
            if not counting.killed:
                break
            deaths.append(counting.committed)
        await _forget(simulator)
        assert set(deaths) == set(range(case.transactions)), name
        assert counting.committed == case.transactions, name
        assert len(deaths) >= 5 * case.transactions, "a transaction has at least so many statements"


async def _forget(simulator: Simulator) -> None:
    """Take the resources out again, so that what is compared stays short."""
    async with simulator.database.write() as session:
        for name in ("bodies", "outbox", "history", "deposit_feed", "resources"):
            await session.run(delete(metadata.tables[name]))


class Counting(Stopping):
    """Counts what was committed before the end."""

    killed = False
    committed = 0

    def write(self) -> Any:
        """Open a transaction; one that ends is counted."""
        return _Counted(super().write(), self)


class _Counted:
    def __init__(self, inner: Any, counting: Counting) -> None:
        self._inner = inner
        self._counting = counting

    async def __aenter__(self) -> Any:
        return await self._inner.__aenter__()

    async def __aexit__(self, *given: object) -> Any:
        swallowed = await self._inner.__aexit__(*given)
        self._counting.committed += given[0] is None
        return swallowed


async def _stopped(simulator: Simulator, case: Case, resource_id: str, statements: int) -> Counting:
    dispatcher = cast("Any", simulator.dispatcher)
    database = dispatcher._database
    dispatcher._database = counting = Counting(database, statements)
    try:
        await case.act(simulator, resource_id)
    except Killed:
        counting.killed = True
    finally:
        dispatcher._database = database
    return counting
