"""What of finished attempts goes on record: each request once, whatever became of the lease under which it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select

from sender.store.schema import attempts, outbox

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sender.store.engine import Session
    from sender.store.outbox import Settlement

_THERE = select(outbox.c.seq).where(outbox.c.seq.in_(bindparam("b_seqs", expanding=True)))
_MADE = select(attempts.c.outbox_seq, attempts.c.lease_token).where(
    attempts.c.outbox_seq.in_(bindparam("b_seqs", expanding=True))
)


async def evidence(
    session: Session, settlements: Sequence[Settlement], unmoved: Sequence[Settlement]
) -> tuple[list[Mapping[str, Any]], list[Settlement]]:
    """Return the records to add where some settlements moved nothing, and which of those have lost their lease.

    An attempt whose lease was lost is kept as evidence, not counted. Nothing is left of rows that a reset has taken
    away. One that is on record under its own token has lost nothing: it was settled by a commit of which nobody heard,
    because the connection broke before the answer, and what is on record already is not recorded again.
    """
    seqs = {"b_seqs": [one.row.seq for one in unmoved]}
    left = {seq for (seq,) in await session.rows(_THERE, seqs)}
    made = {(seq, token) for seq, token in await session.rows(_MADE, seqs)}
    lost = [one for one in unmoved if (one.row.seq, one.row.token) not in made]
    stale = {id(one) for one in lost if one.row.seq in left}
    moved = {id(one) for one in settlements} - {id(one) for one in unmoved}
    records = [
        {**one.record, "counted": False} if id(one) in stale else one.record
        for one in settlements
        if id(one) in stale | moved
    ]
    return records, lost
