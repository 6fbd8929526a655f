"""The three kinds of resource that send events (contract §2.2-2.4) and how far along each of their statuses is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of resource.

    ``external_path`` leads from ``data`` to the merchant's own id. ``ranks`` orders the statuses: it breaks ties of the
    same second among open ones, and decides among final ones, where those that move money stand highest. ``booked``
    are the ones that move it.
    """

    name: str
    prefix: str
    events: frozenset[str]
    id_member: str
    external_path: tuple[str, ...]
    ranks: Mapping[str, int]
    booked: frozenset[str]


_INVOICE = Kind(
    name="invoice",
    prefix="invoice.",
    events=frozenset(
        {
            "awaiting_payment",
            "confirming",
            "underpaid_waiting",
            "paid",
            "paid_over",
            "underpaid",
            "expired",
            "cancelled",
        }
    ),
    id_member="invoice_id",
    external_path=("order", "external_id"),
    ranks={
        "awaiting_client": 0,
        "awaiting_payment": 1,
        "confirming": 2,
        "underpaid_waiting": 3,
        "cancelled": 4,
        "expired": 5,
        "underpaid": 6,
        "paid": 7,
        "paid_over": 8,
    },
    booked=frozenset({"paid", "paid_over"}),
)

_WITHDRAWAL = Kind(
    name="withdrawal",
    prefix="withdrawal.",
    events=frozenset({"created", "processing", "completed", "failed", "cancelled"}),
    id_member="withdrawal_id",
    external_path=("external_order_id",),
    ranks={
        "created": 0,
        "pending_review": 1,
        "signed": 2,
        "processing": 2,
        "cancelling": 3,
        "cancelled": 4,
        "failed": 5,
        "completed": 6,
    },
    booked=frozenset({"completed"}),
)

_DEPOSIT = Kind(
    name="deposit",
    prefix="payment_channel.deposit.",
    events=frozenset({"confirming", "reorged", "confirmed"}),
    id_member="id",
    external_path=("payment_channel_external_id",),
    ranks={"confirming": 0, "reorged": 1, "confirmed": 2},
    booked=frozenset({"confirmed"}),
)

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in (_INVOICE, _WITHDRAWAL, _DEPOSIT)}

_BY_EVENT_TYPE = {kind.prefix + event: kind for kind in KINDS.values() for event in kind.events}


def kind_of(event_type: str | None) -> Kind | None:
    """Return the kind that sends this event type, ``None`` for a type nobody told us about."""
    return _BY_EVENT_TYPE.get(event_type) if event_type else None
