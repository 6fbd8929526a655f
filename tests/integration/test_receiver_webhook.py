"""The reference receiver on real sockets: what it answers, what it remembers, what it applies."""

from __future__ import annotations

import asyncio
import gzip
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import create_engine, text

from tests.receiver import NOW, SECRET, Client, StillClock, digest, encode, invoice_event, running, sign

if TYPE_CHECKING:
    from receiver_fixture.receiver import Receiver


async def applied(receiver: Receiver, talk: Client, event_id: str = "evt_1") -> dict[str, Any]:
    """Wait until everything is applied and return an event's summary."""
    await receiver.idle()
    summary: dict[str, Any] = await talk.get(f"/received/{event_id}")
    return summary


async def test_a_paid_invoice_is_booked(database_url: str) -> None:
    """A genuine event is answered 200 and then fulfils its order once."""
    async with running(database=database_url) as (receiver, talk):
        assert await talk.deliver(invoice_event()) == 200
        summary = await applied(receiver, talk)
        order = await talk.get("/orders/order-inv_1")
    assert (summary["received"], summary["accepted"], summary["applied"], summary["answered"]) == (1, 1, 1, [200])
    assert (order["status"], order["paid"], order["fulfilled"]) == ("paid", True, 1)
    assert [event["effect"] for event in order["events"]] == ["booked"]


async def test_a_repetition_is_acknowledged_and_changes_nothing(database_url: str) -> None:
    """The same event again is answered 200, before and after its application, and books nothing."""
    async with running(database=database_url) as (receiver, talk):
        answers = [await talk.deliver(invoice_event()), await talk.deliver(invoice_event())]
        await receiver.idle()
        answers.append(await talk.deliver(invoice_event()))
        summary = await applied(receiver, talk)
        order = await talk.get("/orders/order-inv_1")
    assert answers == [200, 200, 200]
    assert (summary["received"], summary["accepted"], summary["applied"]) == (3, 3, 1)
    assert [receipt["outcome"] for receipt in summary["receipts"]] == ["stored", "duplicate", "duplicate"]
    assert order["fulfilled"] == 1


async def test_equal_deliveries_at_the_same_instant_are_applied_once(database_url: str) -> None:
    """Twenty equal deliveries at once are all acknowledged and booked once."""
    async with running(database=database_url) as (receiver, talk):
        answers = await asyncio.gather(*(talk.deliver(invoice_event()) for _ in range(20)))
        summary = await applied(receiver, talk)
        order = await talk.get("/orders/order-inv_1")
    assert set(answers) == {200}
    assert [receipt["outcome"] for receipt in summary["receipts"]].count("stored") == 1
    assert (summary["received"], order["fulfilled"]) == (20, 1)


async def test_two_receivers_on_one_database_book_once(database_url: str) -> None:
    """Two instances that get the same events at the same instant share one booking for each invoice."""
    events = [invoice_event(event_id=f"evt_{n}", invoice=f"inv_{n}") for n in range(10)]
    async with running(database=database_url) as (one, talk), running(database=database_url) as (two, talk_two):
        deliveries = [side.deliver(event) for event in events for side in (talk, talk_two)]
        answers = await asyncio.gather(*deliveries)
        await asyncio.gather(one.idle(), two.idle())
        orders = (await talk.get("/orders"))["orders"]
        received = (await talk_two.get("/received"))["received"]
    assert set(answers) == {200}
    assert [order["fulfilled"] for order in orders] == [1] * len(events)
    assert {(event["received"], event["applied"], event["effect"]) for event in received} == {(2, 1, "booked")}


async def test_late_older_events_do_not_undo_a_payment(database_url: str) -> None:
    """Events that come after the payment they preceded are acknowledged and ignored."""
    late = [("confirming", NOW - 60), ("underpaid_waiting", NOW - 30), ("expired", NOW + 60), ("confirming", NOW + 60)]
    async with running(database=database_url) as (receiver, talk):
        await talk.deliver(invoice_event("paid"))
        for number, (status, at) in enumerate(late):
            assert await talk.deliver(invoice_event(status, event_id=f"evt_late_{number}", at=at)) == 200
        await receiver.idle()
        order = await talk.get("/orders/order-inv_1")
    assert (order["status"], order["paid"], order["fulfilled"]) == ("paid", True, 1)
    assert [event["effect"] for event in order["events"]] == ["booked", *["old_news"] * 4]


async def test_a_copy_for_a_second_endpoint_books_nothing(database_url: str) -> None:
    """Another event id for the same invoice, or a later overpayment, does not book it again."""
    async with running(database=database_url) as (receiver, talk):
        await talk.deliver(invoice_event("paid"))
        await talk.deliver(invoice_event("paid", event_id="evt_2"))
        await talk.deliver(invoice_event("paid_over", event_id="evt_3"))
        await receiver.idle()
        order = await talk.get("/orders/order-inv_1")
    assert [event["effect"] for event in order["events"]] == ["booked", "old_news", "moved"]
    assert (order["status"], order["fulfilled"]) == ("paid_over", 1)


async def test_a_second_invoice_that_expires_leaves_a_paid_order_alone(database_url: str) -> None:
    """What happens to another invoice of a paid order says nothing about the order."""
    other = invoice_event("expired", event_id="evt_2", invoice="inv_2", at=NOW + 60)
    other["data"]["order"]["external_id"] = "order-inv_1"
    async with running(database=database_url) as (receiver, talk):
        await talk.deliver(invoice_event())
        await talk.deliver(other)
        await receiver.idle()
        order = await talk.get("/orders/order-inv_1")
    assert (order["status"], order["resource_id"], order["fulfilled"]) == ("paid", "inv_1", 1)
    assert len(order["events"]) == 2


async def test_withdrawals_and_deposits_are_applied_too(database_url: str) -> None:
    """Every kind of resource keeps its last state and is booked once, without making an order."""
    payout = {"withdrawal_id": "wdr_1", "external_order_id": "out-1", "status": "completed", "is_final": True}
    deposit = {"id": "pcd_1", "payment_channel_external_id": "customer-42", "status": "confirmed", "is_final": True}
    early = {**deposit, "status": "confirming", "is_final": False}
    events = [
        ("withdrawal.completed", payout),
        ("payment_channel.deposit.confirmed", deposit),
        ("payment_channel.deposit.confirming", early),
    ]
    async with running(database=database_url) as (receiver, talk):
        for number, (event_type, data) in enumerate(events):
            event = {**invoice_event(event_id=f"evt_{number}"), "event_type": event_type, "data": data}
            assert await talk.deliver(event) == 200
        await receiver.idle()
        resources = (await talk.get("/resources"))["resources"]
        orders = (await talk.get("/orders"))["orders"]
    assert [(shown["kind"], shown["status"], shown["booked_by"]) for shown in resources] == [
        ("deposit", "confirmed", "evt_1"),
        ("withdrawal", "completed", "evt_0"),
    ]
    assert orders == []


async def test_ids_that_differ_in_case_are_two_events(database_url: str) -> None:
    """Event ids are compared byte by byte."""
    async with running(database=database_url) as (receiver, talk):
        await talk.deliver(invoice_event(event_id="evt_abc"))
        await talk.deliver(invoice_event("paid_over", event_id="evt_ABC"))
        await receiver.idle()
        received = (await talk.get("/received"))["received"]
    assert [(event["event_id"], event["applied"]) for event in received] == [("evt_abc", 1), ("evt_ABC", 1)]


@pytest.mark.parametrize("event", [{"event_type": "invoice.novelty"}, {"data": {"invoice_id": "inv_1"}}])
async def test_what_it_does_not_understand_is_kept(event: dict[str, Any], database_url: str) -> None:
    """A genuine event of an unknown type or shape is acknowledged, noted, and moves nothing."""
    async with running(database=database_url) as (receiver, talk):
        assert await talk.deliver({**invoice_event(), **event}) == 200
        summary = await applied(receiver, talk)
        orders = (await talk.get("/orders"))["orders"]
    assert summary["effect"] in {"unknown_type", "unreadable"}
    assert orders == []


BODY = encode(invoice_event())
SPACED = BODY.replace(b":", b": ")


@pytest.mark.parametrize(
    ("body", "headers", "verdict"),
    [
        (BODY, {}, "signature_missing"),
        (BODY, {"X-Webhook-Signature": ""}, "signature_malformed"),
        (BODY, {"X-Webhook-Signature": f"t={NOW},t={NOW},v1={digest(BODY)}"}, "signature_malformed"),
        (BODY, sign(BODY, "whsec_of_somebody_else"), "signature_mismatch"),
        (SPACED, sign(BODY), "signature_mismatch"),
        (BODY, sign(BODY, stamp=NOW - 301), "timestamp_too_old"),
        (BODY, sign(BODY, stamp=NOW + 301), "timestamp_too_new"),
        (b"", {}, "signature_missing"),
    ],
)
async def test_a_bad_signature_is_answered_401(body: bytes, headers: dict[str, str], verdict: str) -> None:
    """Whatever is wrong with a signature: 401 with a reason, evidence kept, nothing stored."""
    async with running() as (receiver, talk):
        assert await talk.deliver(body, headers) == 401
        await receiver.idle()
        stats = await talk.get("/_stats")
    assert (stats["verdicts"], stats["outcomes"], stats["events"]) == ({verdict: 1}, {"refused": 1}, 0)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", encode({**invoice_event(), "version": 0}), encode({"event_id": "evt_1"})]
)
async def test_a_genuine_body_that_is_no_event_is_answered_400(body: bytes) -> None:
    """With a right signature a wrong body is 400, so that the sender keeps it."""
    async with running() as (_, talk):
        assert await talk.deliver(body) == 400
        assert await talk.deliver(invoice_event()) == 200


async def test_two_signature_headers_count_as_one_line() -> None:
    """A second header line with a second ``t`` is refused as two ``t`` in one line are."""
    async with running() as (_, talk):
        line = ("X-Webhook-Signature", f"t={NOW},v1={digest(BODY)}")
        async with talk.session.post(talk.url, data=BODY, headers=[line, line]) as answer:
            assert answer.status == 401
        split = [("X-Webhook-Signature", f"t={NOW}"), ("X-Webhook-Signature", f"v1={digest(BODY)}")]
        async with talk.session.post(talk.url, data=BODY, headers=split) as answer:
            assert answer.status == 200


async def test_the_signature_covers_the_bytes_of_the_wire() -> None:
    """A compressed body is verified as it came and not as it unpacks."""
    packed = gzip.compress(BODY)
    async with running() as (_, talk):
        assert await talk.deliver(packed, {**sign(BODY), "Content-Encoding": "gzip"}) == 401
        assert await talk.deliver(packed, {**sign(packed), "Content-Encoding": "gzip"}) == 400


async def test_an_oversized_body_is_refused() -> None:
    """More than 1 MiB is 413, noted, and the next event is fine."""
    async with running() as (_, talk):
        assert await talk.deliver(b"x" * (1024 * 1024 + 1)) == 413
        assert await talk.deliver(invoice_event()) == 200
        assert (await talk.get("/_stats"))["verdicts"] == {"body_too_large": 1, "valid": 1}


async def test_odd_header_bytes_are_no_trouble(database_url: str) -> None:
    """An id header that is no UTF-8 is kept as far as it can be."""
    async with running(database=database_url) as (_, talk):
        async with talk.raw(BODY, b"X-Webhook-Id: evt_\xff\xe9\r\n") as reader:
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        receipts = (await talk.get("/received/evt_1"))["receipts"]
    assert receipts[0]["header_id"].startswith("evt_")


async def test_a_failure_of_storage_is_answered_500_and_remembers_nothing(database_url: str) -> None:
    """While its table is away an event is answered 500; the sender's next attempt is stored and applied."""
    async with running(database=database_url) as (receiver, talk):
        administer(database_url, "ALTER TABLE webhook_delivery RENAME TO mislaid")
        answers = [await talk.deliver(invoice_event())]
        health = await talk.get("/healthz", status=503)
        administer(database_url, "ALTER TABLE mislaid RENAME TO webhook_delivery")
        answers.append(await talk.deliver(invoice_event()))
        summary = await applied(receiver, talk)
        stats = await talk.get("/_stats")
    assert answers == [500, 200]
    assert health["code"] == "storage_failed"
    assert (summary["received"], summary["accepted"], summary["applied"]) == (1, 1, 1)
    assert stats["storage_failures"] >= 2


async def test_a_failure_while_applying_is_made_good(database_url: str) -> None:
    """When the guard's table is away nothing is half applied, and once it is back the event is applied."""
    clock = StillClock()
    async with running(clock, database=database_url) as (receiver, talk):
        administer(database_url, "ALTER TABLE applications RENAME TO mislaid")
        assert await talk.deliver(invoice_event()) == 200
        await clock.until_asked()
        assert (await talk.get("/resources", status=500))["code"] == "storage_failed"
        assert (await talk.get("/orders"))["orders"] == []
        administer(database_url, "ALTER TABLE mislaid RENAME TO applications")
        clock.release()
        await receiver.idle()
        assert (await talk.get("/orders/order-inv_1"))["fulfilled"] == 1


def administer(database_url: str, statement: str) -> None:
    """Run a statement behind the receiver's back."""
    engine = create_engine(database_url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(text(statement))
    engine.dispose()


async def test_the_accepted_secrets_can_be_replaced() -> None:
    """A rotation: both secrets for a while, then only the new one; no answer shows any of them."""
    async with running() as (_, talk):
        answer = await talk.post("/_secrets", {"secrets": ["whsec_new", SECRET]})
        both = [await talk.deliver(invoice_event(), secret=secret) for secret in (SECRET, "whsec_new")]
        await talk.post("/_secrets", {"secrets": ["whsec_new"]})
        one = [await talk.deliver(invoice_event(), secret=secret) for secret in (SECRET, "whsec_new")]
        refusal = await talk.post("/_secrets", {"secrets": "whsec_new"}, status=400)
    assert (both, one) == ([200, 200], [401, 200])
    assert "whsec" not in f"{answer} {refusal}".replace("webhook secret", "")


async def test_a_reset_forgets_everything(database_url: str) -> None:
    """After a reset the same event is new."""
    async with running(database=database_url) as (receiver, talk):
        await talk.deliver(invoice_event())
        await receiver.idle()
        await talk.script(status=503)
        await talk.post("/_reset", status=204)
        empty = await talk.get("/_stats")
        assert await talk.deliver(invoice_event()) == 200
        summary = await applied(receiver, talk)
    assert (empty["received"], empty["events"], empty["booked"]) == (0, 0, 0)
    assert (summary["received"], summary["effect"]) == (1, "booked")


async def test_what_was_received_can_be_filtered() -> None:
    """By event, type and resource; a misspelt filter is an error and not an empty list."""
    async with running() as (_, talk):
        for number, status in enumerate(["confirming", "paid"]):
            await talk.deliver(invoice_event(status, event_id=f"evt_{number}", invoice=f"inv_{number}"))
        found = [
            [event["event_id"] for event in (await talk.get(f"/received?{query}"))["received"]]
            for query in ("event_id=evt_0", "event_type=invoice.paid", "resource_id=inv_1", "resource_id=inv_9")
        ]
        refusal = await talk.get("/received?event=evt_0", status=400)
    assert found == [["evt_0"], ["evt_1"], ["evt_1"], []]
    assert "'event' is not a filter" in refusal["detail"]


async def test_names_of_every_kind_can_be_asked_for(database_url: str) -> None:
    """A slash in an order's id is part of it; a NUL is in nobody's id, and asking for it is no failure."""
    async with running(database=database_url) as (receiver, talk):
        event = invoice_event()
        event["data"]["order"]["external_id"] = "shop/№ 1"
        await talk.deliver(event)
        await receiver.idle()
        assert (await talk.get("/orders/shop%2F%E2%84%96%201"))["fulfilled"] == 1
        for path in ("/orders/%00", "/received/%00"):
            assert (await talk.get(path, status=404))["code"] == "not_found"
        await talk.get("/received?event_id=%00", status=400)


@pytest.mark.parametrize(
    ("path", "status"), [("/orders/none", 404), ("/received/none", 404), ("/none", 404), ("/webhook", 405)]
)
async def test_errors_are_problem_documents(path: str, status: int) -> None:
    """What is not there, and a GET of the webhook, is answered as RFC 9457 has it."""
    async with running() as (_, talk):
        problem = await talk.get(path, status=status)
        assert (problem["status"], set(problem)) == (status, {"type", "title", "status", "detail", "code"})


@pytest.mark.parametrize("document", [None, [], {"statsu": 503}])
async def test_a_wrong_script_is_answered_400(document: object) -> None:
    """A script that cannot be read is refused and not queued."""
    async with running() as (_, talk):
        await talk.post("/_script", document, status=400)
        assert (await talk.get("/_script"))["scripts"] == []
