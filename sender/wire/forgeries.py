"""Faults that make the request another one than was stored and signed: what a receiver has to turn away."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from sender.durations import MINUTE, SECOND, format_duration
from sender.wire import readers
from sender.wire.way import WireFault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sender.durations import Duration
    from sender.transport import Answer, Outgoing
    from sender.wire.way import AtHand, Headers, Reader, Way

NO_SECRET = "whsec_test_thisIsNoSecretOfAnyEndpoint00"  # noqa: S105 - which is the point of it
_DIGEST = re.compile(r"([0-9a-f]{31,})([0-9a-f])")
_AMOUNT = re.compile(rb'("(?:amount|paid|gross|net)":")(?=[0-9])')


class Forgery(WireFault):
    """A fault that sends something else in place of the request. Whatever comes back is what the sender knows."""

    __slots__ = ()

    @abstractmethod
    def forged(self, outgoing: Outgoing, hand: AtHand) -> tuple[Outgoing, str]:
        """Return what is sent instead, and what was done to it in a few words."""

    @override
    async def carry(self, way: Way, outgoing: Outgoing, timeout: Duration) -> Answer:
        instead, what = self.forged(outgoing, way.hand)
        answer = await way.send(instead, timeout)
        detail = f"{answer.detail} ({self.name}: {what})"
        return replace(answer, detail=detail, sent=answer.sent or instead)


@dataclass(frozen=True, slots=True)
class BadSignature(Forgery):
    """Every signature in the header is wrong, by its last digit."""

    name: ClassVar[str] = "bad_signature"

    @override
    def forged(self, outgoing: Outgoing, hand: AtHand) -> tuple[Outgoing, str]:
        headers = (
            (name, _spoilt(value) if name == hand.signature_header else value) for name, value in outgoing.headers
        )
        return replace(outgoing, headers=tuple(headers)), "the last digit of each signature was changed"


@dataclass(frozen=True, slots=True)
class WrongSecret(Forgery):
    """The request is signed under a secret that no endpoint ever had."""

    name: ClassVar[str] = "wrong_secret"

    @override
    def forged(self, outgoing: Outgoing, hand: AtHand) -> tuple[Outgoing, str]:
        return _headers(outgoing, hand.sign([NO_SECRET], 0)), "signed under a secret that is not the endpoint's"


@dataclass(frozen=True, slots=True)
class StaleTimestamp(Forgery):
    """The request is signed properly, with a timestamp ``age`` before the attempt; a negative age lies in the future.

    It is what a recording looks like that somebody sends again (contract §1.4: verifiers allow five minutes).
    """

    age: Duration = 10 * MINUTE

    name: ClassVar[str] = "stale_timestamp"
    fields: ClassVar[Mapping[str, Reader]] = {"age": readers.age}

    @override
    def forged(self, outgoing: Outgoing, hand: AtHand) -> tuple[Outgoing, str]:
        when = "in the past" if self.age > 0 else "in the future"
        what = f"signed with a timestamp {format_duration(abs(self.age))} {when}"
        return _headers(outgoing, hand.sign(None, self.age // SECOND)), what


@dataclass(frozen=True, slots=True)
class MissingHeader(Forgery):
    """One header is left out: the signature, unless ``header`` names another."""

    header: str = ""

    name: ClassVar[str] = "missing_header"
    fields: ClassVar[Mapping[str, Reader]] = {"header": readers.header}

    @override
    def forged(self, outgoing: Outgoing, hand: AtHand) -> tuple[Outgoing, str]:
        wanted = (self.header or hand.signature_header).lower()
        left = tuple((name, value) for name, value in outgoing.headers if name.lower() != wanted)
        missing = next((name for name, _ in outgoing.headers if name.lower() == wanted), None)
        what = f"without {missing}" if missing else f"there is no header {self.header}, so nothing was left out"
        return _headers(outgoing, left), what


@dataclass(frozen=True, slots=True)
class TamperedBody(Forgery):
    """The body is changed after it was signed: a 9 stands before its amounts, or a space behind it if it has none."""

    name: ClassVar[str] = "tampered_body"

    @override
    def forged(self, outgoing: Outgoing, hand: AtHand) -> tuple[Outgoing, str]:
        body, amounts = _AMOUNT.subn(rb"\g<1>9", outgoing.body)
        what = "the amounts were changed after signing" if amounts else "a space was added after signing"
        return replace(outgoing, body=body if amounts else body + b" "), what


def _headers(outgoing: Outgoing, headers: Headers) -> Outgoing:
    return replace(outgoing, headers=headers)


def _spoilt(signature: str) -> str:
    return _DIGEST.sub(lambda found: f"{found[1]}{int(found[2], 16) ^ 1:x}", signature)
