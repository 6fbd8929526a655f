"""Lists in pages: every filter, cursors that hold while rows are added, and what is refused (contract §5.5)."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from sender.durations import SECOND
from sender.errors import RequestRefused
from sender.store import lists
from sender.store.lists import Query
from tests.providing import PROJECT, START, order, payout, providing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.providing import Provider

INVOICES = Query(kind="invoice", is_test=True)
WITHDRAWALS = Query(kind="withdrawal", is_test=True)
CHANNELS = Query(kind="payment_channel", is_test=True)


async def names(provider: Provider, query: Query) -> list[str]:
    """Return the external ids of one page."""
    return [item.external_id for item in (await read(provider, query)).items]


async def read(provider: Provider, query: Query) -> lists.Page:
    """Return one page."""
    async with provider.database.read() as session:
        return await lists.page(session, query)


async def all_pages(
    provider: Provider, query: Query, between: Callable[[], Awaitable[object]] | None = None
) -> list[str]:
    """Return the external ids of every page, doing something ``between`` two of them."""
    found: list[str] = []
    while True:
        page = await read(provider, query)
        found += [item.external_id for item in page.items]
        if page.next_cursor is None:
            return found
        assert len(page.items) == query.limit
        query = replace(query, cursor=page.next_cursor)
        if between is not None:
            await between()


async def make_invoices(provider: Provider, count: int, prefix: str = "order") -> list[str]:
    """Create invoices and return their external ids, newest first."""
    made = [f"{prefix}-{number}" for number in range(count)]
    for external_id in made:
        await provider.invoices.create(order(external_id))
    return made[::-1]


@pytest.mark.parametrize("limit", [1, 4, 100])
async def test_pages_hold_everything_once_while_all_share_an_instant(database_url: str, limit: int) -> None:
    """Newest first, nothing lost and nothing repeated, though time stands still and rows are added between pages."""
    async with providing(database_url) as provider:
        made = await make_invoices(provider, 9)
        added = iter(range(100))

        async def add() -> None:
            await provider.invoices.create(order(f"later-{next(added)}"))

        assert await all_pages(provider, replace(INVOICES, limit=limit), add) == made


async def test_a_page_that_ends_the_list_says_so(database_url: str) -> None:
    """There is no cursor after the last row, also when it fills its page; an empty list is one empty page."""
    async with providing(database_url) as provider:
        assert await read(provider, INVOICES) == lists.Page([], None)
        await make_invoices(provider, 4)
        first = await read(provider, replace(INVOICES, limit=2))
        assert first.next_cursor is not None
        assert (await read(provider, replace(INVOICES, limit=2, cursor=first.next_cursor))).next_cursor is None


async def test_every_filter_of_invoices(database_url: str) -> None:
    """Status, external id, project, environment and both bounds each let through what they name, also together."""
    async with providing(database_url) as provider:
        await provider.invoices.create(order("first"))
        await provider.move_to(START + 10 * SECOND)
        second = (await provider.invoices.create(order("second"))).resource.id
        await provider.invoices.cancel(second, "no")
        await provider.move_to(START + 20 * SECOND + 7)
        await provider.invoices.create(order("third", project_id="prj_2"))
        await provider.invoices.create(order("live", is_test=False))
        expected: list[tuple[dict[str, Any], list[str]]] = [
            ({}, ["third", "second", "first"]),
            ({"is_test": False}, ["live"]),
            ({"statuses": ("cancelled",)}, ["second"]),
            ({"statuses": ("cancelled", "awaiting_client")}, ["third", "second", "first"]),
            ({"statuses": ("paid",)}, []),
            ({"external_id": "second"}, ["second"]),
            ({"project_id": "prj_2"}, ["third"]),
            ({"project_id": PROJECT, "statuses": ("awaiting_client",)}, ["first"]),
            ({"created_from": START + 10 * SECOND}, ["third", "second"]),
            ({"created_from": START + 11 * SECOND}, ["third"]),
            ({"created_to": START + 10 * SECOND}, ["second", "first"]),
            ({"created_from": START, "created_to": START + 20 * SECOND}, ["third", "second", "first"]),
            ({"created_from": 0, "created_to": 10**30}, ["third", "second", "first"]),
            ({"created_from": 10**30}, []),
        ]
        for changes, found in expected:
            assert await names(provider, replace(INVOICES, **changes)) == found, changes


async def test_withdrawals_and_channels_have_lists_of_their_own(database_url: str) -> None:
    """Each kind is listed by itself, with its own statuses and its own filters."""
    async with providing(database_url) as provider:
        await make_invoices(provider, 2)
        for number in range(3):
            await provider.withdrawals.create(payout(f"payout-{number}"))
            await provider.channels.open(PROJECT, f"customer-{number}")
        await provider.channels.block((await provider.channels.open(PROJECT, "customer-2")).resource.id)
        assert await all_pages(provider, replace(WITHDRAWALS, limit=1)) == ["payout-2", "payout-1", "payout-0"]
        assert await names(provider, replace(WITHDRAWALS, statuses=("created",), external_id="payout-1")) == [
            "payout-1"
        ]
        assert await all_pages(provider, replace(CHANNELS, limit=2)) == ["customer-2", "customer-1", "customer-0"]
        assert await names(provider, replace(CHANNELS, statuses=("blocked",), project_id=PROJECT)) == ["customer-2"]
        assert await names(provider, replace(CHANNELS, external_id="customer-0")) == ["customer-0"]


async def test_a_cursor_of_another_list_is_refused(database_url: str) -> None:
    """A cursor is good for the kind and the environment that gave it out, and for nothing else."""
    async with providing(database_url) as provider:
        await make_invoices(provider, 2)
        cursor = (await read(provider, replace(INVOICES, limit=1))).next_cursor
        assert cursor is not None
        for query in (WITHDRAWALS, CHANNELS, replace(INVOICES, is_test=False)):
            with pytest.raises(RequestRefused) as refused:
                await read(provider, replace(query, cursor=cursor))
            assert (refused.value.reason_code, refused.value.field) == ("field_invalid", "cursor")


async def test_a_cursor_that_was_tampered_with_is_refused(database_url: str) -> None:
    """What is no cursor, or one with any character changed, is refused; nothing is guessed and nothing breaks."""
    async with providing(database_url) as provider:
        await make_invoices(provider, 2)
        cursor = (await read(provider, replace(INVOICES, limit=1))).next_cursor
        assert cursor is not None
        changed = [
            cursor[:place] + ("A" if one != "A" else "B") + cursor[place + 1 :] for place, one in enumerate(cursor)
        ]
        strange = ["", " ", "x", cursor[:-1], cursor + "A", cursor + "====", "é" * 28, "\0" * 28, "A" * 28, "+" * 28]
        unsigned = base64.urlsafe_b64encode(bytes(21)).decode()
        for one in [*changed, *strange, unsigned]:
            with pytest.raises(RequestRefused) as refused:
                await read(provider, replace(INVOICES, cursor=one))
            assert (refused.value.reason_code, refused.value.field) == ("field_invalid", "cursor")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"statuses": ("settled",)}, "status"),
        ({"statuses": ("paid", "paid")}, "status"),
        ({"created_from": 5 * SECOND, "created_to": 5 * SECOND}, "created_to"),
        ({"external_id": "a\0"}, "external_order_id"),
        ({"project_id": "\ud800"}, "project_id"),
        ({"kind": "payment_channel", "external_id": "a\0"}, "external_id"),
        ({"kind": "withdrawal", "statuses": ("paid",)}, "status"),
    ],
)
async def test_filters_that_mean_nothing_are_refused(changes: dict[str, Any], field: str) -> None:
    """An unknown or doubled status, bounds in the wrong order, text that is none: each is refused by its name."""
    async with providing("memory") as provider:
        with pytest.raises(RequestRefused) as refused:
            await read(provider, replace(INVOICES, **changes))
        assert (refused.value.reason_code, refused.value.field) == ("field_invalid", field)
