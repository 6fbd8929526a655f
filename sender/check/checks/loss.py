"""What gets lost: work that failed after the event was noted, errors that nobody hears of, memory that dies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from sender.check.check import Check
from sender.check.checks.idempotency import PROBE
from sender.check.need import Need
from sender.check.outcome import Failed, Unjudged

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.check.bench import Bench
    from sender.check.purchase import Purchase

_DURABLE = (
    "Before you answer 2xx, commit the event to durable storage, and nothing else. Do the work afterwards, from what "
    "is stored, and mark it done in the same transaction as the work; at the start, go on with what is not done."
)
_FRACTIONS = (0.1, 0.35, 0.6, 0.85)


class _Loss(Check):
    group = "loss"
    needs = PROBE
    mend = _DURABLE


class HangUpMidWork(_Loss):
    """The handler fails after it noted the event."""

    id = "hang-up-mid-work"
    title = "Work that was broken off is done when the event comes again, once"
    does = (
        "Sends invoice.paid and hangs up after a tenth, a third … of the time that this receiver usually takes, which "
        "breaks off handlers that end with their client. Then delivers the event again, as the ladder would."
    )
    matters = (
        "Noted first and done later: when the work fails in between, the repeat finds the event noted, and the order "
        "is never fulfilled. Done first and noted later: it is fulfilled twice."
    )
    mend = (
        "Note the event and do its work in one transaction, or note it as received and not as done. What a broken-off "
        "request leaves behind must look as if it never came, or be finished by somebody else."
    )

    @override
    async def run(self, bench: Bench) -> None:
        purchases, stuck = [], 0
        for fraction in _FRACTIONS:
            purchase, letter = await bench.paid_letter(self.id)
            await bench.hang_up(letter, round(fraction * bench.rhythm.answer))
            await bench.settle()
            again = await bench.deliver_again(letter, "the ladder's next attempt")
            if again.taken:
                purchases.append(purchase)
            else:
                stuck += 1
                bench.warn(
                    f"After a broken-off delivery its repeats were {again.outcome} for as long as was waited; "
                    "the lock that stays behind must end long before the ladder does."
                )
        if stuck == len(_FRACTIONS):
            raise Failed("After a broken-off delivery no repeat was taken: the event stays locked by a dead request.")
        await bench.fulfilled_once(*purchases, after="a delivery that was broken off and one that was not")


class SwallowedError(_Loss):
    """An error that is answered with 2xx."""

    id = "swallowed-error"
    title = "What cannot be handled is not acknowledged"
    does = "Delivers events with a right signature that nobody can handle: without event_id, without data, data null."
    matters = (
        "A 2xx says: I have it, never send it again. A handler that catches every error and answers 2xx loses each "
        "payment that meets one, a database that is away for a second included, and nobody hears of it."
    )
    mend = "Let what you could not store end in a 5xx (and what is no event in a 400). The provider comes again."
    needs = frozenset()

    @override
    async def run(self, bench: Bench) -> None:
        _, letter = await bench.paid_letter(self.id)
        for what, change in _BROKEN.items():
            exchange = await bench.post(letter.changed(change), f"invoice.paid {what}, rightly signed")
            if exchange.taken:
                raise Failed(f"An event {what}, which nobody can handle, was {exchange.outcome}: it is gone.")


def _without(member: str) -> Callable[[dict[str, Any]], object]:
    return lambda document: document.pop(member)


_BROKEN: dict[str, Callable[[dict[str, Any]], object]] = {
    "without event_id": _without("event_id"),
    "without data": _without("data"),
    "with null for data": lambda document: document.update(data=None),
}


class _Death(_Loss):
    needs = frozenset({Need.PROBE, Need.RESTART})

    async def _restart(self, bench: Bench) -> None:
        if bench.means.restart is None:
            raise Unjudged(f"needs {Need.RESTART}")
        await bench.means.restart()


class KilledAfterAnswer(_Death):
    """The promise of a 2xx."""

    id = "killed-after-2xx"
    title = "What was acknowledged survives the death of the receiver"
    does = "Delivers invoice.paid to several orders, kills the receiver right after its last 2xx, and starts it again."
    matters = (
        "Your 2xx is the last that the provider does for this payment. What is only in memory then dies with the next "
        "deployment, crash or full disk; one shop lost forty thousand events that way."
    )

    @override
    async def run(self, bench: Bench) -> None:
        purchases: list[Purchase] = []
        for _ in range(3):
            purchase, letter = await bench.paid_letter(self.id)
            await bench.deliver(letter, "invoice.paid, and then a kill")
            purchases.append(purchase)
        await self._restart(bench)
        await bench.fulfilled_once(*purchases, after="a 2xx and the death of the receiver")


class MemoryOfEvents(_Death):
    """Deduplication that forgets."""

    id = "restart-forgets"
    title = "An event is still known after a restart"
    does = (
        "Delivers invoice.paid, waits until the order is fulfilled, kills the receiver, and delivers the event again."
    )
    matters = (
        "The ladder lasts sixteen hours and resends come days later. A set of ids in memory, or a cache that is "
        "flushed, has forgotten them by then, and everything is shipped again."
    )
    mend = (
        "Keep event ids in the database that holds the orders, with a unique key, for at least as long as orders live."
    )

    @override
    async def run(self, bench: Bench) -> None:
        purchase, letter = await bench.paid_letter(self.id)
        await bench.deliver(letter, "invoice.paid")
        await bench.until(purchase.order, lambda found: found.fulfilled > 0)
        await self._restart(bench)
        await bench.deliver(letter, "the same event after a restart")
        await bench.fulfilled_once(purchase, after="a repeat after a restart")


LOSS: tuple[Check, ...] = (HangUpMidWork(), SwallowedError(), KilledAfterAnswer(), MemoryOfEvents())
