"""What is on record already of attempts that moved nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select

from sender.store.schema import attempts, outbox

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.store.engine import Session

_THERE = select(outbox.c.seq).where(outbox.c.seq.in_(bindparam("b_seqs", expanding=True)))
_MADE = select(attempts.c.outbox_seq, attempts.c.lease_token).where(
    attempts.c.outbox_seq.in_(bindparam("b_seqs", expanding=True))
)


async def there(session: Session, seqs: Sequence[int]) -> set[int]:
    """Return which of the rows are there; a reset takes them away."""
    return {seq for (seq,) in await session.rows(_THERE, {"b_seqs": seqs})}


async def made(session: Session, seqs: Sequence[int]) -> set[tuple[int, str]]:
    """Return the recorded attempts of these rows, each as its row and the token of the claim that it was made under."""
    return {(seq, token) for seq, token in await session.rows(_MADE, {"b_seqs": seqs})}
