"""The stream: what happens is told in order, from the database, and a follower that was cut off misses nothing."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from sqlalchemy import text

from sender.domain.delivery import Trigger
from sender.store import archive, clearing
from sender.web.control import stream
from sender.web.control.tail import FAR_BEHIND, GAP_PATIENCE, STEP, Position, Tail, read_position
from tests.api import ORDER, PATIENCE, serving
from tests.receivers import receiving
from tests.simulators import START
from tests.stores import claim, opened, outcome, queue, row, settle

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sender.store.engine import Database
    from tests.api import Api

Message = tuple[str, str | None, Any]


class Follower:
    """Reads messages one by one."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self._answer = answer
        self.last_id = ""

    async def next(self, kind: str) -> Any:
        """Return the data of the next message of a kind."""
        async with asyncio.timeout(PATIENCE):
            while True:
                name, data = await self._message()
                if name == kind:
                    return data

    async def _message(self) -> tuple[str, Any]:
        fields: dict[str, str] = {}
        while line := (await self._answer.content.readline()).decode().rstrip("\n"):
            name, _, value = line.partition(": ")
            fields[name] = value
        self.last_id = fields.get("id", self.last_id)
        return fields.get("event", ""), json.loads(fields.get("data", "null"))


@asynccontextmanager
async def following(api: Api, query: str = "", **headers: str) -> AsyncIterator[Follower]:
    """Follow the stream."""
    async with api.session.get(f"{api.base}/_sim/v1/stream{query}", headers=headers) as answer:
        assert answer.status == 200
        yield Follower(answer)


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    """Give a running API."""
    async with serving() as running:
        yield running


async def cancelled(api: Api, name: str) -> None:
    """Make the smallest story with one event."""
    invoice = (await api.call("POST", "/v1/invoices", ORDER | {"external_order_id": name})).document["invoice_id"]
    await api.call("POST", f"/v1/invoices/{invoice}/cancel", {"reason": "x"})


async def control(api: Api, method: str, path: str, body: Any = None) -> Any:
    """Call the control API."""
    data = b"" if body is None else json.dumps(body).encode()
    return (await api.raw(method, f"/_sim/v1{path}", data, {"Content-Type": "application/json"})).document


async def test_a_follower_is_told_of_events_attempts_and_the_clock(api: Api) -> None:
    """First where the clock stands, then each event as it is queued and each attempt as it is recorded."""
    async with receiving() as receiver, following(api, "?bytes=1") as follower:
        assert (await follower.next("clock"))["mode"] == "manual"
        await control(api, "POST", "/endpoints", {"url": receiver.url()})
        assert "revision" in await follower.next("changed")
        await cancelled(api, "order-1")
        queued = await follower.next("queued")
        attempt = await follower.next("attempt")
        assert (queued["event_type"], attempt["event_id"]) == ("invoice.cancelled", queued["event_id"])
        assert (attempt["status"], attempt["request_body"]["text"].encode()) == (204, receiver.requests[0].body)
        await control(api, "POST", "/clock", {"by": "1h"})
        await follower.next("clock")
        await control(api, "POST", "/reset")
        assert await follower.next("reset") == {"resets": 1}


async def test_a_follower_that_comes_back_misses_nothing(api: Api) -> None:
    """Last-Event-ID goes on where it was, with what happened meanwhile, once."""
    async with receiving() as receiver:
        await control(api, "POST", "/endpoints", {"url": receiver.url()})
        async with following(api) as follower:
            await follower.next("clock")
            await cancelled(api, "order-1")
            first = await follower.next("attempt")
        await cancelled(api, "order-2")
        await control(api, "POST", "/clock", {"by": "0"})
        async with following(api, **{"Last-Event-ID": follower.last_id}) as again:
            second = await again.next("attempt")
        async with following(api, f"?after={follower.last_id}") as third:
            assert await third.next("attempt") == second
    assert second["id"] == first["id"] + 1


async def test_a_brief_follower_is_told_how_much_is_new(api: Api) -> None:
    """Numbers in place of rows, at most one message for each look, and it comes back to where it was as well."""
    async with receiving() as receiver, following(api, "?brief=1") as follower:
        await follower.next("clock")
        await control(api, "POST", "/endpoints", {"url": receiver.url()})
        for number in range(30):
            await cancelled(api, f"order-{number}")
        await control(api, "POST", "/clock", {"by": "0"})
        told: list[dict[str, int]] = []
        while sum(one["recorded"] for one in told) < 30:
            told.append(await follower.next("news"))
        assert sum(one["queued"] for one in told) >= 30
        assert set().union(*told) == {"queued", "recorded"}
        await cancelled(api, "order-last")
        await control(api, "POST", "/clock", {"by": "0"})
        async with following(api, "?brief=1", **{"Last-Event-ID": follower.last_id}) as again:
            assert (await again.next("news"))["recorded"] == 1
        await control(api, "POST", "/reset")
        assert await follower.next("reset") == {"resets": 1}


async def test_a_brief_follower_reads_no_rows(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much happens, a look costs two numbers."""
    monkeypatch.delattr(archive, "queued_since")
    monkeypatch.delattr(archive, "recorded_since")
    async with receiving() as receiver, following(api, "?brief=1") as follower:
        await control(api, "POST", "/endpoints", {"url": receiver.url()})
        await cancelled(api, "order-1")
        assert (await follower.next("news"))["queued"] >= 1


async def test_followers_are_bounded(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more than may follow is told to come later."""
    monkeypatch.setattr(stream, "MOST_FOLLOWERS", 1)
    async with following(api) as follower:
        await follower.next("clock")
        async with api.session.get(f"{api.base}/_sim/v1/stream") as answer:
            assert (answer.status, answer.headers["Retry-After"]) == (429, "1")


async def test_a_follower_who_reads_nothing_is_cut_off(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a slow follower does not take is not kept for it: the connection ends."""
    monkeypatch.setattr(stream, "SLOW", 0.05)
    monkeypatch.setattr(stream, "_message", lambda *_: "x" * 50_000_000)
    async with following(api) as follower:
        await api.simulator.clock.sleep(0.3)
        with pytest.raises(aiohttp.ClientError):
            await follower._answer.read()


async def _recorded(database: Database, count: int) -> None:
    await queue(database, *[row(seq) for seq in range(1, count + 1)])
    await settle(database, *[outcome(one, 204) for one in await claim(database, limit=count)])


async def test_a_missing_number_is_waited_for_and_then_let_go() -> None:
    """Another relay may still commit it; after a while it was rolled back, and the rest is told."""
    async with opened("memory") as database:
        await _recorded(database, 5)
        async with database.write() as session:
            await session.run(text("UPDATE attempts SET seq = seq + 10 WHERE seq > 2"))
        tail = Tail(Position(0, 5, 1))
        async with database.read() as session:
            assert [one.seq for one in (await tail.look(session, 0)).recorded] == [2]
            assert (await tail.look(session, 1)).recorded == []
            late = await tail.look(session, GAP_PATIENCE + 2)
        assert ([one.seq for one in late.recorded], tail.position) == ([13, 14, 15], Position(0, 5, 15))


async def test_who_is_far_behind_is_shown_the_newest(database_url: str) -> None:
    """Nobody waits for thousands of attempts to scroll by; how many were left out is said."""
    async with opened(database_url) as database:
        await _recorded(database, 1)
        async with database.write() as session:
            await session.run(_MORE, {"last": FAR_BEHIND + 1})
        tail = Tail(Position(0, 0, 0))
        async with database.read() as session:
            news = await tail.look(session, 0)
            assert (news.skipped, news.recorded[0].seq) == (FAR_BEHIND + 1 - STEP, FAR_BEHIND + 2 - STEP)
            assert tail.position.recorded == (await archive.newest_numbers(session))[1]
            assert await clearing.resets(session) == 0


_MORE = text(f"""
    INSERT INTO attempts (seq, outbox_seq, number, trigger, counted, due_at, started_at, finished_at, duration, outcome,
                          detail, url, request_headers, answer_headers, answer_body, answer_cut, faults, lease_token)
    WITH RECURSIVE numbers(n) AS (SELECT CAST(2 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < :last)
    SELECT n, 1, n, '{Trigger.SCHEDULED}', counted, {START}, {START}, {START}, 0, 'failed', '', 'http://x/', '', '', '',
           answer_cut, '', '' FROM numbers, attempts WHERE attempts.seq = 1
""")


@pytest.mark.parametrize("text", ["", "1", "1-2", "1-2-3-4", "a-b-c", "1-2-" + "9" * 19, "-1-2-3"])
def test_what_is_no_position_is_none(text: str) -> None:
    """An id that the stream did not give out means: from now on."""
    assert read_position(text) is None
    assert read_position(str(Position(1, 22, 333))) == Position(1, 22, 333)
