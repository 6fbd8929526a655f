"""The usual mistakes with a signature, each recognised from header, body and secret alone."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sender.domain.diagnosis import diagnose
from sender.domain.signature import webhook_header, webhook_signature

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = 1_767_225_600
SECRET = "whsec_test_dGVzdCBzZWNyZXQgb2YgdGhlIHNob3A"
BODY = b'{"event_id":"evt_1","data":{"amount":"11.05","name":"Caf\xc3\xa9","url":"https://x/y"}}'
GOOD = webhook_header(BODY, [SECRET], NOW)


def told(header: str = GOOD, body: bytes = BODY, secret: str = SECRET, now: int = NOW) -> list[str]:
    """Return the words for what is wrong."""
    return [finding.code for finding in diagnose(header, body, secret, now)]


def made(message: bytes, key: bytes = SECRET.encode(), hashed: Callable = hashlib.sha256) -> str:
    """Return a header that somebody makes in his own way."""
    return f"t={NOW},v1={hmac.new(key, message, hashed).hexdigest()}"


def test_what_is_right_is_told_so() -> None:
    """A fresh signature of the bytes under the whole secret has nothing wrong, also beside a second one."""
    assert told() == []
    assert told(webhook_header(BODY, ["whsec_test_new", SECRET], NOW)) == []
    assert told(now=NOW + 300) == told(now=NOW - 300) == []


@pytest.mark.parametrize("now", [NOW + 301, NOW - 301])
def test_a_stale_timestamp_is_skew(now: int) -> None:
    """More than five minutes off, either way."""
    assert told(now=now) == ["skew"]


DOCUMENT = json.loads(BODY)
REWRITTEN = [
    json.dumps(DOCUMENT).encode(),
    json.dumps(DOCUMENT, indent=2).encode(),
    json.dumps(DOCUMENT, separators=(",", ":"), ensure_ascii=False).replace("/", "\\/").encode(),
    BODY + b"\n",
    b"\xef\xbb\xbf" + BODY,
]


@pytest.mark.parametrize("body", REWRITTEN)
def test_a_body_that_was_written_again_is_recognised(body: bytes) -> None:
    """Whatever framework parsed it, sorted it, or gave it a line break: the bytes that came were others."""
    assert told(body=body) == ["reencoded_body"]


STAMP = str(NOW).encode()


def test_a_signature_of_another_writing_of_the_body_is_recognised() -> None:
    """Also the other way round: what was signed is the document with its keys sorted."""
    again = json.dumps(DOCUMENT, sort_keys=True).encode()
    assert told(made(STAMP + b"." + again)) == ["reencoded_body"]


@pytest.mark.parametrize(
    "message",
    [BODY, STAMP + BODY, BODY + b"." + STAMP, STAMP + b"\n" + BODY, STAMP + b"000." + BODY],
)
def test_other_bytes_that_were_signed_are_recognised(message: bytes) -> None:
    """The timestamp, a dot and the body are signed; nothing less and in no other order."""
    assert told(made(message)) == ["wrong_bytes"]


def test_secrets_that_are_nearly_right_are_recognised() -> None:
    """Without its prefix, with a line break, decoded from base64."""
    bare = SECRET.removeprefix("whsec_test_")
    assert told(secret=bare) == ["prefix_stripped"]
    assert told(made(STAMP + b"." + BODY, bare.encode())) == ["prefix_stripped"]
    assert told(secret=SECRET + "\n") == ["secret_whitespace"]
    assert told(made(STAMP + b"." + BODY, base64.b64decode(bare + "="))) == ["secret_decoded"]


def test_other_encodings_and_hashes_are_recognised() -> None:
    """Base64 and upper case instead of lowercase hexadecimal, another hash, milliseconds."""
    digest = bytes.fromhex(webhook_signature(BODY, SECRET, NOW))
    assert told(f"t={NOW},v1={base64.b64encode(digest).decode()}") == ["base64"]
    assert told(f"t={NOW},v1={digest.hex().upper()}") == ["uppercase_hex"]
    assert told(webhook_header(BODY, [SECRET], NOW * 1000)) == ["milliseconds"]


def test_mistakes_come_together() -> None:
    """Each of several is named, and time apart from the rest."""
    bare = SECRET.removeprefix("whsec_test_")
    assert told(body=REWRITTEN[0], secret=bare, now=NOW + 900) == ["prefix_stripped", "reencoded_body", "skew"]


def test_what_nothing_explains_is_the_secret_or_the_body() -> None:
    """A secret of another endpoint and a changed amount look alike."""
    assert told(secret="whsec_test_other") == told(body=BODY.replace(b"11.05", b"1.05")) == ["wrong_secret"]


@pytest.mark.parametrize(
    "header",
    ["", "v1=" + "0" * 64, f"t={NOW}", f"t={NOW},v1=", f"t={NOW},v1=abc", "t=now,v1=" + "0" * 64, f'"{GOOD}"',
     f"t={NOW},t={NOW},v1={'0' * 64}", GOOD[:-1]],
)  # fmt: skip
def test_a_header_that_is_none_is_told_so(header: str) -> None:
    """Cut, quoted, or taken from somewhere else."""
    assert told(header) == ["malformed_header"]


@given(header=st.text(), body=st.binary(max_size=200), secret=st.text(max_size=60), now=st.integers(0, 2**40))
def test_nothing_makes_it_fail(header: str, body: bytes, secret: str, now: int) -> None:
    """Whatever is handed in, it finds something wrong, and raises nothing."""
    assert diagnose(header, body, secret, now)


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(DOCUMENT, sort_keys=True, separators=(",", ":")).encode(),
        json.dumps(DOCUMENT, indent=1).encode(),
        BODY.replace(b'"11.05"', b"11.050"),
        BODY.replace(b"/", b"\\/").replace(b"11.05", b"1.05"),
    ],
)
def test_a_body_that_cannot_be_as_it_was_sent_is_the_first_suspect(body: bytes) -> None:
    """Sorted members, blanks, other numbers: nobody can write it back, but the provider does not write so."""
    assert told(body=body) == ["reencoded_body"]
    assert told(body=body, secret="whsec_test_other") == ["reencoded_body"]


@pytest.mark.parametrize("body", [b"", b"[]", b"no json", b"[" * 100_000, b"\xff", b"{}", b'{"a": 1}'])
def test_what_is_no_envelope_is_not_judged(body: bytes) -> None:
    """Then it may be the secret as well as the body."""
    assert told(body=body) == ["wrong_secret"]
