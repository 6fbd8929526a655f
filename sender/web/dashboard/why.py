"""Why a receiver may have an event more than once, in sentences: what is known, and what only may have been."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sender.crash import CrashPoint
from sender.domain.delivery import Reason, Trigger
from sender.store.mishaps import TAKEN_BACK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sender.store.mishaps import Mishap
    from sender.store.reads import AttemptView

DIED_AFTER_SENDING = (
    "The relay died after the receiver had the request and before that was on record (armed: {point}). Nobody knew "
    "that it had arrived, so it was sent again: two requests, one attempt on record."
)
DIED_BEFORE_SENDING = (
    "The relay died after it had taken this event and before it sent it (armed: {point}); its successor sent it. The "
    "receiver has it once."
)
DIED = (
    "Relays that died, or lost their lease, with this event in hand: {count}. What they had sent is on no record, so "
    "it was sent again: the receiver may have it more often than there are attempts."
)
TWO_RELAYS = "A relay that had lost its lease sent it too: attempts that were not counted, {count}."
COPIED = "The fault {fault} sent more than one request within attempt {number}."
UNHEARD = (
    "Attempt {number} got no answer ({reason}). A receiver that had acted all the same was asked again by the next one."
)
REFUSED = "Attempt {number} was answered {status}, which is no success, so it was sent again by the ladder."
TWINS = "This URL is subscribed {count} times, so it gets each event as often, each time under another id."
BY_HAND = "A person sent it again after it had been delivered, in attempt {number}."
ADVICE = (
    "Each request carries the same X-Webhook-Id. A receiver that remembers it acts once; one that does not ships twice."
)
SENTENCES = (
    *(DIED_AFTER_SENDING, DIED_BEFORE_SENDING, DIED, TWO_RELAYS, COPIED, UNHEARD, REFUSED, TWINS, BY_HAND, ADVICE),
)
"""Everything that may be said here."""

_AFTER_SENDING = frozenset({CrashPoint.RELAY_AFTER_SEND.value, CrashPoint.RELAY_BEFORE_COMMIT.value})
_NEVER_THERE = frozenset({Reason.REFUSED.value, Reason.DNS.value, Reason.TLS.value, Reason.SENDER.value})
"""Reasons for which the receiver has certainly not seen a whole request."""
_COPIES = "duplicate"
_LOST_ON_THE_WAY = frozenset({"lose_request", "drop"})


class Because(NamedTuple):
    """One reason: a sentence, and what goes into its braces."""

    text: str
    values: dict[str, str]


def why_twice(attempts: Sequence[AttemptView], mishaps: Sequence[Mishap], subscribed: int = 1) -> list[Because]:
    """Return every reason that an event has, the surest first; nothing for one that was sent once.

    ``subscribed`` is how many endpoints have its URL.
    """
    found = [*_deaths([one.what for one in mishaps]), *_copies(attempts), *_repeats(attempts)]
    uncounted = sum(not one.counted for one in attempts)
    if uncounted:
        found.append(Because(TWO_RELAYS, {"count": str(uncounted)}))
    if subscribed > 1:
        found.append(Because(TWINS, {"count": str(subscribed)}))
    return found


def _deaths(what: Sequence[str]) -> Iterator[Because]:
    """Match deaths with the crashes that were armed for the event; what is left died of something else."""
    left = what.count(TAKEN_BACK)
    for point in what:
        if left and point in _AFTER_SENDING:
            left -= 1
            yield Because(DIED_AFTER_SENDING, {"point": point})
        elif left and point == CrashPoint.RELAY_AFTER_CLAIM:
            left -= 1
            yield Because(DIED_BEFORE_SENDING, {"point": point})
    if left:
        yield Because(DIED, {"count": str(left)})


def _copies(attempts: Sequence[AttemptView]) -> Iterator[Because]:
    for one in attempts:
        if _COPIES in one.faults:
            yield Because(COPIED, {"fault": _COPIES, "number": str(one.number)})


def _repeats(attempts: Sequence[AttemptView]) -> Iterator[Because]:
    """Tell of the first attempt of each kind that another one came after."""
    told: set[str] = set()
    delivered = False
    for place, one in enumerate(attempts):
        because = _again(one, delivered=delivered, is_last=place == len(attempts) - 1)
        if because is not None and because.text not in told:
            told.add(because.text)
            yield because
        delivered = delivered or one.outcome == "delivered"


def _again(one: AttemptView, *, delivered: bool, is_last: bool) -> Because | None:
    number = str(one.number)
    if one.trigger == Trigger.MANUAL and delivered:
        return Because(BY_HAND, {"number": number})
    if is_last or one.outcome == "delivered" or _LOST_ON_THE_WAY.intersection(one.faults):
        return None
    if one.status is not None:
        return Because(REFUSED, {"number": number, "status": str(one.status)})
    if one.reason in _NEVER_THERE:
        return None
    return Because(UNHEARD, {"number": number, "reason": one.reason or one.outcome})
