"""One attempt from row to record, without a network: what goes out, and what its answer makes of the row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sender.attempt import Exchange, line, outgoing, settlement
from sender.domain.delivery import DeliveryState, Reason, Trigger, queued
from sender.domain.endpoint import Endpoint
from sender.domain.signature import webhook_header
from sender.durations import DAY, HOUR, SECOND
from sender.providers.paymos import Paymos
from sender.store.headers import header_pairs
from sender.store.outbox import Claimed
from sender.transport import Answer
from tests.simulators import LADDER, START

PAYMOS = Paymos()
BODY = '{"note":"é 😀 \\u2028 <&"}'.encode()
ENDPOINT = Endpoint("whe_1", "http://127.0.0.1:9/hook", "whsec_test_current", created_at=START)
ROW = Claimed(7, "evt_1", "invoice.paid", "inv_1", "whe_1", replace(queued(START), claim_at=None), BODY, "relay:1")
STATUS = Answer(200, None, "answered 200", (("Server", "x"),), b"ok", elapsed=12_345)


def exchange(answer: Answer, *, started: int = START, finished: int = START) -> Exchange:
    """Return an exchange between two instants."""
    return Exchange(outgoing(ROW, ENDPOINT, PAYMOS, started, started), answer, started, finished, "lose_response")


def test_what_goes_out_is_what_is_stored() -> None:
    """The bytes are those of the row, the URL that of the endpoint, and the headers those of the contract in order."""
    sent = outgoing(ROW, ENDPOINT, PAYMOS, START, START + SECOND - 1)
    assert (sent.url, sent.body) == (ENDPOINT.url, BODY)
    assert [name for name, _ in sent.headers] == [
        "Content-Type", "User-Agent", "X-Webhook-Id", "X-Webhook-Timestamp", "X-Webhook-Signature",
    ]  # fmt: skip
    headers = dict(sent.headers)
    assert headers["X-Webhook-Id"] == "evt_1"
    assert headers["X-Webhook-Timestamp"] == str(START // SECOND)
    assert headers["X-Webhook-Signature"] == webhook_header(BODY, ["whsec_test_current"], START // SECOND)


def test_virtual_time_decides_which_secrets_sign_and_the_signing_clock_what_they_sign() -> None:
    """The rotation window is measured in virtual time, though ``t`` is real."""
    rotated = ENDPOINT.rotated("whsec_test_new", START)
    inside = dict(outgoing(ROW, rotated, PAYMOS, START + 23 * HOUR, 5 * SECOND).headers)
    after = dict(outgoing(ROW, rotated, PAYMOS, START + DAY, 5 * SECOND).headers)
    both = ["whsec_test_new", "whsec_test_current"]
    assert inside["X-Webhook-Signature"] == webhook_header(BODY, both, 5)
    assert after["X-Webhook-Signature"] == webhook_header(BODY, both[:1], 5)


@pytest.mark.parametrize("status", [200, 201, 204, 205, 226, 299])
def test_any_2xx_delivers(status: int) -> None:
    """The whole class of successes ends the ladder."""
    one = settlement(ROW, exchange(replace(STATUS, status=status)), PAYMOS, LADDER)
    assert one.delivery.state is DeliveryState.DELIVERED
    assert (one.record["outcome"], one.record["reason"], one.record["status"]) == ("delivered", None, status)


@pytest.mark.parametrize("status", [300, 301, 304, 399, 400, 410, 429, 500, 599, 600, 999])
def test_any_other_status_is_the_next_rung(status: int) -> None:
    """Redirects, refusals and odd numbers are failed attempts with the reason ``status``."""
    one = settlement(ROW, exchange(replace(STATUS, status=status)), PAYMOS, LADDER)
    assert (one.delivery.state, one.delivery.due_at) == (DeliveryState.PENDING, START + 60 * SECOND)
    assert (one.record["outcome"], one.record["reason"], one.record["status"]) == ("failed", "status", status)


@pytest.mark.parametrize("reason", list(Reason))
def test_no_status_is_the_next_rung_with_its_reason(reason: Reason) -> None:
    """Each kind of failure is recorded under its own word, without a status."""
    one = settlement(ROW, exchange(Answer(None, reason, "why", elapsed=3)), PAYMOS, LADDER)
    assert one.delivery.failures == 1
    assert (one.record["outcome"], one.record["reason"], one.record["status"]) == ("failed", reason.value, None)


def test_the_record_holds_the_whole_exchange() -> None:
    """Row, number, instants, request, answer, faults and the lease under which it was made."""
    done = exchange(replace(STATUS, cut=True), started=START + 5, finished=START + 9)
    record = settlement(ROW, done, PAYMOS, LADDER).record
    assert header_pairs(record["request_headers"]) == done.sent.headers
    assert header_pairs(record["answer_headers"]) == (("Server", "x"),)
    named = ("outbox_seq", "number", "trigger", "due_at", "started_at", "finished_at", "duration", "url",
             "answer_body", "answer_cut", "faults", "lease_token", "detail")  # fmt: skip
    assert [record[name] for name in named] == [
        7, 1, "scheduled", START, START + 5, START + 9, 12_345, ENDPOINT.url, b"ok", True, "lose_response", "relay:1",
        "answered 200",
    ]  # fmt: skip


def test_a_manual_attempt_is_due_when_it_starts() -> None:
    """A person's attempt has no rung: it is due when it is made, whatever the ladder holds."""
    row = ROW._replace(delivery=replace(ROW.delivery, trigger=Trigger.MANUAL, attempts=3, failures=3))
    record = settlement(row, exchange(STATUS, started=START + 5), PAYMOS, LADDER).record
    assert (record["number"], record["trigger"], record["due_at"]) == (4, "manual", START + 5)


def test_the_line_of_an_attempt_holds_no_secret_and_no_signature() -> None:
    """What is logged says which, what, how and when; nothing that signs."""
    one = settlement(ROW, exchange(replace(STATUS, status=500)), PAYMOS, LADDER)
    said = line(one)
    assert said == {
        "event_id": "evt_1",
        "event_type": "invoice.paid",
        "endpoint": "whe_1",
        "number": 1,
        "trigger": "scheduled",
        "outcome": "failed",
        "reason": "status",
        "status": 500,
        "duration_ms": 12,
        "url": ENDPOINT.url,
        "next_due_at": START + 60 * SECOND,
    }
    assert ENDPOINT.secret not in str(said)
