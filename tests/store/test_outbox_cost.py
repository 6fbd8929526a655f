"""What claiming costs must not depend on how many rows are settled: it reads the partial index and what it takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from sender.durations import MINUTE
from sender.store import outbox
from sender.store.outbox import Lease
from tests.explaining import explaining
from tests.simulators import START
from tests.stores import FOREVER, opened, seqs

if TYPE_CHECKING:
    from sender.store.engine import Database

MANY = 50_000
"""So many that a planner that looks at costs prefers an index to reading them all."""

_FILL = text("""
    INSERT INTO outbox (seq, event_id, event_type, resource_id, endpoint_id, state, due_at, claim_at, trigger, attempts,
                        failures, created_at)
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :count)
    SELECT n + :first, 'evt_' || (n + :first), 'invoice.paid', 'inv', 'a', :state, CAST(:due AS BIGINT),
           CAST(:due AS BIGINT), 'scheduled', 1, 0, 0 FROM numbers
""")
_BODIES = text("INSERT INTO bodies (outbox_seq, body) SELECT seq, '' FROM outbox")


_WHOLE = re.compile(r"SCAN (outbox|bodies)\b|Seq Scan on (outbox|bodies)\b")


@pytest.mark.parametrize("others", ["delivered", "pending"])
async def test_a_claim_reads_the_partial_index_and_what_it_takes(database_url: str, others: str) -> None:
    """Beside thousands of settled rows, or of rows due later, no statement of a claim reads the whole table."""
    async with opened(database_url) as database:
        await _fill(database, others)
        with explaining(database) as plans:
            async with database.write() as session:
                assert list((await outbox.heads(session)).values()) == [START]
                claimed = await outbox.claim(session, "a", START, 100, Lease("relay", "1", FOREVER))
                assert await outbox.leased(session) == 10
        assert seqs(claimed) == list(range(MANY + 1, MANY + 11))
    by_number = r"outbox_pkey|INTEGER PRIMARY KEY"
    for plan, index in zip(plans, ["outbox_claimable", "outbox_claimable", by_number, "outbox_leased"], strict=True):
        assert re.search(index, plan)
        assert not _WHOLE.search(plan.replace(f"SCAN outbox USING INDEX {index}", ""))
        assert max(map(int, re.findall(r"actual .*?rows=(\d+)", plan)), default=0) <= 10


async def _fill(database: Database, others: str) -> None:
    due = START + MINUTE if others == "pending" else None
    async with database.write() as session:
        await session.run(_FILL, {"count": MANY, "first": 0, "state": others, "due": due})
        await session.run(_FILL, {"count": 10, "first": MANY, "state": "pending", "due": START})
        await session.run(_BODIES)
        await session.run(text("ANALYZE"))
