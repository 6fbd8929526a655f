"""Stopping the feed of deposits, as the provider's own books may, to see what a reconciliation makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from sender.errors import NotFound
from sender.store import feed
from sender.web.control.call import Ask, Call, Reply
from sender.web.validation import Fields

if TYPE_CHECKING:
    from sender.store.engine import Database
    from sender.web.merchant.operation import Nothing


class BlockBody(Fields):
    """Why the feed stops (contract §3.5)."""

    reason: Literal[
        "booked_auth_missing", "inconsistent", "deposit_missing", "channel_missing", "transfer_missing", "not_confirmed"
    ] = "inconsistent"


class FeedCalls:
    """Stops the feed before a deposit, and lets it go on."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def calls(self) -> tuple[Call, ...]:
        """Return the calls."""
        return (
            Call(name="blockFeed", method="POST", path="/deposits/{id}/block", handle=self.block, body=BlockBody,
                 status=204, summary="Let the feed of deposits stop before this one, and say why"),
            Call(name="unblockFeed", method="POST", path="/deposits/{id}/unblock", handle=self.unblock, status=204,
                 summary="Let the feed go on; twice is once"),
        )  # fmt: skip

    async def block(self, ask: Ask[BlockBody, Nothing]) -> Reply:
        """Stop the feed."""
        return await self._set(ask.id, ask.body.reason)

    async def unblock(self, ask: Ask[Any, Nothing]) -> Reply:
        """Let the feed go on."""
        return await self._set(ask.id, None)

    async def _set(self, deposit_id: str, reason: str | None) -> Reply:
        async with self._database.write() as session:
            if not await feed.block(session, deposit_id, reason):
                raise NotFound(f"there is no confirmed deposit {deposit_id[:64]}", code="deposit_not_found")
        return Reply()
