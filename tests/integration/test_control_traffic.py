"""Recurring traffic over the control API: what goes on with its counts, start, stop, and a reset that ends it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.api import serving
from tests.controlling import ask
from tests.receivers import receiving
from tests.simulators import RecordingLog, events_of, subscribe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.api import Api

OFTEN = """
name: many customers
every: 10ms
what:
  - create_invoice: {amount: "1.00", currency: USD}
    outcome: cancelled
"""
NEVER = 'cron: "0 0 1 1 *"\nwhat:\n  - create_invoice: {amount: "1.00", currency: USD}\n'
REFUSED = """
every: 10ms
what:
  - create_withdrawal: {amount: "90000000", currency: USDT, network: TRC20}
"""


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    """Give a running API."""
    async with serving() as running:
        yield running


async def start(api: Api, document: str) -> Any:
    """Start traffic from a document."""
    answer = await ask(api, "POST", "/traffic", {"document": document})
    assert answer.status == 201
    return answer.document


async def test_customers_buy_until_they_are_stopped(api: Api) -> None:
    """A document starts them, counts grow, and nothing is bought after the answer to a stop."""
    async with receiving() as receiver:
        await subscribe(api.simulator, receiver.url())
        one = await start(api, OFTEN)
        assert (one["name"], one["rhythm"], one["state"]) == ("many-customers", "every 10ms", "running")
        await receiver.received(4)
        stopped = (await ask(api, "DELETE", f"/traffic/{one['id']}")).document
        made = len(await events_of(api.simulator))
        assert (stopped["state"], stopped["done"], stopped["refused"]) == ("stopped", made, 0)
        assert stopped["fired"] == made >= 4
        await api.simulator.clock.sleep(0.05)
        assert len(await events_of(api.simulator)) == made
        again = (await ask(api, "DELETE", f"/traffic/{one['id']}")).document
        assert again == stopped == (await ask(api, "GET", f"/traffic/{one['id']}")).document


async def test_the_same_twice_is_once(api: Api) -> None:
    """A double click starts nothing new, also at the same instant; after a stop the same is a new one."""
    answers = await asyncio.gather(*(ask(api, "POST", "/traffic", {"name": "rush-hour"}) for _ in range(3)))
    assert {(one.status, one.document["id"]) for one in answers} == {(201, "traffic_1")}
    other = await start(api, NEVER)
    listed = (await ask(api, "GET", "/traffic")).document
    assert [one["id"] for one in listed["items"]] == [other["id"], "traffic_1"]
    assert "small-shop" in listed["ships"]
    stopped = (await ask(api, "DELETE", "/traffic")).document
    assert {one["state"] for one in stopped["items"]} == {"stopped"}
    assert (await ask(api, "DELETE", "/traffic")).document == stopped
    assert (await start(api, NEVER))["id"] == "traffic_3"


async def test_what_is_refused_is_counted_and_said(api: Api) -> None:
    """The provider's no is among the counts, with its reason."""
    one = await start(api, REFUSED)
    log = api.simulator.runtime.log
    assert isinstance(log, RecordingLog)
    await log.holds("traffic.refused")
    told = (await ask(api, "GET", f"/traffic/{one['id']}")).document
    assert (told["done"], told["refused"] > 0) == (0, True)
    assert told["last_refusal"].startswith("create_withdrawal: ")


@pytest.mark.parametrize(
    ("body", "status", "code", "words"),
    [
        ({}, 400, "validation_failed", "write the name"),
        ({"name": "small-shop", "document": NEVER}, 400, "validation_failed", "write the name"),
        ({"name": "no-shop"}, 404, "traffic_not_found", "no-shop"),
        ({"name": "../traffic/small-shop.yaml"}, 404, "traffic_not_found", "there is no traffic"),
        ({"document": "every: 5"}, 400, "file_refused", "traffic:1:8"),
        ({"document": "{"}, 400, "file_refused", "traffic:2:1"),
        ({"document": NEVER + "&a"}, 400, "file_refused", "traffic:"),
        ({"document": "a" * 65 * 1024}, 400, "field_invalid", "document"),
        ({"document": 1}, 400, "field_invalid", "must be a string"),
    ],
)
async def test_bad_traffic_is_refused(api: Api, body: Any, status: int, code: str, words: str) -> None:
    """With a problem document that says where and what."""
    answer = await ask(api, "POST", "/traffic", body)
    assert (answer.status, answer.document["code"]) == (status, code)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert words in answer.document["detail"]
    assert (await ask(api, "GET", "/traffic")).document["items"] == []


async def test_there_is_an_end_to_how_much_goes_on(api: Api) -> None:
    """Twenty flows at once, and a stopped one makes room."""
    for times in range(1, 21):
        await start(api, f"times: {times}\n{NEVER}")
    full = await ask(api, "POST", "/traffic", {"document": NEVER + "times: 99"})
    assert (full.status, full.document["code"]) == (409, "too_much_traffic")
    await ask(api, "DELETE", "/traffic/traffic_1")
    await start(api, NEVER + "times: 99")
    assert (await ask(api, "GET", "/traffic/traffic_22")).status == 404


async def test_a_reset_ends_traffic_where_it_says_so(api: Api) -> None:
    """A usual reset clears what was bought and lets customers buy on; with the scope traffic nothing comes after it."""
    async with receiving() as receiver:
        await subscribe(api.simulator, receiver.url())
        one = await start(api, OFTEN)
        await receiver.received(2)
        await ask(api, "POST", "/reset", {"patience": "5s"})
        assert (await ask(api, "GET", f"/traffic/{one['id']}")).document["state"] == "running"
        await receiver.received(len(receiver.requests) + 2)
        answer = await ask(api, "POST", "/reset", {"scopes": ["traffic", "state"], "patience": "5s"})
        assert answer.status == 200
        assert (await ask(api, "GET", f"/traffic/{one['id']}")).document["state"] == "stopped"
        await api.simulator.clock.sleep(0.05)
        assert await events_of(api.simulator) == []
