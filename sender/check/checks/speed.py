"""Speed: ten seconds for an answer, many deliveries at once, and what comes after an outage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import override

from sender.check.check import Check
from sender.check.checks.idempotency import PROBE
from sender.check.outcome import Failed
from sender.domain.fault import Fault, FaultMatch
from sender.durations import MILLISECOND, MINUTE, format_duration

if TYPE_CHECKING:
    from sender.check.bench import Bench
    from sender.check.letter import Letter
    from sender.check.purchase import Purchase

_FRACTIONS = (0.25, 0.5, 0.75)


class _Speed(Check):
    group = "speed"
    mend = (
        "Store the event, answer, and do the work afterwards. Give the webhook as many connections and workers as a "
        "burst needs; what you cannot take at the moment, answer 503, and it comes again."
    )


class AnswerTime(_Speed):
    """The provider waits for ten seconds."""

    id = "answer-time"
    title = "Answers come in time"
    does = "Delivers five payments one after another and measures the answers; the provider gives up after 10 s."
    matters = (
        "What is not answered within 10 s has failed, whatever you did: it comes again while you may still be at work. "
        "Two seconds in a quiet hour are ten on the day of a sale."
    )

    @override
    async def run(self, bench: Bench) -> None:
        times = []
        for _ in range(5):
            _, letter = await bench.paid_letter(self.id)
            times.append((await bench.deliver(letter, "invoice.paid")).elapsed)
        if max(times) > bench.pace.slow:
            bench.warn(
                f"The slowest of five answers took {_brief(max(times))}; above {_brief(bench.pace.slow)} it does not "
                "take much until the provider's 10 s are over."
            )


class Burst(_Speed):
    """Fifty at once."""

    id = "burst"
    title = "Many deliveries at once are all taken"
    does = "Sends the payments of fifty orders at the same instant, each on a connection of its own."
    matters = "A sale, a campaign, or the provider's own catching up: events come together when there are many of them."
    needs = PROBE

    @override
    async def run(self, bench: Bench) -> None:
        made = [await bench.paid_letter(self.id) for _ in range(bench.pace.burst)]
        exchanges = await bench.volley([letter for _, letter in made], "invoice.paid in a burst")
        refused = [letter for (_, letter), one in zip(made, exchanges, strict=True) if not one.taken]
        if refused:
            bad = next(one for one in exchanges if not one.taken)
            bench.warn(
                f"{len(refused)} of {len(made)} deliveries at once were not taken (the first was {bad.outcome}); each "
                "comes a minute later, and the customer waits for it."
            )
        for letter in refused:
            await bench.deliver(letter, "once more, by itself")
        await bench.fulfilled_once(*(purchase for purchase, _ in made), after=f"{len(made)} deliveries at once")


class SlowAnswerRepeat(_Speed):
    """The sender gives up, and comes again at once."""

    id = "slow-answer-repeat"
    title = "A repeat after an answer that came too late fulfils nothing"
    does = (
        "Sends invoice.paid, hangs up before the answer as the provider does after 10 s (here after a quarter, half "
        "and three quarters of this receiver's usual time), and sends it again at once."
    )
    matters = (
        "Your work goes on after the provider has given up, and the repeat finds it half done: two workers, one order."
    )
    needs = PROBE

    @override
    async def run(self, bench: Bench) -> None:
        purchases = [await self._give_up(bench, fraction) for fraction in _FRACTIONS]
        await bench.fulfilled_once(*purchases, after="a delivery that the sender gave up, and its repeat")

    async def _give_up(self, bench: Bench, fraction: float) -> Purchase:
        purchase, letter = await bench.paid_letter(self.id)
        await bench.hang_up(letter, round(fraction * bench.rhythm.answer))
        await _require_taken(bench, letter)
        return purchase


async def _require_taken(bench: Bench, letter: Letter) -> None:
    again = await bench.deliver_again(letter, "the repeat")
    if not again.taken:
        raise Failed(f"After the sender had hung up once, each repeat was {again.outcome}.")


class BurstAfterOutage(_Speed):
    """Everything that failed comes on the same rung."""

    id = "burst-after-outage"
    title = "What failed during an outage is taken when it comes again, all at once"
    does = (
        "Loses the first attempt at a dozen payments on the network, and lets the simulator's ladder deliver all of "
        "them a minute later."
    )
    matters = "After an outage all that failed comes back together, at the moment when you are weakest."
    needs = PROBE

    @override
    async def run(self, bench: Bench) -> None:
        count = bench.pace.outage
        purchases = [await bench.desk.purchase(self.id) for _ in range(count)]
        lost = Fault("wire", "lose_request", FaultMatch(event_type="invoice.paid", attempt=1), remaining=count)
        await bench.simulator.subscriptions.arm(lost)
        async with bench.subscribed():
            for purchase in purchases:
                await purchase.paid()
            await bench.simulator.conductor.quiet()
            await bench.simulator.conductor.advance_by(2 * MINUTE)
        await bench.simulator.subscriptions.disarm()
        refused = [one for one in bench.exchanges if one.status is not None and not one.taken]
        if refused:
            bench.warn(
                f"{len(refused)} deliveries after the outage were not taken (the first was {refused[0].outcome}); each "
                "comes again on the next rung, later every time."
            )
        await bench.fulfilled_once(*purchases, after="an outage and the deliveries that followed it")


def _brief(value: int) -> str:
    return format_duration(value // MILLISECOND * MILLISECOND)


SPEED: tuple[Check, ...] = (AnswerTime(), Burst(), SlowAnswerRepeat(), BurstAfterOutage())
