"""Nothing arrives in order: what is older, or less final, must not undo what is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import override

from sender.check.check import Check
from sender.check.checks.idempotency import PROBE
from sender.check.outcome import Failed, Unjudged
from sender.check.purchase import as_expired
from sender.durations import HOUR, MINUTE

if TYPE_CHECKING:
    from sender.check.bench import Bench
    from sender.check.letter import Letter
    from sender.check.purchase import Purchase


class _Order(Check):
    group = "order"
    needs = PROBE
    mend = (
        "Apply the state that data shows, and only forward: a final status (is_final) is never replaced by one that is "
        "not, and among the others the later occurred_at wins."
    )


class _Late(_Order):
    """Something comes after ``paid`` that must change nothing."""

    matters = (
        "The first attempt at an older event failed, and its repeat comes a minute after invoice.paid. An order that "
        "falls back to 'waiting' or 'expired' is cancelled, paid a second time, or lands with support."
    )

    async def _stays(self, bench: Bench, purchase: Purchase, paid: Letter, late: Letter) -> None:
        await bench.deliver(paid, "invoice.paid")
        before = (await bench.until(purchase.order, lambda found: found.fulfilled > 0)).status
        # What fulfils and what writes the status may be two steps.
        await bench.settle()
        before = (await bench.look(purchase.order)).status or before
        exchange = await bench.post(late, f"{late.event_type}, after invoice.paid")
        if not exchange.taken:
            bench.warn(
                f"A late {late.event_type} was {exchange.outcome}; the provider repeats it for sixteen hours. "
                "Acknowledge what you rightly ignore."
            )
        await bench.fulfilled_once(purchase, after=f"invoice.paid and a late {late.event_type}")
        after = (await bench.look(purchase.order)).status
        if after != before:
            raise Failed(
                f"Order {purchase.order} was {before!r} after invoice.paid, and {after!r} after an {late.event_type} "
                "that arrived later. A paid order is paid for good."
            )
        if before is None:
            raise Unjudged("needs a probe that shows the status of an order (status=… in --probe)")


class OlderEventLate(_Late):
    """An older event on a later rung."""

    id = "older-event-late"
    title = "An older event that arrives late does not undo a payment"
    does = "Delivers invoice.paid, and then the invoice.underpaid_waiting that happened a minute before it."

    @override
    async def run(self, bench: Bench) -> None:
        purchase = await bench.desk.purchase(self.id)
        waiting = bench.desk.letter(await purchase.underpaid_waiting(), ago=MINUTE)
        paid = bench.desk.letter(await purchase.paid())
        await self._stays(bench, purchase, paid, waiting)


class ConfirmingAfterPaid(_Late):
    """Two events of one second, in the other order."""

    id = "confirming-after-paid"
    title = "invoice.confirming after invoice.paid changes nothing"
    does = "Delivers invoice.paid, and then the invoice.confirming of the same second."

    @override
    async def run(self, bench: Bench) -> None:
        purchase = await bench.desk.purchase(self.id)
        confirming = bench.desk.letter(await purchase.confirming())
        paid = bench.desk.letter(await purchase.confirmed())
        await self._stays(bench, purchase, paid, confirming)


class ExpiredAfterPaid(_Late):
    """A final status that contradicts."""

    id = "expired-after-paid"
    title = "invoice.expired after invoice.paid changes nothing"
    does = "Delivers invoice.paid, and then an invoice.expired of the same invoice."

    @override
    async def run(self, bench: Bench) -> None:
        purchase, news = await bench.paid(self.id)
        paid, expired = bench.desk.letter(news), bench.desk.letter(as_expired(news))
        await self._stays(bench, purchase, paid, expired)


class UnderpaidThenPaidOver(_Order):
    """Half, and then too much."""

    id = "underpaid-then-paid-over"
    title = "A payment in two parts that ends above the amount fulfils once"
    does = "Delivers invoice.underpaid_waiting, and then invoice.paid_over."
    matters = (
        "People send half, then the rest and the fee on top. The invoice ends paid_over and never paid; whoever "
        "fulfils on 'paid' alone keeps the money and ships nothing."
    )
    mend = "Fulfil on paid and on paid_over, and decide what becomes of the excess; both are final and both are money."

    @override
    async def run(self, bench: Bench) -> None:
        purchase = await bench.desk.purchase(self.id)
        waiting = bench.desk.letter(await purchase.underpaid_waiting(), ago=MINUTE)
        await bench.deliver(waiting, "invoice.underpaid_waiting")
        await bench.not_fulfilled(purchase, "invoice.underpaid_waiting, when half of the money was there")
        await bench.deliver(bench.desk.letter(await purchase.paid_over()), "invoice.paid_over")
        await bench.fulfilled_once(purchase, after="invoice.underpaid_waiting and invoice.paid_over")


class StaleOccurredAt(_Order):
    """The time of the change is not the time of the delivery."""

    id = "stale-occurred-at"
    title = "An event about something long ago counts, when its signature is fresh"
    does = "Delivers an invoice.paid that happened sixteen hours ago, signed now: the ladder's last attempt."
    matters = (
        "occurred_at says when the state changed and stays the same on every attempt. Whoever takes it for the age of "
        "the delivery refuses exactly the repeats that come after an outage."
    )
    mend = "Measure the age of a delivery by t in X-Webhook-Signature; it is renewed on every attempt."

    @override
    async def run(self, bench: Bench) -> None:
        purchase, news = await bench.paid(self.id)
        await bench.deliver(bench.desk.letter(news, ago=16 * HOUR), "invoice.paid of sixteen hours ago, signed now")
        await bench.fulfilled_once(purchase, after="an invoice.paid of sixteen hours ago")


ORDER: tuple[Check, ...] = (
    OlderEventLate(), ConfirmingAfterPaid(), ExpiredAfterPaid(), UnderpaidThenPaidOver(), StaleOccurredAt()
)  # fmt: skip
