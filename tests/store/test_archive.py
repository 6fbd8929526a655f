"""The archive in pages: newest first, filtered, whole, and at a cost that does not depend on how much there is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from sender.domain.endpoint import EndpointStatus
from sender.durations import DAY, MINUTE
from sender.store import archive, outbox, settings, upcoming
from sender.store.archive import Count, EventQuery
from tests.explaining import explaining
from tests.simulators import START
from tests.stores import claim, endpoint, opened, outcome, queue, row, settle

if TYPE_CHECKING:
    from sender.store.engine import Database

MANY = 20_000
"""Enough that a planner prefers an index; plans, not clocks, tell whether the rest matters."""

_FILL = text("""
    INSERT INTO outbox (seq, event_id, event_type, resource_id, endpoint_id, state, trigger, attempts, failures,
                        created_at)
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :count)
    SELECT n, 'evt_' || n, CASE WHEN n % 1000 = 0 THEN 'invoice.expired' ELSE 'invoice.paid' END, 'inv_' || (n % 500),
           CASE WHEN n % 1000 = 1 THEN 'b' ELSE 'a' END, CASE WHEN n % 1000 = 2 THEN 'failed' ELSE 'delivered' END,
           'scheduled', 1, 0, 0 FROM numbers
""")
_ATTEMPTS = text("""
    INSERT INTO attempts (seq, outbox_seq, number, trigger, counted, due_at, started_at, finished_at, duration, outcome,
                          detail, url, request_headers, answer_headers, answer_body, answer_cut, faults, lease_token)
    SELECT seq, seq, 1, 'scheduled', :true, 0, 0, 0, 0, 'delivered', '', 'http://x/', '', '', '', :false, '', ''
    FROM outbox
""")


async def _filled(database: Database) -> None:
    async with database.write() as session:
        await session.run(_FILL, {"count": MANY})
        await session.run(_ATTEMPTS, {"true": True, "false": False})
        await session.run(text("ANALYZE"))


async def test_pages_hold_every_event_once_newest_first(database_url: str) -> None:
    """Following next_before to its end gives each event once, also while others are added."""
    async with opened(database_url) as database:
        await queue(database, *[row(seq) for seq in range(1, 26)])
        seen: list[int] = []
        before: int | None = None
        while True:
            async with database.read() as session:
                page = await archive.page(session, EventQuery(limit=10, before=before))
            seen += [one.seq for one in page.items]
            await queue(database, row(100 + len(seen)))
            before = page.next_before
            if before is None:
                break
    assert seen == list(range(25, 0, -1))


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        (EventQuery(state="delivered"), [1]),
        (EventQuery(state="pending"), [3, 2]),
        (EventQuery(event_type="invoice.expired"), [3]),
        (EventQuery(endpoint_id="b"), [2]),
        (EventQuery(resource_id="inv_1"), [1]),
        (EventQuery(endpoint_id="a", state="pending", event_type="invoice.expired", resource_id="inv_3"), [3]),
        (EventQuery(endpoint_id="b", state="delivered"), []),
    ],
)  # fmt: skip
async def test_filters_leave_what_they_name(database_url: str, query: EventQuery, wanted: list[int]) -> None:
    """State, type, endpoint and resource, alone and together."""
    async with opened(database_url, endpoints=["a", "b"]) as database:
        await queue(database, row(1), row(2, "b"), row(3, event_type="invoice.expired"))
        (first, *_) = await claim(database, limit=1)
        await settle(database, outcome(first, 200))
        async with database.read() as session:
            page = await archive.page(session, query)
    assert ([one.seq for one in page.items], page.next_before) == (wanted, None)


async def test_one_event_and_its_attempts_are_read_alone(database_url: str) -> None:
    """An event comes with when it was made, its attempts in pages with all their bytes; what is not there is None."""
    async with opened(database_url) as database:
        await queue(database, row(1), row(2))
        for status in (500, 503):
            claimed = await claim(database)
            await settle(database, *[outcome(one, status) for one in claimed])
            await _let_be_due(database)
        async with database.read() as session:
            event = await archive.event(session, "evt_1")
            nobody = await archive.event(session, "evt_9"), await archive.attempt(session, 99)
            attempts = await archive.attempts_of(session, "evt_1")
            rest = await archive.attempts_of(session, "evt_1", after=attempts[0].seq)
            again = await archive.attempt(session, attempts[1].seq)
            last = await archive.last_attempts(session, [event] if event else [])
            assert await archive.newest_numbers(session) == (2, 4)
    assert event is not None
    assert (event.created_at, event.attempts, nobody) == (START, 2, (None, None))
    assert [(one.number, one.status, one.request_headers) for one in attempts] == [
        (1, 500, (("X-A", "b"),)), (2, 503, (("X-A", "b"),))
    ]  # fmt: skip
    assert (rest, again) == (attempts[1:], attempts[1])
    assert (last["evt_1"].status, last["evt_1"].outcome) == (503, "failed")


async def test_what_is_new_is_read_in_order(database_url: str) -> None:
    """Whoever follows reads on from a number, in bounded steps, oldest first."""
    async with opened(database_url) as database:
        await queue(database, row(1), row(2), row(3))
        await settle(database, *[outcome(one) for one in await claim(database)])
        async with database.read() as session:
            assert [one.seq for one in await archive.queued_since(session, 1)] == [2, 3]
            assert [one.seq for one in await archive.queued_since(session, 0, 2)] == [1, 2]
            assert [one.outbox_seq for one in await archive.recorded_since(session, 1, 1)] == [2]


async def test_counts_stop_at_their_bound(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each state is counted, and beyond the bound it is only said that there are more."""
    async with opened(database_url) as database:
        await queue(database, *[row(seq) for seq in range(1, 4)])
        async with database.read() as session:
            assert (await archive.counts(session))["pending"] == Count(3, more=False)
            assert (await archive.counts(session))["failed"] == Count(0, more=False)
        async with database.write() as session:
            await session.run(_FILL_MORE, {"first": 10, "last": 10 + archive.COUNTED})
        async with database.read() as session:
            assert (await archive.counts(session))["delivered"] == Count(archive.COUNTED, more=True)


_FILL_MORE = text("""
    INSERT INTO outbox (seq, event_id, event_type, resource_id, endpoint_id, state, trigger, attempts, failures,
                        created_at)
    WITH RECURSIVE numbers(n) AS (SELECT CAST(:first AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < :last)
    SELECT n, 'evt_' || n, 'invoice.paid', 'inv', 'a', 'delivered', 'scheduled', 0, 0, 0 FROM numbers
""")


async def test_upcoming_names_the_next_deadlines_of_every_kind(database_url: str) -> None:
    """Attempts of all endpoints and ends of rotation windows, earliest first; a suspended endpoint's attempt waits."""
    rotating = endpoint("b", previous_secret="whsec_old", previous_secret_invalid_at=START + DAY)
    async with opened(database_url) as database:
        async with database.write() as session:
            await settings.add_endpoint(session, rotating)
            await settings.add_endpoint(session, endpoint("c", status=EndpointStatus.SUSPENDED))
        await queue(database, row(1, due=START + 2 * MINUTE), row(2, "b", START + MINUTE), row(3, "c", START))
        async with database.read() as session:
            ahead = await upcoming.upcoming(session, START)
            assert len(await upcoming.upcoming(session, START, 2)) == 2
    assert [(one.what, one.id, one.at, one.waits) for one in ahead] == [
        ("attempt", "evt_3", START, True),
        ("attempt", "evt_2", START + MINUTE, False),
        ("attempt", "evt_1", START + 2 * MINUTE, False),
        ("rotation_end", "b", START + DAY, False),
    ]


_WHOLE = re.compile(r"SCAN (outbox|attempts)(?! USING)|Seq Scan on (outbox|attempts)")

READS: dict[str, Any] = {
    "newest": lambda session: archive.page(session, EventQuery(limit=50)),
    "next page": lambda session: archive.page(session, EventQuery(limit=50, before=MANY // 2)),
    "state": lambda session: archive.page(session, EventQuery(limit=50, state="failed")),
    "type": lambda session: archive.page(session, EventQuery(limit=50, event_type="invoice.expired")),
    "endpoint": lambda session: archive.page(session, EventQuery(limit=50, endpoint_id="b")),
    "resource": lambda session: archive.page(session, EventQuery(limit=50, resource_id="inv_7")),
    "of a resource": lambda session: archive.page(
        session, EventQuery(limit=50, resource_id="inv_7", state="delivered", event_type="invoice.paid")
    ),
    "event": lambda session: archive.event(session, "evt_77"),
    "attempts": lambda session: archive.attempts_of(session, "evt_77"),
    "attempt": lambda session: archive.attempt(session, 77),
    "queued": lambda session: archive.queued_since(session, MANY - 20, 50),
    "recorded": lambda session: archive.recorded_since(session, MANY - 20, 50),
    "numbers": archive.newest_numbers,
    "upcoming": lambda session: upcoming.upcoming(session, START),
    "leased": outbox.leased,
}


async def test_no_read_looks_at_more_than_it_returns(database_url: str) -> None:
    """Beside thousands of rows each read walks an index: no whole table, and on PostgreSQL no more rows than a page."""
    async with opened(database_url, endpoints=["a", "b"]) as database:
        await _filled(database)
        for name, read in READS.items():
            with explaining(database) as plans:
                async with database.read() as session:
                    await read(session)
            for plan in plans:
                # The newest page walks the table backwards and stops; SQLite calls that a scan too.
                assert name == "newest" or not _WHOLE.search(plan), (name, plan)
                # One event has few attempts, and few endpoints rotate: sorting those costs nothing.
                assert "TEMP B-TREE" not in plan or name in {"attempts", "upcoming"}, (name, plan)
                assert max(map(int, re.findall(r"actual .*?rows=(\d+)", plan)), default=0) <= 60, (name, plan)


async def test_last_attempts_of_a_page_are_looked_up_one_by_one(database_url: str) -> None:
    """The newest attempt of each event of a page comes from the index of attempts, whatever else is recorded."""
    async with opened(database_url, endpoints=["a", "b"]) as database:
        await _filled(database)
        with explaining(database) as plans:
            async with database.read() as session:
                page = await archive.page(session, EventQuery(limit=20))
                assert len(await archive.last_attempts(session, page.items)) == 20
    assert "attempts_of_delivery" in plans[1]


async def _let_be_due(database: Database) -> None:
    async with database.write() as session:
        await session.run(
            text("UPDATE outbox SET due_at = :now, claim_at = :now WHERE state = 'pending'"), {"now": START}
        )
