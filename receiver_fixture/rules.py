"""The four decisions that a right receiver makes, as values, so that a wrong one differs in exactly one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from receiver_fixture.status import follows

if TYPE_CHECKING:
    from collections.abc import Callable

    from receiver_fixture.clock import Micros
    from receiver_fixture.envelope import Claim
    from receiver_fixture.status import State


@dataclass(frozen=True, slots=True)
class Booking:
    """What decides under which name a booking is made once: the state, the event as it is remembered, and its age."""

    state: State
    key: str
    age: Micros


def by_event_id(claim: Claim, _header_id: str | None) -> str:
    """Return the id within the signed body (contract §1.8); the header's is not signed."""
    return claim.event_id or ""


def by_resource(booking: Booking) -> str:
    """Return the id of the invoice, withdrawal or deposit, which every endpoint's copy of an event shares."""
    return booking.state.resource_id


def moves_money(state: State) -> bool:
    """Tell whether a state moves money."""
    return state.books


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """By what events are told apart, by what bookings are, which states book, and which state replaces which."""

    event_key: Callable[[Claim, str | None], str] = by_event_id
    booking_key: Callable[[Booking], str] = by_resource
    books: Callable[[State], bool] = moves_money
    follows: Callable[[State, State], bool] = follows


RIGHT = Rules()
