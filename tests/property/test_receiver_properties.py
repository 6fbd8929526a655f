"""What holds for the receiver whatever arrives, in whatever order, however often."""

from __future__ import annotations

import json
from time import process_time
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from paymos.webhooks import WebhookVerifier

from receiver_fixture import reads
from receiver_fixture.booking import apply_event
from receiver_fixture.engine import open_database
from receiver_fixture.envelope import Claim, read_claim, read_envelope, read_json
from receiver_fixture.inbox import Receipt, record
from receiver_fixture.verify import parse_header, verify
from tests.fuzz import MEBIBYTE, fuzzing
from tests.receiver import NOW, SECRET, digest, encode, invoice_event

if TYPE_CHECKING:
    import random

    from sqlalchemy import Engine

BODY = encode(invoice_event())
GOOD = digest(BODY)
WHOLE = f"t={NOW},v1={GOOD}"

stamps = st.one_of(st.just(str(NOW)), st.text(alphabet="0123456789+-. \u0661x", max_size=12), st.integers().map(str))
digests = st.one_of(
    st.just(GOOD), st.just(GOOD.upper()), st.just("f" * 64), st.text(alphabet="0123456789abcdefG", max_size=66)
)
items = st.one_of(
    stamps.map(lambda value: f"t={value}"),
    digests.map(lambda value: f"v1={value}"),
    st.text(alphabet="tv10=, \tfé\ud800", max_size=8),
)
headers = st.one_of(st.text(), st.lists(items, max_size=6).map(",".join))
statuses = st.sampled_from(
    ["awaiting_payment", "confirming", "underpaid_waiting", "paid", "paid_over", "underpaid", "expired", "cancelled"]
)


@fuzzing(150)
@given(header=st.none() | headers, body=st.binary(max_size=64), now=st.integers(min_value=0, max_value=2**40))
def test_verifying_never_raises(header: str | None, body: bytes, now: int) -> None:
    """Any header over any body gets a verdict with a reason."""
    verdict = verify(header, body, [SECRET], now=now, tolerance=300)
    assert verdict.valid is (verdict.reason == "valid")
    assert (verdict.secret_number is not None) >= verdict.valid


@fuzzing(200)
@given(at=st.integers(0, 16), gone=st.integers(0, 3), put=st.text("0 =,tv1\t+_", max_size=3) | st.text(max_size=3))
@example(at=2, gone=0, put="0")
@example(at=2, gone=0, put="+")
@example(at=12, gone=1, put=",t=1,")
def test_only_the_header_itself_is_believed(at: int, gone: int, put: str) -> None:
    """A genuine header changed before its digest is believed only while its timestamp and its digest are the same."""
    changed = WHOLE[:at] + put + WHOLE[at + gone :]
    verdict = verify(changed, BODY, [SECRET], now=NOW, tolerance=300)
    parsed = parse_header(changed)
    same = parsed is not None and parsed.stamp == str(NOW) and bytes.fromhex(GOOD) in parsed.digests
    assert verdict.valid is same


@pytest.mark.parametrize(
    "header",
    ["," * MEBIBYTE, "t=" + "9" * MEBIBYTE + f",v1={GOOD}", f"t={NOW}," + f"v1={'f' * 64}," * 15_000, "v1=" * MEBIBYTE],
    ids=["commas", "digits", "digests", "names"],
)
def test_a_huge_header_costs_little(header: str) -> None:
    """A mebibyte in which every byte is looked at takes a moment."""
    started = process_time()
    assert not verify(header, BODY, [SECRET], now=NOW, tolerance=300).valid
    assert process_time() - started < 2


@given(header=headers)
def test_what_we_accept_the_official_library_accepts(header: str) -> None:
    """Our verifier is never laxer than the provider's own, but for leading zeros, which only it rewrites."""
    parsed = parse_header(header)
    if verify(header, BODY, [SECRET], now=NOW, tolerance=300).valid and parsed and not parsed.stamp.startswith("0"):
        assert WebhookVerifier(SECRET).verify(header, BODY, NOW)


@given(values=st.permutations([GOOD, "f" * 64, "0" * 64, GOOD.upper(), "short"]))
def test_the_order_of_several_values_is_irrelevant(values: list[str]) -> None:
    """A right ``v1`` is found wherever it stands."""
    header = ",".join([f"t={NOW}", *(f"v1={value}" for value in values)])
    assert verify(header, BODY, [SECRET], now=NOW, tolerance=300).valid


@given(header=headers, junk=st.lists(digests.filter(lambda value: value.lower() != GOOD), max_size=4))
def test_no_junk_makes_a_signature(header: str, junk: list[str]) -> None:
    """Without the right digest nothing is valid, however the header looks."""
    text = ",".join([header.lower().replace(GOOD, ""), f"t={NOW}", *(f"v1={value}" for value in junk)])
    assert not verify(text, BODY, [SECRET], now=NOW, tolerance=300).valid


@given(
    body=st.one_of(st.binary(), st.recursive(st.none() | st.text() | st.integers(), st.lists).map(repr).map(str.encode))
)
def test_reading_a_body_never_raises(body: bytes) -> None:
    """Any bytes are an envelope or a refusal, and a claim in any case."""
    document = read_json(body)
    read_envelope(document)
    assert isinstance(read_claim(document), Claim)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
odd_data = st.fixed_dictionaries(
    {},
    optional={
        "invoice_id": json_values,
        "status": json_values,
        "is_final": json_values,
        "order": json_values | st.fixed_dictionaries({"external_id": json_values}),
    },
)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=odd_data)
def test_any_data_can_be_stored_and_applied(data: dict[str, object]) -> None:
    """What a genuine event holds never stops the events behind it."""
    event = {**invoice_event(), "data": data}
    engine, _ = open_database(":memory:")
    effects = deliver(engine, [encode_ascii(event), encode(invoice_event(event_id="evt_2", invoice="inv_next"))])
    engine.dispose()
    assert effects[0] in {"unreadable", "booked", "moved"}
    assert effects[1] == "booked"


@settings(deadline=None, max_examples=60)
@given(
    story=st.lists(st.tuples(statuses, st.integers(min_value=0, max_value=3)), min_size=1, max_size=5),
    shuffle=st.randoms(use_true_random=False),
)
def test_order_and_repetition_do_not_matter(story: list[tuple[str, int]], shuffle: random.Random) -> None:
    """Every order of the same events ends in the same state, and a payment is booked once or not at all."""
    bodies = [encode(invoice_event(status, event_id=f"evt_{n}", at=NOW + at)) for n, (status, at) in enumerate(story)]
    shuffled = [*bodies, *bodies]
    shuffle.shuffle(shuffled)
    assert outcome(bodies) == outcome(shuffled)


def outcome(bodies: list[bytes]) -> tuple[list[reads.Shown], list[reads.Shown]]:
    """Deliver and apply events on a fresh ledger; return orders and states."""
    engine, _ = open_database(":memory:")
    deliver(engine, bodies)
    with engine.begin() as connection:
        orders = reads.order_list(connection)
        states = [{**shown, "booked_by": bool(shown["booked_by"])} for shown in reads.resource_list(connection)]
    engine.dispose()
    paid = any(status in {"paid", "paid_over"} for status in (order["status"] for order in orders))
    assert [order["fulfilled"] for order in orders] == [int(paid)]
    return orders, states


def deliver(engine: Engine, bodies: list[bytes]) -> list[str | None]:
    """Store and apply each body in turn; return the effects."""
    effects: list[str | None] = []
    for body in bodies:
        claim = read_claim(read_json(body))
        receipt = Receipt(claim=claim, header_id=None, verdict="valid", status=200, fault="none", received_at=NOW)
        with engine.begin() as connection:
            record(connection, receipt, body.decode(), "refused")
        with engine.begin() as connection:
            effects.append(apply_event(connection, claim.event_id or "", NOW))
    return effects


def encode_ascii(event: dict[str, object]) -> bytes:
    """Write JSON with escapes, so that lone surrogates and NULs get through."""
    return json.dumps(event).encode("ascii")
