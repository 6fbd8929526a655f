"""Why a signature does not fit: the usual mistakes of merchants, tried one after another and together (contract §1.2).

A mistake is a secret, a body, a message or a hash that differs from the right one in a known way. Whatever combination
of the fewest of them makes the signature fit is what happened; if none does, the secret or the body is another one.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import re
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

TOLERANCE = 300
"""Seconds that the timestamp may be from the receiver's clock, either way (contract §1.4)."""

_HEX = re.compile(r"[0-9a-fA-F]{64}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{43}=?")
_PREFIXES = ("whsec_test_", "whsec_live_", "whsec_")
_DIGITS = re.compile(r"[0-9]{1,15}")
_MILLISECONDS = 11


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: a word for programs, and a sentence that says what would be right."""

    code: str
    says: str


@dataclass(frozen=True, slots=True)
class _Variant:
    """A part of the signature, as it is or as somebody gets it wrong; the right one has no finding."""

    value: bytes
    finding: Finding | None = None


_RIGHT_HASH = _Variant(b"sha256")
_HASHES = (
    _RIGHT_HASH,
    _Variant(b"sha1", Finding("wrong_hash", "it was made with SHA-1; the provider's hash is SHA-256")),
    _Variant(b"sha512", Finding("wrong_hash", "it was made with SHA-512; the provider's hash is SHA-256")),
)


def diagnose(header: str, body: bytes, secret: str, now: int) -> list[Finding]:
    """Return what is wrong with a delivery that arrived at ``now`` (Unix seconds); nothing when it is as it must be.

    ``header`` is the value of ``X-Webhook-Signature``, ``body`` the bytes that came, ``secret`` what is believed to be
    the endpoint's, with its prefix.
    """
    timestamp, values = _parts(header)
    if timestamp is None or not values:
        return [Finding("malformed_header", _MALFORMED)]
    presented = [(digest, how) for value in values for digest, how in _digests(value)]
    if not presented:
        return [Finding("malformed_header", "no v1 value is 64 hexadecimal characters; the header may have been cut")]
    findings = _explained([digest for digest, _ in presented], presented, timestamp, body, secret)
    return [*findings, *_skew(timestamp, now)]


_MALFORMED = "it is not t=UNIX_SECONDS,v1=HEX; take the header X-Webhook-Signature whole and without quotes"


def _parts(header: str) -> tuple[str | None, list[str]]:
    pairs = [part.strip().partition("=") for part in header.split(",")]
    timestamps = [value for name, _, value in pairs if name == "t" and _DIGITS.fullmatch(value)]
    return (timestamps[0] if len(timestamps) == 1 else None), [value for name, _, value in pairs if name == "v1"]


def _digests(value: str) -> Iterator[tuple[bytes, Finding | None]]:
    if _HEX.fullmatch(value):
        upper = Finding("uppercase_hex", "the value is in upper case; it is lowercase hexadecimal")
        yield bytes.fromhex(value), None if value == value.lower() else upper
    elif _BASE64.fullmatch(value):
        padded = value.rstrip("=").replace("-", "+").replace("_", "/") + "="
        yield base64.b64decode(padded), Finding("base64", "the value is base64; it is lowercase hexadecimal")


def _explained(
    digests: list[bytes], presented: list[tuple[bytes, Finding | None]], timestamp: str, body: bytes, secret: str
) -> list[Finding]:
    """Return the fewest mistakes that together explain one of the values, or that none does."""
    best: list[Finding] | None = None
    for key, sent, hashed in product(_secrets(secret), _bodies(body), _HASHES):
        for message in _messages(timestamp, sent.value):
            made = hmac.digest(key.value, message.value, hashed.value.decode())
            if made in digests:
                how = dict(presented)[made]
                found = [one for one in (key.finding, sent.finding, message.finding, hashed.finding, how) if one]
                best = found if best is None or len(found) < len(best) else best
        if best == []:
            break
    if best is None:
        return [_UNEXPLAINED if _is_as_sent(body) else _FOREIGN_WRITING]
    return best


_UNEXPLAINED = Finding(
    "wrong_secret",
    "no usual mistake explains it: the secret is another endpoint's, or older than the last rotation, "
    "or the body is not the one that was sent",
)

_FOREIGN_WRITING = Finding(
    "reencoded_body",
    "the provider writes one compact JSON object that begins with event_id, and this body is written otherwise: "
    "something parsed it and wrote it again. Check the bytes as they arrived; until then the secret cannot be judged",
)
_ENVELOPE = ("event_id", "event_type", "version", "occurred_at", "data")


def _is_as_sent(body: bytes) -> bool:
    """Tell whether a body is written as the provider writes it (contract §1.1); what is no envelope is not judged."""
    try:
        text = body.decode()
        document = json.loads(text)
        compact = [json.dumps(document, separators=(",", ":"), ensure_ascii=one) for one in (False, True)]
    except (ValueError, RecursionError):
        return True
    if not isinstance(document, dict) or not {"event_id", "data"} <= document.keys():
        return True
    members = [name for name in document if name in _ENVELOPE]
    return text in compact and members == [name for name in _ENVELOPE if name in document]


def _secrets(secret: str) -> Iterator[_Variant]:
    yield _Variant(secret.encode())
    blank = Finding("secret_whitespace", "the secret has blanks or a line break around it; strip them")
    if secret != secret.strip():
        yield _Variant(secret.strip().encode(), blank)
    bare = secret.strip()
    for prefix in _PREFIXES:
        if bare.startswith(prefix):
            rest = bare.removeprefix(prefix)
            told = f"it was made with the secret without {prefix}; the whole text is the key"
            yield _Variant(rest.encode(), Finding("prefix_stripped", told))
            yield from _decoded(rest)
        else:
            told = f"the secret lacks {prefix}; the whole text is the key"
            yield _Variant((prefix + bare).encode(), Finding("prefix_stripped", told))


def _decoded(text: str) -> Iterator[_Variant]:
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return
    told = "it was made with the secret decoded from base64, as with other providers; the text itself is the key"
    yield _Variant(key, Finding("secret_decoded", told))


def _messages(timestamp: str, body: bytes) -> Iterator[_Variant]:
    stamp = timestamp.encode()
    yield _Variant(stamp + b"." + body)

    def wrong(message: bytes, what: str) -> _Variant:
        return _Variant(message, Finding("wrong_bytes", f"{what} was signed; it is the timestamp, a dot and the body"))

    yield wrong(body, "the body alone")
    yield wrong(stamp + body, "timestamp and body without the dot")
    yield wrong(body + b"." + stamp, "the body before the timestamp")
    yield wrong(stamp + b"\n" + body, "timestamp and body with a line break between them")
    yield wrong(stamp + b"000." + body, "a timestamp in milliseconds")
    if len(timestamp) > _MILLISECONDS:
        yield wrong(stamp[:-3] + b"." + body, "a timestamp in seconds, while the header has milliseconds,")


def _bodies(body: bytes) -> Iterator[_Variant]:
    yield _Variant(body)

    def changed(other: bytes, how: str) -> _Variant:
        told = f"the body was {how} after it came; sign the bytes as they arrived, before anything parses them"
        return _Variant(other, Finding("reencoded_body", told))

    seen = {body}
    for other, how in _rewritten(body):
        if other not in seen:
            seen.add(other)
            yield changed(other, how)


def _rewritten(body: bytes) -> Iterator[tuple[bytes, str]]:
    yield body.rstrip(b"\r\n"), "given a line break at its end"
    yield body + b"\n", "robbed of the line break at its end"
    yield body.replace(b"\r\n", b"\n"), "given other line ends"
    yield body.removeprefix(b"\xef\xbb\xbf"), "given a byte order mark"
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return
    for sort in (False, True):
        for ascii_only in (False, True):
            for layout in ({"separators": (",", ":")}, {}, {"indent": 2}, {"indent": 4}):
                text = json.dumps(document, sort_keys=sort, ensure_ascii=ascii_only, **layout)
                for written in (text, text.replace("/", "\\/")):
                    yield written.encode("utf-8", "surrogatepass"), "parsed and written again"


def _skew(timestamp: str, now: int) -> list[Finding]:
    at = int(timestamp)
    if len(timestamp) > _MILLISECONDS:
        return [Finding("milliseconds", "the timestamp is in milliseconds; it is Unix seconds")]
    if abs(now - at) <= TOLERANCE:
        return []
    where = "old" if at < now else "in the future"
    told = f"the timestamp is {abs(now - at)} s {where}; {TOLERANCE} s are allowed: check the clock, or a replay"
    return [Finding("skew", told)]
