"""All or nothing: the process dies between any two statements, the disk is full, the database cannot be written."""

from __future__ import annotations

from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any, cast

import pytest
from sqlalchemy import select, union

from sender.dispatch_child import Call
from sender.domain.sandbox import Stage
from sender.scenario.evidence import Evidence
from sender.scenario.laws import committed_together
from sender.store import reads, resources
from sender.store.schema import history, outbox
from sender.store.schema import resources as table
from sender.subscriptions import NewEndpoint
from tests.api import ORDER, serving
from tests.receivers import Gate, accept, receiving
from tests.simulators import LADDER, events_of, order, settings_for, simulating, subscribe
from tests.stopping import Killed, Stopping, killed_for_real

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from sender.invoices import Invoices
    from sender.simulator import Simulator
    from sender.store.engine import Session

    Command = Callable[[Invoices, str, int], Awaitable[Any]]

COMMANDS: dict[str, Command] = {
    "create": lambda invoices, _, number: invoices.create(order(f"new-{number}", network="TRC20")),
    "pay": lambda invoices, invoice, _: invoices.simulate(invoice, Stage.PAID),
    "underpay": lambda invoices, invoice, _: invoices.pay(invoice, Decimal(1)),
    "cancel": lambda invoices, invoice, _: invoices.cancel(invoice, "changed my mind"),
}
ENOUGH = 100
"""More statements than any command has; a death after so many has not struck."""


async def agree(simulator: Simulator) -> None:
    """Check that each resource is where its history ends, and that its outbox rows with their bodies are there."""
    async with simulator.database.read() as session:
        events = await reads.events(session)
        bodies = [await reads.body_of(session, one.event_id) for one in events]
        rows: list[Any] = []
        for invoice_id in await _every_invoice(session):
            transitions = await resources.history_of(session, invoice_id)
            invoice = await resources.load(session, invoice_id)
            assert transitions[-1].status == invoice.status
            rows += transitions
    evidence = Evidence(ladder=LADDER, events=events, attempts={}, history=rows)
    assert list(committed_together(evidence)) == []
    assert all(bodies)
    assert {one.resource_id for one in rows} >= {one.resource_id for one in events}


async def _every_invoice(session: Session) -> list[str]:
    """Return the ids that any of the three tables knows."""
    known = union(select(table.c.id), select(history.c.resource_id), select(outbox.c.resource_id))
    return [row[0] for row in await session.rows(known)]


@pytest.mark.parametrize("name", COMMANDS)
async def test_a_death_between_any_two_statements_leaves_all_or_nothing(database_url: str, name: str) -> None:
    """Resource, history and outbox agree after each death, and after a restart; asking again does what is left."""
    deaths = 0
    async with receiving(accept) as receiver:
        async with simulating(database_url) as simulator:
            await subscribe(simulator, receiver.url("/one"))
            await subscribe(simulator, receiver.url("/two"))
            for statements in range(ENOUGH):
                invoice = (await simulator.invoices.create(order(f"order-{statements}"))).resource.id
                if not await _dies(simulator, COMMANDS[name], invoice, statements):
                    break
                deaths += 1
                await agree(simulator)
        assert deaths >= 6, "the command has at least so many statements"
        async with simulating(database_url) as simulator:
            await agree(simulator)
            await simulator.conductor.quiet()
            assert {one.state for one in await events_of(simulator)} <= {"delivered"}


async def _dies(simulator: Simulator, command: Command, invoice: str, statements: int) -> bool:
    dispatcher = cast("Any", simulator.dispatcher)
    database = dispatcher._database
    dispatcher._database = Stopping(database, statements)
    try:
        await command(simulator.invoices, invoice, statements)
    except Killed:
        return True
    finally:
        dispatcher._database = database
    return False


async def test_a_process_killed_between_any_two_statements_leaves_all_or_nothing(database_url: str) -> None:
    """The same with a process that ends at once, as by kill -9, with its transaction open."""
    settings = settings_for(database_url)
    async with receiving(accept) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        for statements in count():
            invoice = (await simulator.invoices.create(order(f"order-{statements}"))).resource.id
            if not await killed_for_real(settings, Call("cancel", (invoice, "why not")), statements):
                break
            await agree(simulator)
            assert await events_of(simulator) == []
        assert statements >= 6
        simulator.relays.wake()
        await simulator.conductor.quiet()
        assert [one.state for one in await events_of(simulator)] == ["delivered"]
        await agree(simulator)


def _fill(raw: sqlite3.Connection) -> Callable[[], None]:
    """Let the file grow no further."""
    (pages,) = raw.execute("PRAGMA page_count").fetchone()
    raw.execute(f"PRAGMA max_page_count={pages}")
    return lambda: raw.execute("PRAGMA max_page_count=1073741823").close()


def _protect(raw: sqlite3.Connection) -> Callable[[], None]:
    """Let nothing be written."""
    raw.execute("PRAGMA query_only=ON")
    return lambda: raw.execute("PRAGMA query_only=OFF").close()


@pytest.mark.parametrize("spoil", [_fill, _protect], ids=["disk full", "read-only"])
async def test_a_database_that_cannot_be_written_is_said_and_got_over(
    tmp_path: Path, spoil: Callable[[sqlite3.Connection], Callable[[], None]]
) -> None:
    """The client is told 503 in a problem document, reads go on, nothing is half there, and it comes back by itself."""
    async with receiving(accept) as receiver, serving(f"sqlite:///{tmp_path / 'db'}") as api:
        simulator = api.simulator
        await simulator.subscriptions.add(NewEndpoint(url=receiver.url()))
        mend = spoil(cast("Any", simulator.database)._writer.raw)
        told: list[tuple[int, str]] = []
        for number in range(ENOUGH):
            answer = await api.call("POST", "/v1/invoices", _order(number))
            told.append((answer.status, answer.headers["Content-Type"].partition(";")[0]))
            await agree(simulator)
            if answer.status != 201:
                break
        assert told[-1] == (503, "application/problem+json")
        assert (await api.call("GET", "/v1/invoices")).status == 200
        mend()
        made = await api.call("POST", "/v1/invoices", _order(len(told) - 1))
        assert made.status == 201
        await api.call("POST", f"/v1/invoices/{made.document['invoice_id']}/cancel", {"reason": "why not"})
        await simulator.conductor.quiet()
        await agree(simulator)
        assert [one.state for one in await events_of(simulator)] == ["delivered"]


def _order(number: int) -> dict[str, str]:
    return ORDER | {"external_order_id": f"order-{number}", "client_id": "x" * 200}


async def test_an_answer_that_cannot_be_written_down_is_kept_until_it_can(tmp_path: Path) -> None:
    """The database is read-only while ten answers come: they are recorded once it is not, and nothing is sent again."""
    gate = Gate()
    async with receiving(gate) as receiver, serving(f"sqlite:///{tmp_path / 'db'}") as api:
        simulator = api.simulator
        await simulator.subscriptions.add(NewEndpoint(url=receiver.url()))
        for number in range(10):
            made = (await simulator.invoices.create(order(f"order-{number}"))).resource
            await simulator.invoices.cancel(made.id, "changed my mind")
        await receiver.received(10)
        mend = _protect(cast("Any", simulator.database)._writer.raw)
        gate.open()
        await cast("Any", simulator.runtime.log).holds("store.failed", 3)
        mend()
        await simulator.conductor.quiet()
        assert {one.state for one in await events_of(simulator)} == {"delivered"}
        assert len(receiver.requests) == 10
