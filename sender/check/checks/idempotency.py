"""The five steps of the provider's own proof: by re-sending, not by reading code."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from sender.check.check import Check
from sender.check.need import Need
from sender.check.outcome import Failed
from sender.durations import HOUR, MINUTE

if TYPE_CHECKING:
    from sender.check.bench import Bench
    from sender.check.letter import Letter
    from sender.check.purchase import Purchase

PROBE = frozenset({Need.PROBE})
_KEY = (
    "Keep a table whose primary key is event_id from the signed body. Insert the event first (on conflict do nothing); "
    "only whoever inserted the row may do the work. And let the work itself be possible once for each invoice_id, by a "
    "unique key in the database."
)
_FRACTIONS = (0.05, 0.2, 0.4, 0.6, 0.8)


class _Idempotency(Check):
    group = "idempotency"
    links: ClassVar[tuple[str, ...]] = ("Paymos Docs: Webhooks", "Paymos Blog: duplicate webhooks")
    needs = PROBE
    mend = _KEY


class FirstDelivery(_Idempotency):
    """Step one: the usual course of a payment."""

    id = "first-delivery"
    title = "A payment, delivered as usual, fulfils its order once"
    does = (
        "Pays an invoice and lets the simulator deliver invoice.confirming and, once that is answered, invoice.paid. "
        "The order must not be fulfilled before invoice.paid, and once after it."
    )
    matters = "This is every sale: goods that leave before the money is there, or never leave."
    mend = (
        "Fulfil on data.status paid or paid_over with is_final true, and on nothing earlier. Tell events apart by "
        "event_id: the second event of an invoice is not a duplicate of the first."
    )

    @override
    async def run(self, bench: Bench) -> None:
        purchase = await bench.desk.purchase(self.id)
        async with bench.subscribed():
            await purchase.confirming()
        await bench.not_fulfilled(
            purchase, "invoice.confirming, when the transfer could still disappear from the chain"
        )
        async with bench.subscribed():
            await purchase.confirmed()
        _require_taken(bench)
        await bench.fulfilled_once(purchase, after="invoice.confirming and invoice.paid")


class SameEventAgain(_Idempotency):
    """Step two: the same event once more."""

    id = "same-event-again"
    title = "The same event again is acknowledged, and nothing moves"
    does = "Delivers invoice.paid, waits until the order is fulfilled, and delivers the same bytes twice more."
    matters = (
        "The provider repeats an event whenever your answer gets lost. A repeat that fulfils ships twice; one that is "
        "refused comes ten times more."
    )

    @override
    async def run(self, bench: Bench) -> None:
        purchase, letter = await bench.paid_letter(self.id)
        await bench.deliver(letter, "invoice.paid")
        await bench.until(purchase.order, lambda found: found.fulfilled > 0)
        for number in ("second", "third"):
            await bench.deliver(letter, f"the same event for the {number} time, freshly signed")
        await bench.fulfilled_once(purchase, after="three deliveries of one event")


class SameInstant(_Idempotency):
    """Step three: two at once."""

    id = "same-instant"
    title = "Deliveries of one event at the same instant fulfil once"
    does = (
        "Sends one invoice.paid on several open connections at the same instant, the last byte of each within "
        "microseconds; several rounds, each with an order of its own."
    )
    matters = (
        "A provider that gives up waiting sends again while you still work on the first request. 'Is it there? No: "
        "insert' lets both through, and both ship."
    )

    @override
    async def run(self, bench: Bench) -> None:
        purchases = []
        for number in range(bench.pace.rounds):
            purchase, letter = await bench.paid_letter(self.id)
            purchases.append(purchase)
            exchanges = await bench.volley([letter] * bench.pace.copies, f"round {number + 1}, at the same instant")
            if not any(one.taken for one in exchanges):
                await _repeat(bench, letter)
        await bench.fulfilled_once(*purchases, after=f"{bench.pace.copies} deliveries of one event at the same instant")


class RepeatWhileWorking(_Idempotency):
    """Step three, the other half: a repeat that meets the first still at work."""

    id = "repeat-while-working"
    title = "A repeat that meets the first delivery still at work fulfils nothing"
    does = (
        "Sends invoice.paid, and the same event again after a twentieth, a fifth … of the time that this receiver "
        "usually takes to answer."
    )
    matters = SameInstant.matters

    @override
    async def run(self, bench: Bench) -> None:
        purchases = [await self._meet(bench, fraction) for fraction in _FRACTIONS]
        await bench.fulfilled_once(*purchases, after="a repeat that met the first delivery at work")

    async def _meet(self, bench: Bench, fraction: float) -> Purchase:
        purchase, letter = await bench.paid_letter(self.id)
        after = round(fraction * bench.rhythm.answer)
        exchanges = await bench.meet(letter, after, f"after {fraction:.0%} of the usual time")
        if not any(one.taken for one in exchanges):
            await _repeat(bench, letter)
        return purchase


class ResendAfterOutage(_Idempotency):
    """Step four: what was settled by other means is sent again."""

    id = "resend-after-outage"
    title = "An event resent after an outage does not repeat what was settled meanwhile"
    does = (
        "A payment sixteen hours ago was announced to two endpoints. The copy for the other endpoint comes first and "
        "settles the order; then a person resends the copy that failed. Its id is another one."
    )
    matters = (
        "After an outage support settles what is stuck, and then somebody presses 'resend' on every failed event. Each "
        "settled order is shipped again."
    )

    @override
    async def run(self, bench: Bench) -> None:
        ago = 16 * HOUR + 3 * MINUTE
        purchase, news = await bench.paid(self.id)
        settled, resent = [bench.desk.letter(news, ago=ago) for _ in range(2)]
        await bench.deliver(settled, "invoice.paid, as another endpoint's copy")
        await bench.until(purchase.order, lambda found: found.fulfilled > 0)
        await bench.deliver(resent, "the copy that failed sixteen hours ago, resent by hand")
        await bench.deliver(resent, "the same once more")
        await bench.fulfilled_once(purchase, after="a resend of what was settled by other means")


class Reconciliation(_Idempotency):
    """Step five: the books are compared."""

    id = "reconciliation"
    title = "Received, fulfilled and paid agree"
    does = (
        "Plays six purchases through the simulator: three paid, one overpaid, one cancelled, one expired. Then "
        "compares for each what was delivered, what the API says, and how often the order was fulfilled."
    )
    matters = (
        "Two diagnoses: paid and delivered but not fulfilled means that the handler looks away; fulfilled more often "
        "than paid means that the key is wrong. Paid and not delivered would be subscription or network."
    )
    mend = (
        "Missing: fulfil on paid and on paid_over. Double or unpaid: fulfil once for each invoice_id, and only on "
        "these two. Not delivered: look at the endpoint's subscription, address and firewall. Let the comparison with "
        "the API's list of paid invoices run every night."
    )

    @override
    async def run(self, bench: Bench) -> None:
        purchases = [await bench.desk.purchase(self.id) for _ in range(6)]
        ends = (
            *(one.paid for one in purchases[:3]),
            purchases[3].paid_over,
            purchases[4].cancelled,
            purchases[5].expired,
        )
        async with bench.subscribed():
            for end in ends:
                await end()
                await bench.simulator.conductor.quiet()
        _require_taken(bench)
        await bench.until_fulfilled(purchases[:4])
        await bench.settle()
        for purchase, due, said in zip(purchases, (1, 1, 1, 1, 0, 0), _SAID, strict=True):
            _compare(purchase.order, due, (await bench.look(purchase.order)).fulfilled, said)


_SAID = ("paid", "paid", "paid", "paid_over", "cancelled", "expired")


def _compare(order: str, due: int, found: int, said: str) -> None:
    if found < due:
        raise Failed(
            f"Order {order}: the API says {said}, its event was delivered and acknowledged, and it was never "
            "fulfilled. The row is missing in your books, and no repeat will bring it: the provider has your 2xx."
        )
    if found > due:
        raise Failed(
            f"Order {order}: the API says {said}, and it was fulfilled {found} times instead of {due}. "
            "What decides whether an event is new is not what it should be."
        )


def _require_taken(bench: Bench) -> None:
    for exchange in bench.exchanges:
        if not exchange.taken:
            raise Failed(f"A genuine event ({exchange.note}) was {exchange.outcome}; the provider will repeat it.")


async def _repeat(bench: Bench, letter: Letter) -> None:
    """Send once more what was refused each time: a lock that another request held is no fault."""
    again = await bench.deliver_again(letter, "once more, by itself")
    if not again.taken:
        raise Failed(f"None of the deliveries was taken, and a later one by itself was {again.outcome}.")


IDEMPOTENCY: tuple[Check, ...] = (
    FirstDelivery(), SameEventAgain(), SameInstant(), RepeatWhileWorking(), ResendAfterOutage(), Reconciliation()
)  # fmt: skip
