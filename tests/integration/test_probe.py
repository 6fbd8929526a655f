"""Probes at work: against a web server, databases and commands, and what they say when nothing can be seen."""

from __future__ import annotations

import json
import shlex
import sqlite3
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from aiohttp import web

from sender.clock import Clock
from sender.durations import SECOND
from sender.errors import NotAvailable
from sender.probe.looking import Sighting, seen
from sender.probe.spec import make_probe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from sender.probe.looking import Probe


@asynccontextmanager
async def probing(spec: str) -> AsyncIterator[Probe]:
    """Give a probe and let it go."""
    probe = make_probe(spec, Clock())
    try:
        yield probe
    finally:
        await probe.close()


@asynccontextmanager
async def shop(answers: dict[str, tuple[int, str]]) -> AsyncIterator[str]:
    """Run a shop that answers for orders; give its URL."""

    async def order(request: web.Request) -> web.Response:
        status, text = answers.get(request.match_info["order"], (404, "no such order"))
        return web.Response(status=status, text=text)

    app = web.Application()
    app.router.add_get("/orders/{order}", order)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def look(spec: str, order: str = "order-1") -> Sighting:
    """Look once."""
    async with probing(spec) as probe:
        return await probe.look(order)


async def test_web_shop() -> None:
    """Count and status stand where the JSON paths say; an order that is not known was never fulfilled."""
    answers = {
        "order-1": (200, json.dumps({"times": 2, "state": "shipped", "parcels": [{"id": 7}, {"id": 8}, {"id": 9}]})),
        "a/b?c": (200, '{"times": 5}'),
        "ö": (200, "[]"),
    }
    async with shop(answers) as url:
        assert await look(f"http:{url}/orders/{{order}}#fulfilled=$.times,status=$.state") == Sighting(2, "shipped")
        assert await look(f"http:{url}/orders/{{order}}#fulfilled=$.parcels[*].id") == Sighting(3)
        assert await look(f"http:{url}/orders/{{order}}#fulfilled=$.times", "a/b?c") == Sighting(5)
        assert await look(f"http:{url}/orders/{{order}}#fulfilled=$.times", "unknown") == Sighting(0)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ((500, "out of order"), "GET .*/orders/order-1 was answered 500; 200 with JSON, or 404, was expected"),
        ((302, ""), "was answered 302"),
        ((200, "<html>"), "was answered with '<html>', which is not JSON"),
        ((200, '{"times": "many"}'), r"at \$\['times'\]: 'many' is not a count of fulfilments"),
    ],
)
async def test_web_shop_that_shows_nothing(answer: tuple[int, str], complaint: str) -> None:
    """What was asked and what came is told."""
    async with shop({"order-1": answer}) as url:
        with pytest.raises(NotAvailable, match=complaint):
            await look(f"http:{url}/orders/{{order}}#fulfilled=$.times")


async def test_web_shop_that_is_closed() -> None:
    """A shop that nobody reaches is told, with the address."""
    async with shop({}) as url:
        pass
    with pytest.raises(NotAvailable, match=f"GET {url}/orders/order-1 failed: "):
        await look(f"orders:{url}")


async def test_sqlite_shop(tmp_path: Path) -> None:
    """The first two columns of the row are the sighting, and the probe changes nothing."""
    file = tmp_path / "shop.db"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE orders (number TEXT, times INTEGER, state TEXT)")
        database.executemany(
            "INSERT INTO orders VALUES (?, ?, ?)", [("order-1", 2, "paid"), ("x", 1, "a"), ("x", 1, "b")]
        )
    url = f"sqlite:///{file}"
    assert await look(f"table:{url}#orders.number,times,state") == Sighting(2, "paid")
    assert await look(f"rows:{url}#orders.number", "x") == Sighting(2)
    assert await look(f"table:{url}#orders.number,times", "'; DROP TABLE orders; --") == Sighting(0)
    with pytest.raises(NotAvailable, match=r"gave 2 rows or more; let it give one"):
        await look(f"table:{url}#orders.number,times", "x")
    with pytest.raises(NotAvailable, match=r"with :order = 'order-1' failed: no such column: tims"):
        await look(f"table:{url}#orders.number,tims")


async def test_postgres_shop(postgres_url: str) -> None:
    """Sums, which PostgreSQL gives as decimals, are counts."""
    with psycopg.connect(postgres_url, autocommit=True) as database:
        database.execute("CREATE TABLE parcels (number TEXT, pieces NUMERIC)")
        database.execute("INSERT INTO parcels VALUES ('order-1', 1), ('order-1', 2)")
    assert await look(f"sql:{postgres_url}#SELECT sum(pieces) FROM parcels WHERE number = :order") == Sighting(3)
    assert await look(f"rows:{postgres_url}#parcels.number") == Sighting(2)


def python(script: str, *words: str) -> str:
    """Return the probe that runs a line of Python."""
    return f"command:{shlex.join([sys.executable, '-c', script, *words])}"


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("print(2)", Sighting(2)),
        ("print(1, 'paid in full')", Sighting(1, "paid in full")),
        ('print(\'{"fulfilled": 3, "status": "paid"}\')', Sighting(3, "paid")),
        ("import os; print(1, os.environ['ORDER'])", Sighting(1, "$(touch x)")),
    ],
)
async def test_command(script: str, found: Sighting) -> None:
    """A command prints what it sees, and gets the order's id from the environment, as it is."""
    assert await look(python(script), "$(touch x)") == found


async def test_command_gets_the_order_as_one_argument() -> None:
    """An id is one argument, whatever is in it."""
    spec = python("import sys; print(len(sys.argv) - 1, sys.argv[1])", "{order}")
    assert await look(spec, "a; rm -rf b") == Sighting(1, "a; rm -rf b")


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("command:./no-such-command {order}", "'./no-such-command order-1' cannot be run: No such file"),
        (python("import sys; sys.exit('no shop here')"), "ended with exit code 1: 'no shop here'"),
        (python("print('paid')"), "printed 'paid': 'paid' is not a count of fulfilments"),
    ],
)
async def test_command_that_sees_nothing(spec: str, complaint: str) -> None:
    """A command that fails is quoted."""
    with pytest.raises(NotAvailable, match=complaint):
        await look(spec)


async def test_looking_again_until_it_is_there() -> None:
    """A shop that takes its time is asked again; when time is up, the last sighting is what counts."""
    answers: dict[str, Any] = {"order-1": (200, '{"fulfilled": 0}')}

    def ships_at_the_third_look(found: Sighting) -> bool:
        looks.append(found)
        if len(looks) == 2:
            answers["order-1"] = (200, '{"fulfilled": 1}')
        return found.fulfilled == 1

    looks: list[Sighting] = []
    async with shop(answers) as url, probing(f"orders:{url}") as probe:
        assert await seen(probe, "order-1", ships_at_the_third_look, 5 * SECOND, Clock()) == Sighting(1)
        assert len(looks) == 3
        assert await seen(probe, "order-1", lambda found: found.fulfilled == 2, 0, Clock()) == Sighting(1)
