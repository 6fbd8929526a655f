"""Verify a delivery's signature over its raw bytes (contract §1.2, §1.4), with the receiver's own code.

The verdict is a value with a reason word: whatever arrives in a header, nothing here raises.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SIGNATURE_HEADER = "X-Webhook-Signature"

# A longer run of digits is no Unix time, and unbounded ones are slow to turn into a number.
_STAMP = re.compile(r"[0-9]{1,15}")
_DIGEST = re.compile(r"[0-9a-fA-F]{64}")


class Reason(StrEnum):
    """Why a signature is good or not."""

    VALID = "valid"
    MISSING = "signature_missing"
    MALFORMED = "signature_malformed"
    MISMATCH = "signature_mismatch"
    TOO_OLD = "timestamp_too_old"
    TOO_NEW = "timestamp_too_new"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome, and by its place in the configured list which secret matched."""

    reason: Reason
    secret_number: int | None = None

    @property
    def valid(self) -> bool:
        """Tell whether the delivery may be believed."""
        return self.reason is Reason.VALID


@dataclass(frozen=True, slots=True)
class SignatureHeader:
    """A well-formed header: the timestamp exactly as written, and every digest."""

    stamp: str
    digests: tuple[bytes, ...]


def parse_header(text: str) -> SignatureHeader | None:
    """Read ``t=…,v1=…[,v1=…]`` in any order; ``None`` unless it has exactly one all-digit ``t`` and a usable ``v1``.

    Items that are neither are skipped, so that a later scheme beside ``v1`` does not break this receiver. A second
    ``t`` is refused even when it is not a number: which of the two is signed would be a guess.
    """
    items = [item.strip(" \t").partition("=") for item in text.split(",")]
    stamps = [value for key, _, value in items if key == "t"]
    digests = tuple(bytes.fromhex(value) for key, _, value in items if key == "v1" and _DIGEST.fullmatch(value))
    if len(stamps) != 1 or not _STAMP.fullmatch(stamps[0]) or not digests:
        return None
    return SignatureHeader(stamps[0], digests)


def verify(header: str | None, body: bytes, secrets: Sequence[str], *, now: int, tolerance: int) -> Verdict:
    """Judge one delivery; ``now`` and ``tolerance`` are whole seconds, the boundary still passes on both sides.

    The digest comes before the age, so that ``timestamp_too_old`` always means a genuine but late delivery.
    """
    if header is None:
        return Verdict(Reason.MISSING)
    signature = parse_header(header)
    if signature is None:
        return Verdict(Reason.MALFORMED)
    number = _matching_secret(signature, body, secrets)
    if number is None:
        return Verdict(Reason.MISMATCH)
    return Verdict(_freshness(int(signature.stamp), now, tolerance), number)


def _matching_secret(signature: SignatureHeader, body: bytes, secrets: Sequence[str]) -> int | None:
    # Every secret meets every digest before anything is decided: the time taken does not tell which one matched.
    message = signature.stamp.encode() + b"." + body
    expected = [hmac.new(_key(secret), message, hashlib.sha256).digest() for secret in secrets]
    matches = [
        number
        for number, digest in enumerate(expected)
        if sum(hmac.compare_digest(digest, given) for given in signature.digests)
    ]
    return matches[0] if matches else None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is verified. ``exact`` is the signature where its header's name was written as documented.

    ``retired`` are secrets that were valid once; instants in seconds.
    """

    header: str | None
    exact: str | None
    body: bytes
    secrets: Sequence[str]
    retired: Sequence[str]
    now: int
    tolerance: int


def verify_evidence(evidence: Evidence) -> Verdict:
    """Judge one delivery as it should be: by its header, its bytes and the secrets of the moment."""
    return verify(evidence.header, evidence.body, evidence.secrets, now=evidence.now, tolerance=evidence.tolerance)


def expected_digest(header: str | None, body: bytes, secret: str) -> str:
    """Return the digest that the header should have had; what a receiver must never tell."""
    stamp = (header or "").partition("t=")[2].partition(",")[0]
    return hmac.new(_key(secret), stamp.encode("utf-8", "replace") + b"." + body, hashlib.sha256).hexdigest()


def _key(secret: str) -> bytes:
    # The whole string with its prefix is the key (contract §1.2); command lines may carry undecodable bytes.
    return secret.encode("utf-8", "surrogateescape")


def _freshness(stamp: int, now: int, tolerance: int) -> Reason:
    if now - stamp > tolerance:
        return Reason.TOO_OLD
    if stamp - now > tolerance:
        return Reason.TOO_NEW
    return Reason.VALID
