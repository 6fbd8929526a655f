"""Before anything is judged: the receiver takes a genuine payment, and the probe sees what it made of it.

A probe that looks at the wrong place sees no order fulfilled twice, ever; so it has to show that it sees one fulfilled
once. The same payment measures how long this receiver takes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sender.check.outcome import Result, Verdict
from sender.check.pace import Rhythm
from sender.durations import SECOND, format_duration
from sender.errors import NotAvailable

if TYPE_CHECKING:
    from sender.check.bench import Bench
    from sender.check.outcome import Exchange
    from sender.check.purchase import Purchase

ID = "genuine-delivery"
TITLE = "A genuine delivery is taken"
_ROUNDS = 3
_UNKNOWN = Rhythm(0, 0)
_UNAUTHORIZED = (401, 403)


@dataclass(frozen=True, slots=True)
class Selftest:
    """What it showed. ``refused`` is set where nothing else can be checked, ``blind`` where no probe can be trusted."""

    rhythm: Rhythm = _UNKNOWN
    refused: Result | None = None
    blind: str | None = None


async def selftest(bench: Bench) -> Selftest:
    """Send a few payments. Raises ``NotAvailable`` where nobody listens, or the probe cannot look at all."""
    bench.begin()
    answers, fulfilments = [], []
    for _ in range(_ROUNDS):
        purchase, letter = await bench.paid_letter("self-test")
        seen = (await bench.look(purchase.order)).fulfilled if bench.means.probe else 0
        if seen:
            return Selftest(blind=f"it sees an order fulfilled {seen} times of which nobody has heard yet")
        exchange = await bench.post(letter, "invoice.paid")
        if not exchange.taken:
            return Selftest(refused=_refusal(bench, exchange))
        answers.append(exchange.elapsed)
        since = bench.simulator.clock.monotonic()
        if bench.means.probe is not None and not await _is_seen(bench, purchase):
            return Selftest(blind=_unseen(bench))
        fulfilments.append(bench.simulator.clock.monotonic() - since)
    # The quickest answer is the receiver's own time, free of what else this machine did; a wait is better too long.
    return Selftest(Rhythm(min(answers), max(fulfilments[1:])))


async def _is_seen(bench: Bench, purchase: Purchase) -> bool:
    return (await bench.until(purchase.order, lambda found: found.fulfilled > 0)).fulfilled > 0


def _unseen(bench: Bench) -> str:
    return (
        f"an order was paid, invoice.paid was answered 2xx, and after {format_duration(bench.pace.patience)} it still "
        "sees 0 fulfilments. Either it looks at the wrong place (another database, another column, another id than "
        "order.external_id), or the receiver fulfils nothing at all"
    )


def _remedy(exchange: Exchange) -> str:
    if exchange.status in _UNAUTHORIZED:
        return (
            "Is --secret the secret that your receiver has? If it is, look at how it verifies: "
            "paymos-sim check --explain raw-body."
        )
    if exchange.status is None and "certificate" in exchange.answer:
        return "Is its certificate of an authority of your own? Name that one's file, as in --trust ca.pem."
    return "Mend this first; nothing else can be checked before."


def _refusal(bench: Bench, exchange: Exchange) -> Result:
    if exchange.status is None and "connect" in exchange.answer.lower():
        raise NotAvailable(f"--target: {exchange.answer}; start your receiver first")
    return Result(
        ID,
        "self-test",
        TITLE,
        Verdict.FAILED,
        (f"A genuine invoice.paid, signed with the secret that was given, was {exchange.outcome}.",),
        "No payment arrives at all.",
        _remedy(exchange),
        tuple(replace(one, answer=bench.means.masked(one.answer)) for one in bench.exchanges),
        exchange.elapsed / SECOND,
    )
