"""What an event is, and when two of them are one: neither the resource, nor a header, nor a letter's case decides."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from sender.check.check import Check
from sender.check.checks.idempotency import PROBE

if TYPE_CHECKING:
    from sender.check.bench import Bench


_NEW = "invoice.something_new"


class _Identity(Check):
    group = "identity"
    needs = PROBE


class TwoEndpoints(_Identity):
    """One payment, two subscriptions."""

    id = "two-endpoints"
    title = "One payment announced to two endpoints fulfils once"
    does = "Delivers invoice.paid under two event ids, as two subscribed endpoints of one merchant get it."
    matters = (
        "Each endpoint has its own copy of an event, with its own id. Whoever subscribes a second address to the same "
        "server, or moves to a new one, ships everything twice for that time."
    )
    mend = (
        "event_id tells deliveries apart, invoice_id tells payments apart: make fulfilment possible once for each "
        "data.invoice_id, by a unique key in the database."
    )

    @override
    async def run(self, bench: Bench) -> None:
        purchase, news = await bench.paid(self.id)
        await bench.deliver(bench.desk.letter(news), "invoice.paid for the first endpoint")
        await bench.deliver(bench.desk.letter(news), "invoice.paid for the second endpoint")
        await bench.fulfilled_once(purchase, after="two copies of one payment's event")


class ConfirmingThenPaid(_Identity):
    """Two events of one invoice are two events."""

    id = "confirming-then-paid"
    title = "invoice.paid counts although invoice.confirming came before it"
    does = "Delivers invoice.confirming and then invoice.paid of the same invoice."
    matters = (
        "Where the invoice's id decides whether an event is known, the first news of an invoice swallows the news that "
        "it is paid. The customer has paid and gets nothing, and you have answered 2xx."
    )
    mend = "Tell events apart by event_id of the signed body, not by invoice_id."

    @override
    async def run(self, bench: Bench) -> None:
        purchase = await bench.desk.purchase(self.id)
        for news in (await purchase.confirming(), await purchase.confirmed()):
            await bench.deliver(bench.desk.letter(news), news.event_type)
        await bench.fulfilled_once(purchase, after="invoice.confirming and invoice.paid")


class HeaderIdDiffers(_Identity):
    """The header is not signed."""

    id = "header-id-differs"
    title = "The id within the signed body counts, not the one in X-Webhook-Id"
    does = (
        "Delivers one event under two values of X-Webhook-Id, and then the events of two orders under the same value. "
        "Every signature is right: the header is not part of what is signed."
    )
    matters = (
        "Whoever sees one delivery can send it again under another header and a valid signature, and have it shipped "
        "twice; or use up the id of an event that is still to come."
    )
    mend = "Read event_id from the body, after the signature was verified. X-Webhook-Id is for logs."

    @override
    async def run(self, bench: Bench) -> None:
        twice, letter = await bench.paid_letter(self.id)
        other, another = await bench.paid_letter(self.id)
        headers = bench.seal.headers(letter, bench.now)
        await bench.deliver(letter, "invoice.paid")
        await bench.post(letter, "the same under another X-Webhook-Id", _renamed(bench, headers, f"{letter.event_id}x"))
        swallowed = _renamed(bench, bench.seal.headers(another, bench.now), letter.event_id)
        exchange = await bench.post(another, "another order's event under the first one's X-Webhook-Id", swallowed)
        if not exchange.taken:
            # To refuse what no provider sends is as good; the genuine one must then still count.
            await bench.deliver(another, "the same as the provider sends it")
        await bench.fulfilled_once(twice, other, after="events whose X-Webhook-Id differs from their event_id")


def _renamed(bench: Bench, headers: tuple[tuple[str, str], ...], value: str) -> tuple[tuple[str, str], ...]:
    return bench.seal.with_header(headers, bench.simulator.profile.id_header, value)


class IdsDifferInCase(_Identity):
    """Base62 has both cases."""

    id = "ids-differ-in-case"
    title = "Two ids that differ in the case of letters are two events"
    does = "Delivers the payments of two orders under event ids that differ in upper and lower case only."
    matters = (
        "Ids are drawn from capital and small letters. A database that compares without case (MySQL's usual collation, "
        "SQL Server's) takes the second event for the first and drops it, after your 2xx."
    )
    mend = 'Give the column of event ids a binary collation (utf8mb4_bin, Latin1_General_BIN2, text COLLATE "C").'

    @override
    async def run(self, bench: Bench) -> None:
        first, letter = await bench.paid_letter(self.id)
        second, news = await bench.paid(self.id)
        twin = bench.desk.letter(news, event_id=letter.event_id[:4] + letter.event_id[4:].swapcase())
        await bench.deliver(letter, "invoice.paid of one order")
        await bench.deliver(twin, "invoice.paid of another, its id in the other case")
        await bench.fulfilled_once(first, second, after="two events whose ids differ in case")


class UnknownType(_Identity):
    """The contract may grow."""

    id = "unknown-type"
    title = "An event of an unknown type is acknowledged"
    does = "Delivers a signed event of the type invoice.something_new."
    matters = (
        "New types come without asking. One that is answered with an error is repeated for sixteen hours, fills your "
        "alerts, and hides the failures that matter."
    )
    mend = "Acknowledge with 2xx what you do not handle, and write it to the log."
    needs = frozenset()

    @override
    async def run(self, bench: Bench) -> None:
        _, letter = await bench.paid_letter(self.id)
        strange = replace(letter.changed(lambda document: document.update(event_type=_NEW)), event_type=_NEW)
        await bench.deliver(strange, "an event of a type that is not known yet")


class UnknownFields(_Identity):
    """So may each event."""

    id = "unknown-fields"
    title = "Members that are not known yet do not matter"
    does = "Delivers invoice.paid with members that the contract does not name, in the envelope and in data."
    matters = "Providers add members. A strict schema turns the day they do so into the day you stop being paid."
    mend = "Ignore members that you do not know (additionalProperties, extra='ignore')."
    needs = frozenset()

    @override
    async def run(self, bench: Bench) -> None:
        purchase, letter = await bench.paid_letter(self.id)
        await bench.deliver(letter.changed(_extend), "invoice.paid with members that are new")
        await bench.fulfilled_once(purchase, after="an invoice.paid with unknown members")


def _extend(document: dict[str, Any]) -> None:
    document["sequence"] = 7
    document["data"]["loyalty"] = {"points": 3}
    document["data"]["order"]["tags"] = ["new", None]


IDENTITY: tuple[Check, ...] = (
    TwoEndpoints(), ConfirmingThenPaid(), HeaderIdDiffers(), IdsDifferInCase(), UnknownType(), UnknownFields()
)  # fmt: skip
