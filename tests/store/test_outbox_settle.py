"""Settling: compare-and-set on the lease, with every attempt on the record; and cancelling. On both databases."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from sender.durations import HOUR, MINUTE
from sender.errors import StoreError
from sender.store import outbox, reads
from sender.store.headers import header_lines
from sender.store.schema import attempts
from tests.simulators import START
from tests.stores import claim, opened, outcome, queue, records_of, row, rows_of, seqs, settle

if TYPE_CHECKING:
    from sender.store.engine import Database


async def test_a_failure_becomes_the_next_rung_and_a_success_the_end(database_url: str) -> None:
    """One batch moves each row by its own outcome, and every lease is gone."""
    async with opened(database_url) as database:
        await queue(database, row(1), row(2), row(3))
        first, second, third = await claim(database)
        moved = await settle(database, outcome(first, 500), outcome(second, 204), outcome(third, None))
        assert moved == {1, 2, 3}
        rows = await rows_of(database)
        assert [(each.state, each.due_at, each.claim_at) for each in rows.values()] == [
            ("pending", START + MINUTE, START + MINUTE),
            ("delivered", None, None),
            ("pending", START + MINUTE, START + MINUTE),
        ]
        assert {(each.lease_token, each.lease_owner, each.leased_until_real) for each in rows.values()} == {
            (None, None, None)
        }
        assert [(each.attempts, each.failures) for each in rows.values()] == [(1, 1), (1, 0), (1, 1)]
        assert [(each.outbox_seq, each.outcome, each.counted) for each in await records_of(database)] == [
            (1, "failed", True),
            (2, "delivered", True),
            (3, "failed", True),
        ]


async def test_a_lost_lease_touches_no_row_and_leaves_evidence(database_url: str) -> None:
    """A relay whose row was given to another one records its attempt as not counted, and changes nothing."""
    async with opened(database_url) as database:
        await queue(database, row(1))
        (late,) = await claim(database, "late")
        async with database.write() as session:
            assert await outbox.give_back(session, "late") == 1
        await claim(database, "other")
        before = await rows_of(database)
        assert await settle(database, outcome(late, 204)) == set()
        assert await rows_of(database) == before
        (evidence,) = await records_of(database)
        assert (evidence.counted, evidence.outcome, evidence.lease_token) == (False, "delivered", "late:a")


async def test_lost_and_held_leases_in_one_batch_are_told_apart(database_url: str) -> None:
    """Of a batch exactly the rows that are still leased under their tokens move."""
    async with opened(database_url) as database:
        await queue(database, row(1), row(2), row(3))
        first, second, third = await claim(database)
        stale = second._replace(token="somebody's")
        assert await settle(database, outcome(first), outcome(stale), outcome(third, 200)) == {1, 3}
        assert (await rows_of(database))[2].lease_token == "relay:a"
        assert [each.counted for each in await records_of(database)] == [True, False, True]


async def test_a_settled_row_is_never_settled_again(database_url: str) -> None:
    """The second settlement of one attempt changes nothing, and is not recorded again."""
    async with opened(database_url) as database:
        await queue(database, row(1))
        (claimed,) = await claim(database)
        assert await settle(database, outcome(claimed, 500)) == {1}
        before = await rows_of(database)
        await settle(database, outcome(claimed, 200))
        assert await rows_of(database) == before
        assert len(await records_of(database)) == 1


async def test_a_delivered_row_is_not_claimable_for_ever(database_url: str) -> None:
    """No instant in the future makes a settled row due."""
    async with opened(database_url) as database:
        await queue(database, row(1))
        await settle(database, *(outcome(each, 200) for each in await claim(database)))
        assert await claim(database, now=START + 1_000_000 * HOUR) == []


async def test_settling_fails_whole_or_not_at_all(database_url: str) -> None:
    """When one record of a batch is impossible, no row has moved, no attempt is there and every lease is kept."""
    async with opened(database_url) as database:
        await queue(database, row(1), row(2))
        good, bad = map(outcome, await claim(database))
        impossible = bad._replace(record={**bad.record, "outcome": "lost"})
        before = await rows_of(database)
        with pytest.raises(StoreError):
            await settle(database, good, impossible)
        assert await rows_of(database) == before
        assert await records_of(database) == []


async def test_an_attempt_is_read_back_as_it_was_recorded(database_url: str) -> None:
    """Headers keep order and repetition, bodies their bytes; hostile text comes back as it went in."""
    hostile = "<img src=x onerror=alert(1)> é 😀 ': \", \\ \\n {}[] ;--"
    async with opened(database_url) as database:
        await queue(database, row(1))
        (claimed,) = await claim(database)
        one = outcome(claimed)
        record = {
            **one.record,
            "detail": hostile,
            "answer_headers": header_lines((("Set-Cookie", "a=1"), ("Set-Cookie", "b: 2"), ("X", hostile), ("Y", ""))),
            "answer_body": b"\x00\xff" + hostile.encode(),
            "answer_cut": True,
            "faults": "duplicate,lose_response",
        }
        await settle(database, one._replace(record=record))
        async with database.read() as session:
            (seen,) = await reads.attempts_after(session)
            assert await reads.attempts_after(session, seen.seq) == []
        assert seen.answer_headers == (("Set-Cookie", "a=1"), ("Set-Cookie", "b: 2"), ("X", hostile), ("Y", ""))
        assert (seen.detail, seen.answer_body) == (hostile, b"\x00\xff" + hostile.encode())
        assert (seen.answer_cut, seen.faults, seen.counted) == (True, ("duplicate", "lose_response"), True)
        assert (seen.event_id, seen.endpoint_id, seen.number, seen.status) == ("evt_1", "a", 1, 500)
        assert seen.request_headers == (("X-A", "b"),)


async def test_a_batch_of_a_thousand_is_one_transaction(database_url: str) -> None:
    """Large batches are as good as small ones: no limit of parameters is met."""
    async with opened(database_url) as database:
        await queue(database, *(row(seq) for seq in range(1, 1_001)))
        claimed = await claim(database, limit=1_000)
        assert seqs(claimed) == list(range(1, 1_001))
        assert await settle(database, *map(outcome, claimed)) == set(range(1, 1_001))
        async with database.read() as session:
            assert await reads.counts(session) == {"pending": 1_000}


async def test_deleting_an_endpoint_cancels_what_is_pending_even_in_flight(database_url: str) -> None:
    """Pending rows end as cancelled, leased or not; delivered ones stay; other endpoints' are untouched."""
    async with opened(database_url, endpoints="ab") as database:
        await queue(database, row(1), row(2), row(3), row(4, "b"))
        first, second = await claim(database, limit=2)
        await settle(database, outcome(first, 200))
        async with database.write() as session:
            assert await outbox.cancel(session, "a") == 2
        rows = await rows_of(database)
        assert {seq: each.state for seq, each in rows.items()} == {
            1: "delivered", 2: "cancelled", 3: "cancelled", 4: "pending",
        }  # fmt: skip
        assert [(rows[seq].due_at, rows[seq].claim_at, rows[seq].lease_token) for seq in (2, 3)] == [(None,) * 3] * 2
        assert await settle(database, outcome(second, 200)) == set()
        assert (await rows_of(database))[2].state == "cancelled"
        assert await claim(database, now=START + HOUR) == []


async def test_deleting_an_endpoint_takes_back_a_resend_of_a_settled_row(database_url: str) -> None:
    """A failed row that waits for a manual attempt stays failed, and is not sent."""
    async with opened(database_url) as database:
        await queue(database, row(1))
        (claimed,) = await claim(database)
        await settle(database, outcome(claimed, 200))
        async with database.write() as session:
            seq, delivery, _ = await outbox.find(session, "evt_1") or (0, claimed.delivery, True)
            assert await outbox.resend(session, seq, replace(delivery, claim_at=START))
            await outbox.cancel(session, "a")
        kept = (await rows_of(database))[1]
        assert (kept.state, kept.claim_at, kept.trigger) == ("delivered", None, "scheduled")


async def test_an_attempt_needs_a_row(database_url: str) -> None:
    """The foreign key holds on both databases: no attempt of an event that does not exist."""
    async with opened(database_url) as database:
        await queue(database, row(1))
        (claimed,) = await claim(database)
        record = outcome(claimed).record
        with pytest.raises(StoreError):
            await _insert(database, {**record, "outbox_seq": 99, "counted": True})


async def _insert(database: Database, record: dict[str, object]) -> None:
    async with database.write() as session:
        await session.add(attempts, [record])
