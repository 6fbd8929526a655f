"""Leases: how rows come back from relays that died, lost time or did not send. On both databases."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from sender.domain.delivery import Trigger
from sender.durations import MINUTE, SECOND
from sender.store import mishaps, outbox
from sender.store.outbox import Lease
from tests.simulators import START
from tests.stores import claim, opened, outcome, queue, records_of, row, rows_of, seqs, settle

if TYPE_CHECKING:
    from sender.store.engine import Database

REAL = 1_800_000_000 * SECOND


async def _resend(database: Database, event_id: str, at: int) -> None:
    async with database.write() as session:
        found = await outbox.find(session, event_id)
        assert found is not None
        assert await outbox.resend(session, found[0], replace(found[1], claim_at=at, trigger=Trigger.MANUAL))


async def test_a_dead_relay_gives_back_its_rows_and_nobody_elses(database_url: str) -> None:
    """Rows leased in its name are claimable when they were due; another relay keeps its own."""
    async with opened(database_url) as database:
        await queue(database, *(row(seq) for seq in range(1, 5)))
        await claim(database, "dead", limit=2)
        await claim(database, "alive", limit=2)
        async with database.write() as session:
            assert await outbox.give_back(session, "dead") == 2
            assert await outbox.give_back(session, "dead") == 0
        assert {seq: each.lease_owner for seq, each in (await rows_of(database)).items()} == {
            1: None, 2: None, 3: "alive", 4: "alive",
        }  # fmt: skip
        assert seqs(await claim(database, "successor")) == [1, 2]


async def test_giving_back_spends_no_rung(database_url: str) -> None:
    """Counts, due time and trigger are as they were before the claim."""
    async with opened(database_url) as database:
        await queue(database, row(1))
        await settle(database, *(outcome(each) for each in await claim(database)))
        before = await rows_of(database)
        await claim(database, "dead", now=START + MINUTE)
        async with database.write() as session:
            await outbox.give_back(session, "dead")
        assert await rows_of(database) == before


@pytest.mark.parametrize("how", ["give_back", "put_back", "reap"])
async def test_a_manual_attempt_that_comes_back_is_still_manual_and_due(database_url: str, how: str) -> None:
    """A resend survives the death of its relay: it is due at once, and the ladder's rung is still the ladder's."""
    async with opened(database_url) as database:
        await queue(database, row(1, due=START + MINUTE))
        await _resend(database, "evt_1", START)
        claimed = await claim(database, "dead", until=REAL)
        async with database.write() as session:
            if how == "give_back":
                await outbox.give_back(session, "dead")
            elif how == "put_back":
                await outbox.put_back(session, claimed)
            else:
                await outbox.reap(session, REAL + 1)
        (again,) = await claim(database, "successor")
        assert again.delivery == claimed[0].delivery
        assert (again.delivery.trigger, again.delivery.due_at) == (Trigger.MANUAL, START + MINUTE)


async def test_what_was_not_sent_is_put_back_as_far_as_it_is_still_held(database_url: str) -> None:
    """Only rows that are leased under the very token are released; a row that went elsewhere stays there."""
    async with opened(database_url) as database:
        await queue(database, row(1), row(2), row(3))
        first, second, third = await claim(database)
        async with database.write() as session:
            await outbox.put_back(session, [first, second._replace(token="stale")])
            await outbox.put_back(session, [])
        rows = await rows_of(database)
        assert [rows[seq].claim_at for seq in (1, 2, 3)] == [START, None, None]
        assert rows[third.seq].lease_token == third.token


async def test_leases_run_out_in_real_time_only(database_url: str) -> None:
    """A lease ends after its real instant, to the microsecond, however much virtual time has passed."""
    async with opened(database_url) as database:
        await queue(database, row(1), row(2))
        await claim(database, "one", limit=1, until=REAL)
        await claim(database, "two", limit=1, until=REAL + SECOND)
        async with database.write() as session:
            assert await outbox.reap(session, START) == 0
            assert await outbox.reap(session, REAL) == 0
            assert await outbox.reap(session, REAL + 1) == 1
        assert seqs(await claim(database, "three")) == [1]


async def test_renewing_prolongs_every_lease_of_one_relay(database_url: str) -> None:
    """After a renewal the old end passes without effect; another relay's lease is not prolonged."""
    async with opened(database_url) as database:
        await queue(database, row(1), row(2), row(3))
        await claim(database, "one", limit=2, until=REAL)
        await claim(database, "two", limit=1, until=REAL)
        async with database.write() as session:
            assert await outbox.renew(session, "one", REAL + MINUTE) == 2
            assert await outbox.reap(session, REAL + SECOND) == 1
        assert seqs(await claim(database, "three")) == [3]


async def test_a_renewal_after_the_loss_finds_nothing(database_url: str) -> None:
    """A relay whose leases were taken away is told so: none is left to prolong."""
    async with opened(database_url) as database:
        await queue(database, row(1))
        await claim(database, "one", until=REAL)
        async with database.write() as session:
            await outbox.reap(session, REAL + 1)
            assert await outbox.renew(session, "one", REAL + MINUTE) == 0


async def test_a_row_claimed_again_is_settled_by_its_new_holder_only(database_url: str) -> None:
    """Of two relays that sent one row, the one that holds it now decides, whoever comes first."""
    async with opened(database_url) as database:
        await queue(database, row(1))
        (old,) = await claim(database, "old", until=REAL)
        async with database.write() as session:
            await outbox.reap(session, REAL + 1)
        (new,) = await claim(database, "new")
        assert await settle(database, outcome(old, 200)) == set()
        assert await settle(database, outcome(new, 500)) == {1}
        kept = (await rows_of(database))[1]
        assert (kept.state, kept.attempts, kept.failures) == ("pending", 1, 1)


@pytest.mark.parametrize("new_first", [True, False])
async def test_a_relay_that_holds_its_own_row_again_counts_one_attempt(database_url: str, *, new_first: bool) -> None:
    """It lost a lease, claimed the row again, and both answers come back together: one counts, one is evidence."""
    async with opened(database_url) as database:
        await queue(database, row(1))
        (old,) = await claim(database, "relay:1", until=REAL)
        async with database.write() as session:
            await outbox.reap(session, REAL + 1)
        (new,) = await claim(database, "relay:2")
        both = [outcome(old, 200), outcome(new, 500)]
        assert await settle(database, *(reversed(both) if new_first else both)) == {1}
        kept = (await rows_of(database))[1]
        assert (kept.state, kept.attempts, kept.failures) == ("pending", 1, 1)
        found = {one.lease_token: (one.outcome, one.counted) for one in await records_of(database)}
        assert found == {old.token: ("delivered", False), new.token: ("failed", True)}


async def test_a_row_in_flight_cannot_be_resent(database_url: str) -> None:
    """While it is leased, storing a resend tells that the row was not at rest, and changes nothing."""
    async with opened(database_url) as database:
        await queue(database, row(1))
        (claimed,) = await claim(database)
        before = await rows_of(database)
        async with database.write() as session:
            found = await outbox.find(session, "evt_1")
            assert found is not None
            assert found[2] is True
            assert not await outbox.resend(session, 1, replace(claimed.delivery, claim_at=START))
        assert await rows_of(database) == before


async def test_an_unknown_event_is_not_found(database_url: str) -> None:
    """There is nothing to say about an event that does not exist."""
    async with opened(database_url) as database, database.read() as session:
        assert await outbox.find(session, "evt_none") is None


async def test_a_lease_is_whole(database_url: str) -> None:
    """Claims of one relay under different tokens are all its own."""
    async with opened(database_url) as database:
        await queue(database, row(1), row(2))
        async with database.write() as session:
            await outbox.claim(session, "a", START, 1, Lease("one", "1", REAL))
            await outbox.claim(session, "a", START, 1, Lease("one", "2", REAL))
            assert await outbox.leased(session) == 2
            assert await outbox.give_back(session, "one") == 2


async def test_what_a_dead_relay_had_in_hand_is_noted(database_url: str) -> None:
    """Deaths and overdue leases, each with when its attempt was due; what comes back unsent is no mishap."""
    async with opened(database_url) as database:
        await queue(database, *(row(seq) for seq in range(1, 5)))
        await _resend(database, "evt_4", START)
        await claim(database, "dead", limit=2)
        unsent = await claim(database, "alive", limit=1)
        async with database.write() as session:
            await outbox.put_back(session, unsent)
            await outbox.give_back(session, "dead")
        await claim(database, "late", limit=4, until=REAL)
        async with database.write() as session:
            await mishaps.note_armed(session, 3, "relay.after_send", START)
            await outbox.reap(session, REAL + 1)
        async with database.read() as session:
            found = {seq: await mishaps.of_event(session, f"evt_{seq}") for seq in range(1, 5)}
            assert await mishaps.taken_back_among(session, [2, 3, 99]) == {2, 3}
            assert await mishaps.taken_back_among(session, []) == set()
        back = mishaps.Mishap(mishaps.TAKEN_BACK, START)
        assert found == {
            1: [back, back],
            2: [back, back],
            3: [mishaps.Mishap("relay.after_send", START), back],
            4: [back],
        }
