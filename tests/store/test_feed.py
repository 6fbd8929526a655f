"""The feed of confirmed deposits: oldest first, never at an end, nothing lost behind a cursor (contract §5.5)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from sender.domain.deposit import DepositStatus
from sender.durations import SECOND
from sender.errors import RequestRefused
from sender.store import feed, lists
from sender.store.feed import FeedQuery
from tests.providing import PROJECT, START, providing

if TYPE_CHECKING:
    from tests.providing import Provider

FEED = FeedQuery(is_test=True)


async def read(provider: Provider, query: FeedQuery) -> feed.FeedPage:
    """Return one page."""
    async with provider.database.read() as session:
        return await feed.deposits(session, query)


async def ids(provider: Provider, query: FeedQuery) -> list[str]:
    """Return the ids of one page."""
    return [deposit.id for deposit in (await read(provider, query)).items]


async def deposit(provider: Provider, customer: str, *, confirm: bool = True, project_id: str = PROJECT) -> str:
    """Let 10 USDT arrive for a customer; return the deposit's id."""
    channel = (await provider.channels.open(project_id, customer)).resource.id
    stage = DepositStatus.CONFIRMED if confirm else DepositStatus.CONFIRMING
    return (await provider.channels.deposit(channel, Decimal(10), "USDT", "TRC20", stage)).resource.id


async def test_only_what_is_confirmed_is_in_the_feed_and_in_that_order(database_url: str) -> None:
    """The order is that of the confirmations, though at one instant an older deposit is confirmed after a newer one."""
    async with providing(database_url) as provider:
        old = await deposit(provider, "a", confirm=False)
        await deposit(provider, "b", confirm=False)
        new = await deposit(provider, "c")
        first = await read(provider, FEED)
        assert [one.id for one in first.items] == [new]
        await provider.channels.confirm(old)
        assert await ids(provider, replace(FEED, cursor=first.next_cursor)) == [old]
        assert await ids(provider, FEED) == [new, old]


async def test_every_page_has_a_cursor_to_go_on_from(database_url: str) -> None:
    """An empty page has a cursor too, and what is confirmed afterwards is found from it, each deposit once."""
    async with providing(database_url) as provider:
        page = await read(provider, FEED)
        assert (page.items, bool(page.next_cursor)) == ([], True)
        made: list[str] = []
        found: list[str] = []
        for number in range(3):
            made += [await deposit(provider, f"{number}-{copy}") for copy in range(number + 1)]
            while True:
                page = await read(provider, replace(FEED, limit=2, cursor=page.next_cursor))
                if not page.items:
                    break
                found += [one.id for one in page.items]
        assert found == made


async def test_an_empty_page_moves_past_what_its_filter_skipped(database_url: str) -> None:
    """What belongs to others is not looked at again: the cursor advances although nothing was found."""
    async with providing(database_url) as provider:
        query = replace(FEED, project_id="prj_2")
        start = (await read(provider, query)).next_cursor
        await deposit(provider, "a")
        later = await read(provider, replace(query, cursor=start))
        assert later.items == []
        assert later.next_cursor != start
        own = await deposit(provider, "b", project_id="prj_2")
        assert await ids(provider, replace(query, cursor=later.next_cursor)) == [own]


async def test_a_blocked_deposit_stops_the_feed_until_it_is_let_go(database_url: str) -> None:
    """What stands before it is handed out, the cursor waits there, the reason is told; then all of the rest comes."""
    async with providing(database_url) as provider:
        made = [await deposit(provider, customer) for customer in "abcd"]
        async with provider.database.write() as session:
            assert await feed.block(session, made[2], "inconsistent")
            assert not await feed.block(session, "pcd_0", "inconsistent")
        page = await read(provider, FEED)
        assert ([one.id for one in page.items], page.blocked) == (made[:2], feed.Blocked(made[2], "inconsistent"))
        again = await read(provider, replace(FEED, cursor=page.next_cursor))
        assert (again.items, again.next_cursor, again.blocked) == ([], page.next_cursor, page.blocked)
        async with provider.database.write() as session:
            await feed.block(session, made[2], None)
        rest = await read(provider, replace(FEED, cursor=again.next_cursor))
        assert ([one.id for one in rest.items], rest.blocked) == (made[2:], None)


async def test_every_filter_of_the_feed(database_url: str) -> None:
    """Project, channel, environment and the first call's bound each let through what they name."""
    async with providing(database_url) as provider:
        first = await deposit(provider, "a")
        await provider.move_to(START + 10 * SECOND + 3)
        second = await deposit(provider, "b", project_id="prj_2")
        channel = (await provider.channels.open("prj_2", "b")).resource.id
        expected: list[tuple[dict[str, Any], list[str]]] = [
            ({}, [first, second]),
            ({"is_test": False}, []),
            ({"project_id": "prj_2"}, [second]),
            ({"channel_id": channel}, [second]),
            ({"channel_id": channel, "project_id": PROJECT}, []),
            ({"confirmed_from": START + SECOND}, [second]),
            ({"confirmed_from": START + 10 * SECOND + 9}, [second]),
            ({"confirmed_from": START + 11 * SECOND}, []),
            ({"confirmed_from": 10**30}, []),
        ]
        for changes, found in expected:
            assert await ids(provider, replace(FEED, **changes)) == found, changes


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"cursor": "x"}, "cursor"),
        ({"cursor": ""}, "cursor"),
        ({"project_id": "\0"}, "project_id"),
        ({"channel_id": "\0"}, "payment_channel_id"),
    ],
)
async def test_what_the_feed_cannot_be_asked_is_refused(changes: dict[str, Any], field: str) -> None:
    """Filters that mean nothing are refused by their name."""
    async with providing("memory") as provider:
        with pytest.raises(RequestRefused) as refused:
            await read(provider, replace(FEED, **changes))
        assert (refused.value.reason_code, refused.value.field) == ("field_invalid", field)


async def test_a_bound_is_for_the_first_call_only() -> None:
    """``confirmed_from`` beside a cursor is refused, and so is a cursor of another list."""
    async with providing("memory") as provider:
        cursor = (await read(provider, FEED)).next_cursor
        for query, field in [
            (replace(FEED, cursor=cursor, confirmed_from=START), "confirmed_from"),
            (replace(FEED, cursor=cursor, is_test=False), "cursor"),
        ]:
            with pytest.raises(RequestRefused) as refused:
                await read(provider, query)
            assert refused.value.field == field
        with pytest.raises(RequestRefused):
            async with provider.database.read() as session:
                await lists.page(session, lists.Query(kind="invoice", is_test=True, cursor=cursor))
