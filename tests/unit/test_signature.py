"""Signatures against the provider's published vectors, and against the official SDK."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from paymos.webhooks import WebhookVerifier

from sender.domain.signature import body_hash, canonical_request, request_signature, webhook_header, webhook_signature

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "vectors" / "paymos.json").read_text("utf-8"))
NOW = 1_700_000_000
BODY = VECTORS["webhook"][0]["body"].encode()


@pytest.mark.parametrize("vector", VECTORS["webhook"], ids=lambda vector: vector["name"])
def test_webhook_signatures_match_the_vectors(vector: dict[str, Any]) -> None:
    """Secret, timestamp and body give the published ``v1``."""
    assert webhook_signature(vector["body"].encode(), vector["secret"], vector["timestamp"]) == vector["v1"]


@pytest.mark.parametrize("vector", VECTORS["request"], ids=lambda vector: vector["name"])
def test_request_signatures_match_the_vectors(vector: dict[str, Any]) -> None:
    """Method, path, query and body give the published signature, an empty body the empty hash."""
    body = vector["body"].encode()
    signature = request_signature(
        vector["api_secret"],
        timestamp=vector["timestamp"],
        method=vector["method"].lower(),
        path=vector["path"],
        query=vector["query"],
        body=body,
    )
    assert body_hash(body) == vector["body_sha256"]
    assert signature == vector["signature"]


def test_the_canonical_string_is_five_lines() -> None:
    """Without a body the canonical string ends with a bare line feed."""
    canonical = canonical_request(timestamp="1700000000", method="get", path="/v1/time", query="", body=b"")
    assert canonical == b"1700000000\nGET\n/v1/time\n\n"


def test_a_path_that_is_no_utf8_is_signed_as_it_was_sent() -> None:
    """Bytes that a server could not decode come back as the same bytes."""
    path = b"/v1/\xff".decode("utf-8", "surrogateescape")
    assert b"/v1/\xff\n" in canonical_request(timestamp="1", method="GET", path=path, query="", body=b"")


def test_a_header_with_one_secret_has_one_v1() -> None:
    """Outside a rotation the header is ``t`` and one ``v1``, without blanks."""
    assert webhook_header(BODY, ["whsec_test_secret"], NOW) == f"t={NOW},v1={VECTORS['webhook'][0]['v1']}"


def test_a_rotation_signs_with_both_secrets_current_first() -> None:
    """In the window there is one ``t`` and two ``v1``, the current secret's first; either secret alone verifies."""
    header = webhook_header(BODY, ["whsec_test_new_secret", "whsec_test_secret"], NOW)
    current, previous = VECTORS["webhook"][2]["v1"], VECTORS["webhook"][0]["v1"]
    assert header == f"t={NOW},v1={current},v1={previous}"
    for secret in ("whsec_test_new_secret", "whsec_test_secret"):
        assert WebhookVerifier(secret).verify(header, BODY, NOW)


def test_the_official_verifier_refuses_a_changed_body() -> None:
    """One byte more and the official SDK no longer takes the signature."""
    header = webhook_header(BODY, ["whsec_test_secret"], NOW)
    assert not WebhookVerifier("whsec_test_secret").verify(header, BODY + b" ", NOW)
