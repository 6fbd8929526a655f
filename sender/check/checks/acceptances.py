"""Signatures that are genuine, and that careless verifiers refuse."""

from __future__ import annotations

import json
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from sender.check.check import Check
from sender.check.checks.refusals import LINKS, VERIFY
from sender.check.outcome import Failed

if TYPE_CHECKING:
    from sender.check.bench import Bench
    from sender.check.letter import Letter
    from sender.providers.profile import Headers


class Acceptance(Check):
    """Something genuine that careless verifiers refuse."""

    group = "signature"
    links: ClassVar[tuple[str, ...]] = LINKS
    matters = (
        "Every delivery of this kind is refused, eleven times each, and then given up. You learn of it from customers "
        "who have paid."
    )
    mend = VERIFY

    @abstractmethod
    def write(self, bench: Bench, letter: Letter) -> tuple[str, Letter, Headers]:
        """Give what must be believed."""

    @override
    async def run(self, bench: Bench) -> None:
        purchase, letter = await bench.paid_letter(self.id)
        what, sent, headers = self.write(bench, letter)
        exchange = await bench.post(sent, what, headers)
        if not exchange.taken:
            raise Failed(f"A genuine invoice.paid, with {what}, was {exchange.outcome}.")
        await bench.fulfilled_once(purchase, after=f"an invoice.paid with {what}")


class _Rotation(Acceptance):
    matters = (
        "For a day after a rotation each delivery carries a signature for the new and one for the old secret, in no "
        "promised order. Whoever reads one of them refuses everything that day."
    )
    mend = "Compare with every v1 of the header, and accept when any is equal."
    others: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]]

    @override
    def write(self, bench: Bench, letter: Letter) -> tuple[str, Letter, Headers]:
        before, after = self.others
        secrets = (*before, bench.means.secret, *after)
        what = f"{len(secrets)} signatures, the right one as number {len(before) + 1}"
        return what, letter, bench.seal.headers(letter, bench.now, secrets)


class RotationFirst(_Rotation):
    """You have the new secret."""

    id = "rotation-first"
    title = "Of two signatures the first may be the right one"
    does = "Sends invoice.paid with two v1, the first of which is right."
    others = ((), ("whsec_test_previous",))


class RotationSecond(_Rotation):
    """You have the old one still."""

    id = "rotation-second"
    title = "Of two signatures the second may be the right one"
    does = "Sends invoice.paid with two v1, the second of which is right."
    others = (("whsec_test_next",), ())


class ThreeValues(_Rotation):
    """Nobody promised that there are two at most."""

    id = "three-signatures"
    title = "Of three signatures the last may be the right one"
    does = "Sends invoice.paid with three v1, the last of which is right."
    others = (("whsec_test_next", "whsec_test_previous"), ())


class HeaderCase(Acceptance):
    """Header names have no case."""

    id = "header-case"
    title = "Header names in capital letters are found"
    does = "Sends invoice.paid with all header names in capital letters, as some proxies write them."
    mend = "Look headers up without regard to case, with your framework's own function (RFC 9110 §5.1)."
    links = ("RFC 9110: HTTP Semantics, field names",)

    @override
    def write(self, bench: Bench, letter: Letter) -> tuple[str, Letter, Headers]:
        headers = bench.seal.headers(letter, bench.now)
        return "header names in capitals", letter, tuple((name.upper(), value) for name, value in headers)


class RawBody(Acceptance):
    """The bytes as they came."""

    id = "raw-body"
    title = "The signature is verified over the bytes that came, however they write the JSON"
    does = "Sends invoice.paid with line breaks, spaces, escaped letters and another order of members, rightly signed."
    matters = (
        "Parsed and written again, JSON is other bytes: escapes, spaces and numbers change. A receiver that signs what "
        "it wrote itself refuses one delivery in ten, at the whim of a name with an accent."
    )
    mend = "Verify over the raw request body, before anything parses it (request.get_data(), await request.body())."

    @override
    def write(self, bench: Bench, letter: Letter) -> tuple[str, Letter, Headers]:
        document = letter.document()
        members = ",\r\n  ".join(f'"{name}" : {_escaped(document[name])}' for name in reversed(document))
        sent = letter.written(f"{{\r\n  {members}\r\n}}\n")
        return "JSON written in another way", sent, bench.seal.headers(sent, bench.now)


def _escaped(value: object) -> str:

    return json.dumps(value, indent=1).replace("/", "\\/")


class NonAscii(Acceptance):
    """Letters beyond ASCII."""

    id = "non-ascii"
    title = "Letters beyond ASCII do not matter"
    does = "Sends an invoice.paid that holds é, Ω, 支, an emoji and a line separator, as UTF-8 and as escapes."
    mend = RawBody.mend

    @override
    def write(self, bench: Bench, letter: Letter) -> tuple[str, Letter, Headers]:
        text = letter.changed(lambda document: document["data"]["order"].update(client_id="Zoé Ω 支付 🍰 \u2028 CAFE"))
        sent = text.written(text.body.replace(b"CAFE", b"caf\\u00e9 \\ud83c\\udf70"))
        return "letters beyond ASCII", sent, bench.seal.headers(sent, bench.now)


ACCEPTANCES: tuple[Check, ...] = (
    RotationFirst(), RotationSecond(), ThreeValues(), HeaderCase(), RawBody(), NonAscii()
)  # fmt: skip
