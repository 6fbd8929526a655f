"""The merchant's balance as a sum over its resources: what each is worth as it stands.

    invoice      what it nets, once it is final: a short payment is the merchant's too (no source says otherwise)
    withdrawal   minus what it costs, until it fails or is cancelled
    deposit      what it nets, once it is confirmed

A transition moves the balance by the difference, so no order of events can make the two disagree.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from sender.domain.deposit import Deposit
from sender.domain.invoice import Invoice
from sender.domain.money import ZERO, minus
from sender.domain.withdrawal import RETURNED, Withdrawal

if TYPE_CHECKING:
    from sender.domain.resource import Resource

NOTHING = ("", ZERO)


@dataclass(frozen=True, slots=True)
class Movement:
    """A change of one balance; ``amount`` is in units of the token and negative when money leaves."""

    is_test: bool
    currency: str
    amount: Decimal


def movement(before: Resource | None, after: Resource) -> Movement | None:
    """Return how a transition moves the balance; ``None`` when it does not."""
    currency, worth = worth_of(after)
    former_currency, former = NOTHING if before is None else worth_of(before)
    amount = minus(worth, former)
    return Movement(after.is_test, currency or former_currency, amount) if amount else None


def worth_of(resource: Resource) -> tuple[str, Decimal]:
    """Return what a resource adds to the balance as it stands: the token, and how much of it."""
    match resource:
        case Invoice(payment=payment) if payment is not None and resource.is_final:
            return payment.quote.currency, payment.sums.net
        case Withdrawal() if resource.status not in RETURNED:
            return resource.currency, -resource.cost
        case Deposit() if resource.is_final:
            return resource.currency, resource.net
        case _:
            return NOTHING
