"""Scripted answers on real sockets: every status and every fault, as a sender sees it and as the ledger tells it."""

from __future__ import annotations

import asyncio
import errno
from typing import Any

import aiohttp
import pytest

from receiver_fixture.clock import SECOND
from tests.receiver import PATIENCE, StillClock, encode, invoice_event, running, sign

BODY = encode(invoice_event())


@pytest.mark.parametrize("status", [200, 202, 204, 299, 301, 304, 400, 404, 409, 410, 429, 500, 503, 599])
async def test_any_status_can_be_scripted(status: int) -> None:
    """The status is answered as scripted, and only a success is applied."""
    async with running() as (receiver, talk):
        await talk.script(status=status)
        assert await talk.deliver(invoice_event()) == status
        await receiver.idle()
        received = await talk.get("/received/evt_1")
    succeeds = status < 300
    assert received["answered"] == [status]
    assert (received["accepted"], received["applied"]) == (int(succeeds), int(succeeds))


async def test_a_receiver_that_comes_back_applies_the_next_attempt() -> None:
    """After its scripted refusals the event is accepted and applied once."""
    async with running() as (receiver, talk):
        await talk.script(status=503, times=3)
        answers = [await talk.deliver(invoice_event()) for _ in range(4)]
        await receiver.idle()
        received = await talk.get("/received/evt_1")
        scripts = (await talk.get("/_script"))["scripts"]
    assert answers == [503, 503, 503, 200]
    assert (received["received"], received["accepted"], received["applied"]) == (4, 1, 1)
    assert received["answered"] == answers
    assert scripts[0]["used"] == 3


async def test_a_success_that_was_not_processed_is_lost() -> None:
    """A scripted 200 without processing is the receiver that acknowledges and forgets."""
    async with running() as (receiver, talk):
        await talk.script(status=200, process=False)
        assert await talk.deliver(invoice_event()) == 200
        await receiver.idle()
        received = await talk.get("/received/evt_1")
        await talk.get("/orders/order-inv_1", status=404)
    assert (received["received"], received["accepted"]) == (1, 0)


async def test_a_refusal_can_come_after_the_work() -> None:
    """With ``process`` the event is applied although the sender hears 500."""
    async with running() as (receiver, talk):
        await talk.script(status=500, process=True)
        assert await talk.deliver(invoice_event()) == 500
        await receiver.idle()
        assert (await talk.get("/orders/order-inv_1"))["fulfilled"] == 1


async def test_scripts_pick_events_and_attempts(database_url: str) -> None:
    """By type and id, and from the n-th request for an event on, each event counted by itself."""
    async with running(database=database_url) as (_, talk):
        await talk.script(status=500, event_type="invoice.confirming")
        await talk.script(status=502, event_id="evt_2")
        await talk.script(status=503, attempt_from=3)
        first = [await talk.deliver(invoice_event("confirming", event_id="evt_0"))]
        first += [await talk.deliver(invoice_event(event_id="evt_2"))]
        third = [await talk.deliver(invoice_event(event_id="evt_3")) for _ in range(4)]
        other = await talk.deliver(invoice_event(event_id="evt_4"))
    assert (first, third, other) == ([500, 502], [200, 200, 503, 503], 200)


async def test_taking_the_scripts_away_ends_them() -> None:
    """After ``DELETE /_script`` deliveries are handled as usual."""
    async with running() as (_, talk):
        await talk.script(status=503)
        refused = await talk.deliver(invoice_event())
        await talk.delete("/_script")
        assert (refused, await talk.deliver(invoice_event())) == (503, 200)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("reset", aiohttp.ClientOSError),
        ("reset_peer", aiohttp.ClientOSError),
        ("close", aiohttp.ServerDisconnectedError),
    ],
)
async def test_a_connection_can_be_broken_off(fault: str, error: type[Exception]) -> None:
    """``reset`` ends in RST and ``close`` in FIN, both without a byte of an answer, and nothing is applied."""
    async with running() as (receiver, talk):
        await talk.script(fault=fault, times=1)
        with pytest.raises(error) as failure:
            await talk.deliver(invoice_event())
        assert getattr(failure.value, "errno", None) == (None if fault == "close" else errno.ECONNRESET)
        assert await talk.deliver(invoice_event()) == 200
        await receiver.idle()
        received = await talk.get("/received/evt_1")
    assert received["answered"] == [None, 200]
    assert [receipt["outcome"] for receipt in received["receipts"]] == ["skipped", "stored"]


async def test_an_answer_can_be_lost_after_the_work() -> None:
    """``reset`` with ``process``: the receiver has it, the sender cannot know, and the repetition is absorbed."""
    async with running() as (receiver, talk):
        await talk.script(fault="reset", process=True, times=1)
        with pytest.raises(aiohttp.ClientOSError):
            await talk.deliver(invoice_event())
        assert await talk.deliver(invoice_event()) == 200
        await receiver.idle()
        received = await talk.get("/received/evt_1")
        order = await talk.get("/orders/order-inv_1")
    assert [receipt["outcome"] for receipt in received["receipts"]] == ["stored", "duplicate"]
    assert order["fulfilled"] == 1


async def test_garbage_is_no_http() -> None:
    """What comes back is not HTTP, and then the connection ends."""
    async with running() as (_, talk):
        await talk.script(fault="garbage", times=1)
        async with talk.raw(BODY) as reader:
            answer = await asyncio.wait_for(reader.read(), PATIENCE)
    assert answer
    assert not answer.startswith(b"HTTP/")


async def test_a_timeout_hangs_until_its_script_is_taken_away() -> None:
    """No byte comes while the script is there; when it goes the connection ends, still without an answer."""
    async with running() as (_, talk):
        await talk.script(fault="timeout", event_id="evt_1")
        async with talk.raw(BODY) as reader:
            assert await talk.deliver(invoice_event(event_id="evt_2")) == 200
            waiting = asyncio.create_task(reader.read())
            assert (await talk.get("/received/evt_1"))["answered"] == [None]
            assert not waiting.done()
            await talk.delete("/_script")
            assert await asyncio.wait_for(waiting, PATIENCE) == b""


async def test_a_redirect_points_back_at_the_webhook() -> None:
    """A client that follows it shows up as a second request for the same event."""
    async with running() as (_, talk):
        await talk.script(fault="redirect", times=1)
        async with talk.session.post(talk.url, data=BODY, headers=sign(BODY), allow_redirects=True) as answer:
            assert answer.status == 200
        received = await talk.get("/received/evt_1")
    assert received["answered"] == [307, 200]


async def test_a_huge_body_comes_whole() -> None:
    """The status comes first and ten megabytes after it; a client that has enough of it may leave."""
    async with running() as (receiver, talk):
        await talk.script(fault="huge_body", times=2)
        async with talk.session.post(talk.url, data=BODY, headers=sign(BODY)) as answer:
            assert (answer.status, len(await answer.read())) == (200, 10 * 1024 * 1024)
        async with talk.session.post(talk.url, data=BODY, headers=sign(BODY)) as answer:
            answer.close()
        await receiver.idle()
        assert (await talk.get("/received/evt_1"))["answered"] == [200, 200]


async def test_a_slow_close_answers_first_and_ends_later() -> None:
    """The answer is complete at once, its end only comes when the connection closes."""
    clock = StillClock()
    async with running(clock) as (_, talk):
        await talk.script(fault="slow_close", delay="7s")
        async with talk.raw(BODY) as reader:
            head = await asyncio.wait_for(reader.readuntil(b"scripted\n"), PATIENCE)
            await clock.until_asked()
            assert not reader.at_eof()
            clock.release()
            assert await asyncio.wait_for(reader.read(), PATIENCE) == b""
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert clock.asked == [7 * SECOND]


async def test_a_delayed_answer_is_written_down_when_it_is_given() -> None:
    """The event is handled first, then the delay passes, and only then is there an answer."""
    clock = StillClock()
    async with running(clock) as (receiver, talk):
        await talk.script(delay="10s", times=1)
        delivery = asyncio.create_task(talk.deliver(invoice_event()))
        await clock.until_asked()
        await receiver.idle()
        before = await talk.get("/received/evt_1")
        clock.release()
        status = await delivery
        after = await talk.get("/received/evt_1")
    assert (before["applied"], before["answered"]) == (1, [None])
    assert (status, after["answered"]) == (200, [200])
    assert clock.asked == [10 * SECOND]


async def test_an_answer_nobody_waited_for_was_not_given(database_url: str) -> None:
    """When the client leaves during the delay the event is kept and no answer is claimed."""
    clock = StillClock()
    async with running(clock, database=database_url) as (receiver, talk):
        await talk.script(delay="20s", times=1)
        delivery = asyncio.create_task(talk.deliver(invoice_event()))
        await clock.until_asked()
        delivery.cancel()
        await asyncio.wait({delivery})
        assert await talk.deliver(invoice_event()) == 200
        clock.release()
        await receiver.idle()
        received = await talk.get("/received/evt_1")
    assert received["answered"] == [None, 200]
    assert (received["accepted"], received["applied"]) == (2, 1)


async def test_stopping_does_not_wait_for_slow_answers() -> None:
    """Requests that hang or wait are let go when the receiver stops."""
    clock = StillClock()
    hanging: list[asyncio.Task[Any]] = []
    async with running(clock) as (_, talk):
        await talk.script(fault="timeout", event_id="evt_1")
        await talk.script(delay="1h", event_id="evt_2")
        events = [invoice_event(), invoice_event(event_id="evt_2")]
        hanging += [asyncio.create_task(talk.deliver(event)) for event in events]
        await clock.until_asked()
    failures = await asyncio.gather(*hanging, return_exceptions=True)
    assert all(isinstance(failure, aiohttp.ClientError) for failure in failures)
