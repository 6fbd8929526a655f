"""Wrong rules: what tells events apart, what a booking is made once by, what books, what replaces what."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from receiver_fixture.clock import SECOND
from receiver_fixture.flaws import Flaw
from receiver_fixture.rules import RIGHT, Rules, by_event_id, by_resource, moves_money

if TYPE_CHECKING:
    from receiver_fixture.envelope import Claim
    from receiver_fixture.flaws import Flaws
    from receiver_fixture.rules import Booking
    from receiver_fixture.status import State

AGAIN = " again "
"""Stands in the key of an event that was stored although it was there already."""

_LATE = 3_600 * SECOND


def rules_for(flaws: Flaws) -> Rules:
    """Return the rules of a receiver with these flaws."""
    rules = RIGHT
    for flaw in flaws:
        rules = replace(rules, **_WRONG.get(flaw, {}))
    return rules


def _resource(claim: Claim, header_id: str | None) -> str:
    return claim.resource_id or by_event_id(claim, header_id)


def _header(claim: Claim, header_id: str | None) -> str:
    return header_id or by_event_id(claim, header_id)


def _any_case(claim: Claim, header_id: str | None) -> str:
    return by_event_id(claim, header_id).lower()


def _event(booking: Booking) -> str:
    return booking.key


def _event_when_again(booking: Booking) -> str:
    return booking.key if AGAIN in booking.key else by_resource(booking)


def _event_when_late(booking: Booking) -> str:
    return booking.key if booking.age > _LATE else by_resource(booking)


def _paid(state: State) -> bool:
    return moves_money(state) and state.status != "paid_over"


def _always(_current: State, _incoming: State) -> bool:
    return True


_WRONG: dict[Flaw, dict[str, Any]] = {
    Flaw.DEDUPE_BY_RESOURCE: {"event_key": _resource},
    Flaw.DEDUPE_BY_HEADER_ID: {"event_key": _header},
    Flaw.IDS_FOLD_CASE: {"event_key": _any_case},
    Flaw.ORDER_KEY_EVENT_ID: {"booking_key": _event},
    Flaw.LATE_PAYMENT_TWICE: {"booking_key": _event_when_late},
    Flaw.BLIND_STATUS: {"follows": _always},
    Flaw.PAID_ONLY: {"books": _paid},
    Flaw.NO_DEDUPE: {"booking_key": _event},
    # These may see an event a second time as another one; what that books is booked again.
    Flaw.CHECK_THEN_INSERT: {"booking_key": _event_when_again},
    Flaw.FULFIL_BEFORE_RECORD: {"booking_key": _event_when_again},
    Flaw.DEDUPE_IN_MEMORY: {"booking_key": _event_when_again},
}
