"""How settled rows move: compare-and-set on the token of their claim, those that are alike in one short statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, Integer, Text, bindparam, select, update

from sender.store.engine import batch, batch_of
from sender.store.schema import outbox

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.domain.delivery import Delivery
    from sender.store.engine import Session

ALIKE = 8
"""So many rows of one claim with one and the same outcome are settled by a statement that names it once.

Under load nearly all are alike, and it takes half the time of the one that brings an outcome for each row.
"""

NO_LEASE: dict[str, Any] = {"lease_token": None, "lease_owner": None, "leased_until_real": None}

_named = batch(seq=BigInteger())
_outcomes = batch(
    seq=BigInteger(), state=Text(), due_at=BigInteger(), claim_at=BigInteger(), trigger=Text(), attempts=Integer(),
    failures=Integer(),
)  # fmt: skip
_SETTLE = (
    update(outbox)
    .where(outbox.c.seq == _outcomes.c.seq, outbox.c.lease_token == bindparam("b_token"))
    .values(
        state=_outcomes.c.state,
        due_at=_outcomes.c.due_at,
        claim_at=_outcomes.c.claim_at,
        trigger=_outcomes.c.trigger,
        attempts=_outcomes.c.attempts,
        failures=_outcomes.c.failures,
        **NO_LEASE,
    )
    .returning(outbox.c.seq)
)
_SETTLE_ALIKE = (
    update(outbox)
    .where(outbox.c.seq.in_(select(_named.c.seq)), outbox.c.lease_token == bindparam("b_token"))
    .values(
        state=bindparam("b_state"),
        due_at=bindparam("b_due_at"),
        claim_at=bindparam("b_claim_at"),
        trigger=bindparam("b_trigger"),
        attempts=bindparam("b_attempts"),
        failures=bindparam("b_failures"),
        **NO_LEASE,
    )
    .returning(outbox.c.seq)
)
_OUTCOME = ("b_state", "b_due_at", "b_claim_at", "b_trigger", "b_attempts", "b_failures")


async def move(session: Session, token: str, to: Sequence[tuple[int, Delivery]]) -> set[int]:
    """Move rows of one claim, each to where its delivery stands now; return which were still leased by it.

    A claim has no row twice.
    """
    outcomes: dict[tuple[Any, ...], list[int]] = {}
    for seq, delivery in to:
        outcomes.setdefault(_outcome(delivery), []).append(seq)
    moved: list[Any] = []
    others: list[tuple[Any, ...]] = []
    for outcome, seqs in outcomes.items():
        if len(seqs) < ALIKE:
            others += [(seq, *outcome) for seq in seqs]
            continue
        named = batch_of((seq,) for seq in seqs)
        moved += await session.rows(
            _SETTLE_ALIKE, {"batch": named, "b_token": token, **dict(zip(_OUTCOME, outcome, strict=True))}
        )
    if others:
        moved += await session.rows(_SETTLE, {"batch": batch_of(others), "b_token": token})
    return {seq for (seq,) in moved}


def _outcome(to: Delivery) -> tuple[Any, ...]:
    return to.state.value, to.due_at, to.claim_at, to.trigger.value, to.attempts, to.failures
