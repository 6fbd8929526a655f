"""Claiming: which rows, how many, in which order, for whom; the same on both databases."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from sender.domain.delivery import Trigger
from sender.domain.endpoint import EndpointStatus
from sender.durations import MINUTE, SECOND
from sender.store import outbox, settings
from sender.store.outbox import Lease
from tests.receivers import PATIENCE
from tests.simulators import START
from tests.stores import FOREVER, claim, endpoint, opened, outcome, queue, row, rows_of, seqs, settle

if TYPE_CHECKING:
    from sender.store.engine import Database


async def test_rows_come_in_order_of_due_time_then_of_commit(database_url: str) -> None:
    """The row that is due first goes first; of those due together the one that was committed first."""
    async with opened(database_url) as database:
        later, early = row(1, due=START + SECOND), [row(seq) for seq in (4, 2, 3)]
        await queue(database, later, *early)
        assert seqs(await claim(database, now=START + SECOND)) == [2, 3, 4, 1]


async def test_no_more_rows_than_asked_for(database_url: str) -> None:
    """A limit takes the first ones and leaves the others to the next claim."""
    async with opened(database_url) as database:
        await queue(database, *(row(seq) for seq in range(1, 8)))
        assert seqs(await claim(database, limit=3)) == [1, 2, 3]
        assert seqs(await claim(database, limit=3)) == [4, 5, 6]
        assert seqs(await claim(database, limit=3)) == [7]
        assert await claim(database, limit=3) == []


async def test_what_is_not_due_yet_stays(database_url: str) -> None:
    """A row is claimable from the microsecond of its due time on, not before."""
    async with opened(database_url) as database:
        await queue(database, row(1, due=START + 1))
        assert await claim(database, now=START) == []
        assert seqs(await claim(database, now=START + 1)) == [1]


async def test_each_endpoint_is_claimed_for_itself(database_url: str) -> None:
    """A claim for one endpoint takes no row of another."""
    async with opened(database_url, endpoints="ab") as database:
        await queue(database, row(1, "b"), row(2, "a"), row(3, "b"))
        assert seqs(await claim(database, endpoint_id="a")) == [2]
        assert seqs(await claim(database, endpoint_id="b")) == [1, 3]


async def test_a_claimed_row_brings_everything_that_is_its_own(database_url: str) -> None:
    """Body, ids, counts and due time are those of the row, however many are claimed at once."""
    async with opened(database_url) as database:
        made = [row(seq, body=bytes([seq]) * seq, due=START + seq) for seq in range(1, 21)]
        await queue(database, *made)
        for one, claimed in zip(made, await claim(database, now=START + 20), strict=True):
            assert (claimed.seq, claimed.event_id, claimed.body) == (one.seq, one.event_id, one.body)
            assert (claimed.event_type, claimed.resource_id) == (one.event_type, one.resource_id)
            assert claimed.delivery == replace(one.delivery, claim_at=None)
            assert (claimed.endpoint_id, claimed.token) == ("a", "relay:a")


async def test_a_claimed_row_is_leased_and_not_claimable(database_url: str) -> None:
    """Owner, token and end of the lease stand in the row; nobody else gets it."""
    async with opened(database_url) as database:
        await queue(database, row(1))
        await claim(database, "one", until=77)
        leased = (await rows_of(database))[1]
        assert (leased.lease_owner, leased.lease_token, leased.leased_until_real) == ("one", "one:a", 77)
        assert (leased.claim_at, leased.due_at, leased.state) == (None, START, "pending")
        assert await claim(database, "two") == []


async def test_an_empty_body_and_any_bytes_survive(database_url: str) -> None:
    """A body is bytes, not text: zeros, broken UTF-8 and nothing at all come back as they were."""
    bodies = {1: b"", 2: b"\x00\xff\xfe", 3: "é 😀 \u2028".encode()}
    async with opened(database_url) as database:
        await queue(database, *(row(seq, body=body) for seq, body in bodies.items()))
        assert {each.seq: bytes(each.body) for each in await claim(database)} == bodies


async def test_heads_tell_when_each_active_endpoint_has_something(database_url: str) -> None:
    """For each active endpoint the first claimable instant, or none; suspended and deleted ones are left out."""
    async with opened(database_url, endpoints="abcde") as database:
        await queue(database, row(1, "a", START + MINUTE), row(2, "a", START + SECOND), row(3, "c"), row(4, "d"))
        async with database.write() as session:
            await settings.change_endpoint(session, endpoint("c", status=EndpointStatus.SUSPENDED))
            await settings.change_endpoint(session, endpoint("d", status=EndpointStatus.DELETED))
        async with database.read() as session:
            assert await outbox.heads(session) == {"a": START + SECOND, "b": None, "e": None}


async def test_heads_leave_out_what_is_leased_or_settled(database_url: str) -> None:
    """A row in a relay's hands has no head; after a failure its next rung has one, after success none."""
    async with opened(database_url) as database:
        await queue(database, row(1))
        (claimed,) = await claim(database)
        async with database.read() as session:
            assert await outbox.heads(session) == {"a": None}
            assert await outbox.leased(session) == 1
        await settle(database, outcome(claimed))
        async with database.read() as session:
            assert await outbox.heads(session) == {"a": START + MINUTE}
            assert await outbox.leased(session) == 0


async def test_a_resent_row_is_claimed_as_manual_with_its_rung_untouched(database_url: str) -> None:
    """The trigger says that a person asked; the ladder's due time is still in the row."""
    async with opened(database_url) as database:
        await queue(database, row(1, due=START + MINUTE))
        async with database.write() as session:
            found = await outbox.find(session, "evt_1")
            assert found is not None
            seq, delivery, in_flight = found
            assert (seq, in_flight) == (1, False)
            assert await outbox.resend(session, seq, replace(delivery, claim_at=START, trigger=Trigger.MANUAL))
        (claimed,) = await claim(database)
        assert (claimed.delivery.trigger, claimed.delivery.due_at) == (Trigger.MANUAL, START + MINUTE)


async def test_two_claimers_at_once_share_without_waiting(postgres_url: str) -> None:
    """On PostgreSQL a second claimer skips what the first one has in an open transaction, and gets the rest."""
    async with opened(postgres_url) as database:
        await queue(database, *(row(seq) for seq in range(1, 6)))
        async with database.write() as first, database.write() as second, asyncio.timeout(PATIENCE):
            mine = await outbox.claim(first, "a", START, 3, Lease("one", "1", FOREVER))
            others = await outbox.claim(second, "a", START, 3, Lease("two", "2", FOREVER))
        assert (seqs(mine), seqs(others)) == ([1, 2, 3], [4, 5])
        assert {seq: each.lease_owner for seq, each in (await rows_of(database)).items()} == {
            1: "one", 2: "one", 3: "one", 4: "two", 5: "two",
        }  # fmt: skip


async def test_many_claimers_never_get_the_same_row(database_url: str) -> None:
    """Eight claimers in parallel take every row exactly once."""
    async with opened(database_url) as database:
        await queue(database, *(row(seq) for seq in range(1, 101)))
        takes = [claim(database, f"relay {number % 8}", limit=7) for number in range(16)]
        claimed = [each.seq for batch in await asyncio.gather(*takes) for each in batch]
        assert sorted(claimed) == list(range(1, 101))


async def test_a_claim_that_is_rolled_back_never_was(database_url: str) -> None:
    """When the claiming transaction fails, its rows are claimable as before."""
    async with opened(database_url) as database:
        await queue(database, row(1))
        with pytest.raises(RuntimeError):
            await _claim_and_fail(database)
        assert seqs(await claim(database, "two")) == [1]


async def _claim_and_fail(database: Database) -> None:
    async with database.write() as session:
        await outbox.claim(session, "a", START, 9, Lease("one", "1", FOREVER))
        raise RuntimeError
