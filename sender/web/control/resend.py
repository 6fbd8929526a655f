"""One more attempt by hand: of one event, of several, of all that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from sender.domain.delivery import DeliveryState, Trigger
from sender.errors import Conflict, RequestRefused
from sender.store import archive, outbox
from sender.web.control.call import Ask, Call, Reply
from sender.web.control.events import Word
from sender.web.refusals import Flaw, Invalid
from sender.web.validation import Fields

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sender.store.engine import Database
    from sender.subscriptions import Subscriptions
    from sender.web.merchant.operation import Nothing

MOST = 1_000
"""How many events one call resends; the answer says whether there are more."""


class ResendBody(Fields):
    """What is resent: these ``events``, or everything ``failed``, of one endpoint or of all."""

    events: Annotated[list[Word], Field(min_length=1, max_length=MOST)] | None = None
    failed: bool = False
    endpoint_id: Word | None = None


class ResendCalls:
    """Asks for attempts; they are made after this is answered."""

    def __init__(self, database: Database, subscriptions: Subscriptions) -> None:
        self._database = database
        self._subscriptions = subscriptions

    def calls(self) -> tuple[Call, ...]:
        """Return the calls."""
        return (
            Call(name="resendEvent", method="POST", path="/events/{id}/resend", handle=self.one, answer="Resent",
                 status=202, refusals=(409,), summary="Ask for one extra attempt at once; twice is once"),
            Call(name="resendEvents", method="POST", path="/resend", handle=self.many, body=ResendBody,
                 answer="ResentMany", status=202, summary="Resend several events, or all that failed"),
        )  # fmt: skip

    async def one(self, ask: Ask[Any, Nothing]) -> Reply:
        """Resend one event; where an attempt by hand is on its way already, that one will do."""
        await self._resend(ask.id)
        return Reply({"event_id": ask.id}, 202)

    async def many(self, ask: Ask[ResendBody, Nothing]) -> Reply:
        """Resend as many as can be; what is refused is told with its reason."""
        wish = ask.body
        if (wish.events is not None) == wish.failed or (wish.endpoint_id is not None and not wish.failed):
            flaw = 'write events with their ids, or "failed": true, which alone takes endpoint_id'
            raise Invalid([Flaw("validation_failed", "", flaw)])
        ids = list(dict.fromkeys(wish.events)) if wish.events else await self._failed(wish.endpoint_id)
        resent: list[str] = []
        refused: list[dict[str, str]] = []
        for event_id in ids[:MOST]:
            try:
                await self._resend(event_id)
                resent.append(event_id)
            except RequestRefused as refusal:
                refused.append({"event_id": event_id, "code": refusal.reason_code, "detail": str(refusal)})
        return Reply({"resent": resent, "refused": refused, "more": len(ids) > MOST}, 202)

    async def _failed(self, endpoint_id: str | None) -> list[str]:
        return [event_id async for event_id in self._walk(endpoint_id)]

    async def _walk(self, endpoint_id: str | None) -> AsyncIterator[str]:
        """Give failed events that nobody has asked to resend yet, newest first, one more than a call resends."""
        before: int | None = None
        given = 0
        while given <= MOST:
            query = archive.EventQuery(before=before, state=DeliveryState.FAILED, endpoint_id=endpoint_id)
            async with self._database.read() as session:
                page = await archive.page(session, query)
            for event in page.items[: MOST + 1 - given]:
                given += 1
                yield event.event_id
            before = page.next_before
            if before is None:
                return

    async def _resend(self, event_id: str) -> None:
        try:
            await self._subscriptions.resend(event_id)
        except Conflict as conflict:
            if conflict.reason_code != "delivery_in_flight" or not await self._is_asked_for(event_id):
                raise

    async def _is_asked_for(self, event_id: str) -> bool:
        async with self._database.read() as session:
            found = await outbox.find(session, event_id)
        return found is not None and found[1].trigger is Trigger.MANUAL
