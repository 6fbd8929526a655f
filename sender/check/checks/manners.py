"""Manners: what is no event is answered with an error, nothing falls over, and no answer tells a secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import override

from sender.check.check import Check
from sender.check.need import Need
from sender.check.outcome import Failed
from sender.domain.signature import webhook_signature

if TYPE_CHECKING:
    from sender.check.bench import Bench
    from sender.check.outcome import Exchange

_CRASH = 500
_MEGABYTE = 1024 * 1024


class _Manners(Check):
    group = "manners"
    mend = "Answer 405 to other methods, 400 to what is no event, 413 to what is too long, 401 to what is not signed."

    async def _next_is_fine(self, bench: Bench) -> None:
        purchase, letter = await bench.paid_letter(self.id)
        await bench.deliver(letter, "the next genuine event")
        await bench.fulfilled_once(purchase, after=f"the genuine event that followed ({self.title.lower()})")


def _judge(bench: Bench, exchange: Exchange, what: str) -> None:
    if exchange.taken:
        raise Failed(
            f"{what} was {exchange.outcome}, as if all were well. It is no event, and nobody will send it again."
        )
    if exchange.status is None or exchange.status >= _CRASH:
        bench.warn(f"{what} was {exchange.outcome}: it looks like a crash. Answer 400.")


class OtherMethod(_Manners):
    """Browsers and scanners."""

    id = "get"
    title = "A GET is no delivery"
    does = "Asks the webhook's address with GET."
    matters = "A 2xx to everything hides a wrong route: the provider's POST may end there as well and be lost."

    @override
    async def run(self, bench: Bench) -> None:
        exchange = await bench.get()
        if exchange.taken:
            bench.warn(f"GET was {exchange.outcome}; 405 would say that this is no page.")
        await self._next_is_fine(bench)


class EmptyBody(_Manners):
    """Nothing, rightly signed."""

    id = "empty-body"
    title = "An empty body is refused"
    does = "Sends an empty body with a right signature, and then a genuine event."
    matters = "A proxy that drops bodies would turn every payment into a 2xx that stands for nothing."

    @override
    async def run(self, bench: Bench) -> None:
        _, letter = await bench.paid_letter(self.id)
        _judge(bench, await bench.post(letter.written(""), "an empty body, rightly signed"), "An empty body")
        await self._next_is_fine(bench)


class InvalidJson(_Manners):
    """Half an event."""

    id = "invalid-json"
    title = "A body that is not JSON is refused"
    does = "Sends the first half of an invoice.paid, and one that is not UTF-8, rightly signed; then a genuine event."
    matters = "Acknowledged and not understood: the payment is lost, and there is no trace of it."

    @override
    async def run(self, bench: Bench) -> None:
        _, letter = await bench.paid_letter(self.id)
        for what, body in {
            "Half an event": letter.body[: len(letter.body) // 2],
            "A body of other bytes": b"\xff{}",
        }.items():
            _judge(bench, await bench.post(letter.written(body), f"{what.lower()}, rightly signed"), what)
        await self._next_is_fine(bench)


class BigBody(_Manners):
    """A megabyte."""

    id = "big-body"
    title = "A body of a megabyte is taken whole or refused"
    does = "Sends an invoice.paid with a member of more than a megabyte, rightly signed; then a genuine event."
    matters = "Acknowledged and cut off is lost. A server that falls over takes the next events with it."

    @override
    async def run(self, bench: Bench) -> None:
        purchase, letter = await bench.paid_letter(self.id)
        big = letter.changed(lambda document: document["data"].update(note="x" * (_MEGABYTE + 1000)))
        exchange = await bench.post(big, "an invoice.paid of more than a megabyte")
        if exchange.taken:
            await bench.fulfilled_once(purchase, after="an invoice.paid of a megabyte that was acknowledged")
        elif exchange.status is not None and exchange.status >= _CRASH:
            bench.warn(f"A body of a megabyte was {exchange.outcome}; 413 would say why.")
        await self._next_is_fine(bench)


class SecretInAnswer(_Manners):
    """Error pages that help too much."""

    id = "secret-in-answer"
    title = "No answer holds the secret, or the signature that would have been right"
    does = (
        "Sends requests that are refused and looks through these answers, and those of the whole run, for the secret "
        "and for the signature that was expected."
    )
    matters = (
        "Whoever is told the expected signature sends it with the next request. Debug pages show the whole "
        "configuration."
    )
    mend = "Say that the signature is wrong, and nothing else; switch debug pages off; log it where only you can read."

    @override
    async def run(self, bench: Bench) -> None:
        _, letter = await bench.paid_letter(self.id)
        others = bench.seal.headers(letter, bench.now, ("whsec_test_somebody_else",))
        await bench.post(letter, "signed with another secret", others)
        await bench.post(letter, "not signed", bench.seal.with_signature(others, None))
        await bench.post(letter.written("{"), "not JSON, rightly signed")
        for exchange in bench.answers:
            _require_discreet(bench, exchange)


def _require_discreet(bench: Bench, exchange: Exchange) -> None:
    if bench.means.secret in exchange.answer:
        _show(bench, exchange)
        raise Failed("An answer holds the webhook secret. Whoever sends a wrong request can forge every right one.")
    sent = dict(exchange.headers).get(bench.simulator.profile.signature_header, "")
    stamp = sent.partition("t=")[2].partition(",")[0]
    if not stamp.isdigit() or int(stamp) == 0:
        return
    right = webhook_signature(exchange.body, bench.means.secret, int(stamp))
    if right in exchange.answer and right not in sent:
        _show(bench, exchange)
        raise Failed("The answer to a wrong signature holds the right one. The next request can carry it.")


def _show(bench: Bench, exchange: Exchange) -> None:
    if exchange not in bench.exchanges:
        bench.exchanges.append(exchange)


class ReRead(_Manners):
    """The provider recommends to ask."""

    id = "re-read"
    title = "Is the invoice read from the API before it is fulfilled? (informative)"
    does = "Delivers invoice.paid and watches whether the receiver asks the API for the invoice (--api-base)."
    matters = (
        "The provider recommends it: what a webhook says is believed because of its signature, and what the API says "
        "because you asked. A leaked secret then forges nothing."
    )
    mend = "Before you fulfil on a final event, GET /v1/invoices/{id} and compare status, amount and currency."
    needs = frozenset({Need.API})

    @override
    async def run(self, bench: Bench) -> None:
        purchase, letter = await bench.paid_letter(self.id)
        await bench.deliver(letter, "invoice.paid")
        await bench.fulfilled_once(purchase, after="one invoice.paid")
        await bench.settle()
        asked = any(purchase.invoice_id in path for path in bench.means.asked or ())
        bench.remark("It was read." if asked else "It was not read.")


MANNERS: tuple[Check, ...] = (
    OtherMethod(), EmptyBody(), InvalidJson(), BigBody(), SecretInAnswer(), ReRead()
)  # fmt: skip
