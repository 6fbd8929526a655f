"""Signatures that nobody may believe."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from sender.check.check import Check
from sender.check.letter import Letter
from sender.check.need import Need
from sender.check.outcome import Failed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sender.check.bench import Bench
    from sender.check.outcome import Exchange
    from sender.providers.profile import Headers

Forged = tuple[str, Letter, "Headers"]
"""What it is, and what is sent."""

_HOUR = 3_600
_CRASH = 500
VERIFY = (
    "Compute HMAC-SHA256 over t, a dot and the raw bytes of the body, with the whole secret as the key; compare it "
    "with every v1 in constant time; accept when one is equal and t is at most 300 seconds from your clock, in both "
    "directions; else answer 401 and do nothing. The official SDK's verifier does all of this."
)
LINKS = ("Paymos Docs: Webhooks, verify signatures", "RFC 2104: HMAC")


class Refusal(Check):
    """Something that nobody may believe. The genuine event is delivered after it and must then count."""

    group = "signature"
    links: ClassVar[tuple[str, ...]] = LINKS
    matters = (
        "The address of a webhook is no secret. Whoever can make you believe that an order is paid takes the goods for "
        "nothing."
    )
    mend = VERIFY

    @abstractmethod
    def forge(self, bench: Bench, letter: Letter) -> Iterator[Forged]:
        """Give what must be refused."""

    @override
    async def run(self, bench: Bench) -> None:
        purchase, letter = await bench.paid_letter(self.id)
        for what, sent, headers in self.forge(bench, letter):
            _require_refused(bench, what, await bench.post(sent, what, headers))
        await bench.not_fulfilled(purchase, "requests that were all refused")
        await bench.deliver(letter, "and the genuine event")
        await bench.fulfilled_once(purchase, after="forgeries that were refused and the genuine event")


def _require_refused(bench: Bench, what: str, exchange: Exchange) -> None:
    if exchange.taken:
        raise Failed(
            f"A delivery with {what} was {exchange.outcome}: it was believed. "
            "Anybody can send such a request and have an order fulfilled that nobody paid."
        )
    if exchange.status is None or exchange.status >= _CRASH:
        bench.warn(f"A delivery with {what} was {exchange.outcome}; a refusal is a 401, not a crash.")


class Unsigned(Refusal):
    """No signature at all."""

    id = "unsigned"
    title = "A delivery without a signature is refused"
    does = "Sends invoice.paid without X-Webhook-Signature."

    @override
    def forge(self, bench: Bench, letter: Letter) -> Iterator[Forged]:
        yield "no signature", letter, bench.seal.with_signature(bench.seal.headers(letter, bench.now), None)


class WrongSecret(Refusal):
    """Somebody else's key."""

    id = "wrong-secret"
    title = "A delivery signed with another secret is refused"
    does = "Sends invoice.paid, well formed and signed with a secret that is not yours."

    @override
    def forge(self, bench: Bench, letter: Letter) -> Iterator[Forged]:
        yield "another's secret", letter, bench.seal.headers(letter, bench.now, ("whsec_test_somebody_else",))


class TamperedBody(Refusal):
    """A byte changed on the way."""

    id = "tampered-body"
    title = "A delivery whose body was changed is refused"
    does = "Signs invoice.paid and then changes the amount, or adds one space behind the body."

    @override
    def forge(self, bench: Bench, letter: Letter) -> Iterator[Forged]:
        headers = bench.seal.headers(letter, bench.now)
        yield "a changed amount", letter.written(letter.body.replace(b'"11.05"', b'"11.06"')), headers
        yield "a space behind the body", letter.written(letter.body + b" "), headers


class TamperedTimestamp(Refusal):
    """The time is signed too."""

    id = "tampered-timestamp"
    title = "A delivery whose timestamp was changed is refused"
    does = "Signs invoice.paid an hour ago and writes the present time over t, in the signature and in the header."

    @override
    def forge(self, bench: Bench, letter: Letter) -> Iterator[Forged]:
        now = bench.now
        value = f"t={now},v1={bench.seal.value(letter, now - _HOUR)}"
        yield "a changed timestamp", letter, bench.seal.with_signature(bench.seal.headers(letter, now), value)


class OldReplay(Refusal):
    """A recording, played back."""

    id = "old-replay"
    title = "A delivery of an hour ago is refused"
    does = "Sends invoice.paid with a right signature that is an hour old."
    matters = "A delivery that was recorded once, in a log or by a proxy, can be played back for ever."

    @override
    def forge(self, bench: Bench, letter: Letter) -> Iterator[Forged]:
        yield "a signature that is an hour old", letter, bench.seal.headers(letter, bench.now - _HOUR)


class FutureTimestamp(Refusal):
    """The tolerance has two sides."""

    id = "future-timestamp"
    title = "A delivery from the future is refused"
    does = "Sends invoice.paid with a right signature whose t is an hour ahead."
    matters = "A signature that is valid tomorrow is a recording that stays fresh until then; clocks differ by seconds."

    @override
    def forge(self, bench: Bench, letter: Letter) -> Iterator[Forged]:
        yield "a signature from the future", letter, bench.seal.headers(letter, bench.now + _HOUR)


class TwoTimestamps(Refusal):
    """Which of the two is signed?"""

    id = "two-timestamps"
    title = "A signature with two timestamps is refused"
    does = "Sends an hour-old signature with a second, fresh t before it, and behind it."
    matters = "A parser that takes the age from one t and the signature from the other accepts recordings for ever."
    mend = "Refuse a signature unless it has exactly one t."

    @override
    def forge(self, bench: Bench, letter: Letter) -> Iterator[Forged]:
        now = bench.now
        old, value = now - _HOUR, bench.seal.value(letter, now - _HOUR)
        for stamps in (f"t={now},t={old}", f"t={old},t={now}"):
            headers = bench.seal.headers(letter, now)
            yield "two timestamps", letter, bench.seal.with_signature(headers, f"{stamps},v1={value}")


class EmptyValues(Refusal):
    """Nothing equals nothing."""

    id = "empty-values"
    title = "A signature with empty parts is refused"
    does = "Sends a signature that is empty, has an empty v1, an empty t, or only commas."
    matters = "A comparison with nothing must fail: 'no value differs' is not 'one value is right'."

    @override
    def forge(self, bench: Bench, letter: Letter) -> Iterator[Forged]:
        now = bench.now
        for value in ("", f"t={now},v1=", f"t={now}", f"t=,v1={bench.seal.value(letter, now)}", ",,,"):
            sent = bench.seal.with_signature(bench.seal.headers(letter, now), value)
            yield f"the signature {value[:24]!r}", letter, sent


class HugeHeader(Refusal):
    """Ten kilobytes of signature."""

    id = "huge-header"
    title = "A signature of ten kilobytes is refused, and the next event is fine"
    does = "Sends a signature with a hundred and fifty wrong v1, and then the genuine event."
    matters = "A header that stops a server is a way to keep you from hearing that you were paid."

    @override
    def forge(self, bench: Bench, letter: Letter) -> Iterator[Forged]:
        value = f"t={bench.now}" + "".join(f",v1={number:064x}" for number in range(150))
        yield "a signature of 10 kB", letter, bench.seal.with_signature(bench.seal.headers(letter, bench.now), value)


class OldSecret(Refusal):
    """The window of a rotation ends."""

    id = "old-secret"
    title = "The previous secret is refused once the day of its rotation is over"
    does = "Sends invoice.paid signed only with a secret that was replaced long ago (--retired-secret)."
    matters = "A secret is replaced because somebody else may know it."
    mend = "Remove the old secret from your configuration a day after the rotation."
    needs = frozenset({Need.RETIRED})

    @override
    def forge(self, bench: Bench, letter: Letter) -> Iterator[Forged]:
        yield "a retired secret", letter, bench.seal.headers(letter, bench.now, (bench.means.retired or "",))


REFUSALS: tuple[Check, ...] = (
    Unsigned(), WrongSecret(), TamperedBody(), TamperedTimestamp(), OldReplay(), FutureTimestamp(), TwoTimestamps(),
    EmptyValues(), HugeHeader(), OldSecret(),
)  # fmt: skip
