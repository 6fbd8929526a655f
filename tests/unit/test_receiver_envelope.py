"""The envelope check: as strict as the provider's own libraries (contract §2.1)."""

from __future__ import annotations

from typing import Any

import pytest

from receiver_fixture.envelope import BadEnvelope, Claim, Envelope, read_claim, read_envelope, read_json
from tests.receiver import encode, invoice_event


def with_member(name: str, value: object) -> dict[str, Any]:
    """Make an event with one member changed."""
    return {**invoice_event(), name: value}


def test_reads_a_whole_event() -> None:
    """The five members come through as they are; unknown ones are left aside."""
    envelope = read_envelope(read_json(encode({**invoice_event(), "new_member": [1]})))
    assert isinstance(envelope, Envelope)
    assert (envelope.event_id, envelope.event_type, envelope.version) == ("evt_1", "invoice.paid", 1)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{",
        b'{"a":NaN}',
        b"\xff\xfe",
        "{}".encode("utf-16"),
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
        b'{"version":' + b"9" * 5_000 + b"}",
    ],
)
def test_refuses_what_is_no_json_object(body: bytes) -> None:
    """Anything but a JSON object in UTF-8 is refused as such, however odd."""
    refused = read_envelope(read_json(body))
    assert isinstance(refused, BadEnvelope)
    assert refused.reason == "json_invalid"


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("event_id", ""),
        ("event_id", "  "),
        ("event_id", None),
        ("event_id", 7),
        ("event_id", "evt_\0"),
        ("event_id", "evt_\ud800"),
        ("event_id", "x" * 201),
        ("event_type", ""),
        ("version", 0),
        ("version", "1"),
        ("version", 1.0),
        ("version", True),
        ("occurred_at", -1),
        ("occurred_at", None),
        ("occurred_at", 2**70),
        ("data", None),
        ("data", []),
    ],
)
def test_names_the_member_at_fault(member: str, value: object) -> None:
    """A wrong member is refused with its name."""
    refused = read_envelope(with_member(member, value))
    assert isinstance(refused, BadEnvelope)
    assert refused.detail.startswith(member)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (invoice_event(), Claim("evt_1", "invoice.paid", "inv_1")),
        ({"event_id": "evt_1", "event_type": "invoice.paid", "data": []}, Claim("evt_1", "invoice.paid")),
        ({"event_id": "evt_1", "event_type": "novelty", "data": {"id": "x"}}, Claim("evt_1", "novelty")),
        (
            {"event_type": "withdrawal.failed", "data": {"withdrawal_id": "wdr_1"}},
            Claim(None, "withdrawal.failed", "wdr_1"),
        ),
        ({"event_id": ["evt_1"]}, Claim()),
        ("text", Claim()),
    ],
)
def test_a_claim_is_as_much_as_can_be_told(document: object, expected: Claim) -> None:
    """Evidence takes what it finds and never fails."""
    assert read_claim(document) == expected
