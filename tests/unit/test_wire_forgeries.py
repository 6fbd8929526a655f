"""Wire faults that forge: what arrives in the request's place, held against the provider's own verifier."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from paymos.errors import SignatureMismatchError, TimestampSkewError
from paymos.webhooks import WebhookVerifier

from tests.wire import BODY, NOW, PAYMOS, REQUEST, SECRET, armed, send

if TYPE_CHECKING:
    from sender.transport import Outgoing

BOTH = ("whsec_test_new", SECRET)


def verify(sent: Outgoing) -> None:
    """Verify a request as a receiver with the official SDK does."""
    header = dict(sent.headers).get("X-Webhook-Signature", "")
    WebhookVerifier(SECRET).assert_valid(header, sent.body, NOW)


async def sent_under(name: str, *, outgoing: Outgoing = REQUEST, **params: str) -> Outgoing:
    """Return what arrives under a fault; the sender has to know the same, and the receiver's answer."""
    answer, receiver, _ = await send(armed((name, params)), outgoing=outgoing)
    ((_, arrived),) = receiver.arrived
    assert answer.sent == arrived
    assert (answer.status, answer.detail.split(":")[0]) == (204, f"receiver answered 204 ({name}")
    return arrived


async def test_the_original_verifies() -> None:
    """Without a fault the verifier takes the request, so that what it says about the others means something."""
    verify(REQUEST)


async def test_a_bad_signature_differs_in_its_last_digit() -> None:
    """Only the signature is changed, and only so little that comparing a part of it finds nothing."""
    arrived = await sent_under("bad_signature")
    with pytest.raises(SignatureMismatchError):
        verify(arrived)
    was, now = dict(REQUEST.headers)["X-Webhook-Signature"], dict(arrived.headers)["X-Webhook-Signature"]
    assert (was[:-1], arrived.body) == (now[:-1], BODY)
    assert [one for one in arrived.headers if one[1] != now] == [one for one in REQUEST.headers if one[1] != was]


async def test_every_signature_of_a_rotation_is_bad() -> None:
    """Where two signatures are sent neither fits."""
    arrived = await sent_under(
        "bad_signature", outgoing=replace(REQUEST, headers=PAYMOS.sign(BODY, BOTH, NOW, "evt_1"))
    )
    with pytest.raises(SignatureMismatchError):
        verify(arrived)
    assert dict(arrived.headers)["X-Webhook-Signature"].count("v1=") == 2


async def test_a_wrong_secret_signs_as_properly_as_the_right_one() -> None:
    """The form of the header is the usual one, its timestamp that of the attempt, and the signature fits nothing."""
    arrived = await sent_under("wrong_secret")
    with pytest.raises(SignatureMismatchError):
        verify(arrived)
    was, now = dict(REQUEST.headers), dict(arrived.headers)
    assert len(now["X-Webhook-Signature"]) == len(was["X-Webhook-Signature"])
    assert now["X-Webhook-Timestamp"] == was["X-Webhook-Timestamp"]


@pytest.mark.parametrize(("params", "seconds"), [({}, 600), ({"age": "301s"}, 301), ({"age": "-301s"}, -301)])
async def test_a_stale_timestamp_is_signed_properly(params: dict[str, str], seconds: int) -> None:
    """Header and signature carry the old timestamp, or the future one; nothing but the verifier's clock refuses it."""
    arrived = await sent_under("stale_timestamp", outgoing=REQUEST, **params)
    with pytest.raises(TimestampSkewError):
        verify(arrived)
    headers = dict(arrived.headers)
    WebhookVerifier(SECRET).assert_valid(headers["X-Webhook-Signature"], arrived.body, NOW - seconds)
    assert headers["X-Webhook-Timestamp"] == str(NOW - seconds)


async def test_an_age_within_the_tolerance_verifies() -> None:
    """Five minutes are still taken, so the age is the one that was asked for."""
    verify(await sent_under("stale_timestamp", age="5m"))


@pytest.mark.parametrize("name", ["", "X-Webhook-Id", "x-webhook-timestamp"])
async def test_a_header_is_missing(name: str) -> None:
    """Exactly the named header is left out, in whatever case it was written; the signature if none is named."""
    arrived = await sent_under("missing_header", outgoing=REQUEST, **({"header": name} if name else {}))
    wanted = (name or "X-Webhook-Signature").lower()
    assert arrived.headers == tuple(one for one in REQUEST.headers if one[0].lower() != wanted)
    assert len(arrived.headers) == len(REQUEST.headers) - 1


async def test_a_header_that_is_not_sent_cannot_be_missing() -> None:
    """The detail says so, where a name was written wrongly."""
    answer, receiver, _ = await send(armed(("missing_header", {"header": "X-Other"})))
    assert receiver.arrived[0][1] == REQUEST
    assert "there is no header X-Other, so nothing was left out" in answer.detail


async def test_a_tampered_body_tells_of_more_money() -> None:
    """The amounts are larger, the document is whole, the ids are the same, and the signature is the original one."""
    arrived = await sent_under("tampered_body")
    with pytest.raises(SignatureMismatchError):
        verify(arrived)
    data = json.loads(arrived.body)["data"]
    assert data == {"order": {"external_id": "7", "amount": "911.05"}, "payment": {"paid": "911.05"}}
    assert arrived.headers == REQUEST.headers


async def test_a_body_without_amounts_is_tampered_with_all_the_same() -> None:
    """It is still the same document, in other bytes."""
    arrived = await sent_under("tampered_body", outgoing=replace(REQUEST, body=b'{"a":1}'))
    assert arrived.body == b'{"a":1} '


async def test_two_forgeries_add_up() -> None:
    """What is recorded is what went out in the end, with both in it, also where the answer was lost."""
    faults = armed(("lose_response", {}), ("stale_timestamp", {}), ("missing_header", {"header": "User-Agent"}))
    answer, receiver, _ = await send(faults)
    ((_, arrived),) = receiver.arrived
    assert answer.sent == arrived
    assert dict(arrived.headers)["X-Webhook-Timestamp"] == str(NOW - 600)
    assert "User-Agent" not in dict(arrived.headers)
