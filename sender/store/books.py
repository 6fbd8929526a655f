"""What a transition leaves behind beside the resource: the merchant's balance, and the feed of confirmed deposits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.domain.balance import movement
from sender.domain.deposit import Deposit
from sender.store import balances, feed

if TYPE_CHECKING:
    from sender.domain.resource import Resource
    from sender.store.engine import Session


async def enter(session: Session, seq: int, before: Resource | None, after: Resource) -> None:
    """Enter the transition ``seq``. Raises ``Conflict`` (``insufficient_balance``) for money that is not there."""
    moved = movement(before, after)
    if moved is not None:
        await balances.move(session, moved)
    if isinstance(after, Deposit) and after.is_final:
        await feed.append(session, seq, after)
