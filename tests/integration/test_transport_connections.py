"""Which connection a request goes over, and what is left when the transport is gone."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

import pytest

from sender.clock import Clock
from sender.durations import SECOND
from sender.transport import Outgoing
from sender.transport.client import Transport
from sender.transport.pool import IDLE_LIMIT
from tests.integration.hostile import (
    BODY,
    HEADERS,
    OK,
    PATIENCE,
    PLENTY,
    Caller,
    answering,
    hostile,
    obliging,
    on_each_loop,
    patient,
    send,
    transport,
)

__all__ = ["patient"]

if TYPE_CHECKING:
    from sender.transport import Answer
    from tests.integration.hostile import Script


def dropping_idle(seconds: float) -> Script:
    """Return a script that answers requests and drops the connection when none has come for a while, unannounced."""

    async def script(caller: Caller) -> None:
        while not await caller.idle_for(seconds):
            await caller.request()
            await caller.say(OK)

    return script


@pytest.mark.usefixtures("patient")
@on_each_loop
async def test_a_burst_shares_connections() -> None:
    """Requests that follow each other closely go over the connections that are there."""
    async with hostile(obliging) as receiver, transport() as sender:
        for _ in range(20):
            await asyncio.gather(*[send(sender, receiver.url, PLENTY) for _ in range(8)])
    assert len(receiver.requests) == 160
    assert receiver.connections < 40


@on_each_loop
async def test_an_idle_connection_is_closed() -> None:
    """A connection that has rested longer than a burst lasts is not kept for later."""
    async with hostile(obliging) as receiver, transport() as sender:
        await send(sender, receiver.url, PLENTY)
        await receiver.everybody_gone()
        await send(sender, receiver.url, PLENTY)
    assert receiver.connections == 2


@on_each_loop
async def test_no_attempt_is_lost_to_an_idle_drop() -> None:
    """Three hundred events to a receiver that drops idle connections after 50 ms, spaced around that: all arrive.

    On a machine that itself stood still for nearly as long, 50 ms mean nothing, and the story is told again.
    """
    for _ in range(5):
        lost, stood_still = await _three_hundred_events()
        if not (lost and stood_still > 0.02):
            break
    assert lost == []


async def _three_hundred_events() -> tuple[list[Answer], float]:
    """Send them; return those that did not arrive, and for how long the event loop stood still at most."""
    around, clock, answers, gaps = random.Random(12), Clock(), [], [0.0]

    async def lane() -> None:
        for _ in range(20):
            answers.append(await send(sender, receiver.url, PLENTY))
            pause = around.choice([0, 0.005, IDLE_LIMIT / SECOND, 0.03, 0.049, 0.05, 0.06])
            await clock.wait(asyncio.Event().wait(), pause)

    async def pulse() -> None:
        while True:
            before = clock.monotonic()
            await clock.wait(asyncio.Event().wait(), 0.005)
            gaps.append((clock.monotonic() - before) / SECOND - 0.005)

    async with hostile(dropping_idle(0.05)) as receiver, transport() as sender:
        feeling = asyncio.create_task(pulse())
        await asyncio.gather(*[lane() for _ in range(15)])
        feeling.cancel()
    assert len(answers) == 300
    return [answer for answer in answers if answer.status != 204], max(gaps)


@on_each_loop
async def test_no_attempt_is_lost_to_an_unannounced_close() -> None:
    """A receiver that closes after each answer without a word costs no attempt, however fast the next event follows."""

    async def close_after_one(caller: Caller) -> None:
        await caller.request()
        await caller.say(OK)

    async with hostile(close_after_one) as receiver, transport() as sender:
        answers = [await send(sender, receiver.url, PLENTY) for _ in range(100)]
    assert {answer.status for answer in answers} == {204}
    assert receiver.connections == len(receiver.requests) == 100


@pytest.mark.usefixtures("patient")
@on_each_loop
async def test_a_peer_that_drops_early_is_not_trusted_again() -> None:
    """Once a receiver has dropped a connection that was kept, each of its requests gets a new one."""
    dropped = asyncio.Event()

    async def close_once(caller: Caller) -> None:
        await caller.request()
        await caller.say(OK)
        if dropped.is_set():
            await obliging(caller)

    async with hostile(close_once) as receiver, transport() as sender:
        for _ in range(2):
            await send(sender, receiver.url, PLENTY)
        dropped.set()
        for _ in range(5):
            await send(sender, receiver.url, PLENTY)
    assert receiver.connections == len(receiver.requests) == 7


@pytest.mark.usefixtures("patient")
@on_each_loop
async def test_a_broken_promise_costs_one_attempt() -> None:
    """A receiver that keeps its connections open and never answers on one again is found out by a single attempt."""

    async def answer_once(caller: Caller) -> None:
        await caller.request()
        await caller.say(OK)
        await caller.idle_for(0.02)

    async with hostile(answer_once) as receiver, transport() as sender:
        answers = []
        for _ in range(5):
            answers += await asyncio.gather(*[send(sender, receiver.url, PLENTY) for _ in range(16)])
    assert [answer.status for answer in answers].count(204) >= len(answers) - 1
    assert {answer.reason for answer in answers} <= {None, "reset", "closed"}


@pytest.mark.parametrize("more", [OK, b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n", b"\x00"])
@on_each_loop
async def test_what_nobody_asked_for_is_no_answer(more: bytes) -> None:
    """Whatever comes over a connection between two requests ends it; the next request does not take it for its own."""
    said = asyncio.Event()

    async def say_more(caller: Caller) -> None:
        await caller.request()
        await caller.say(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        await caller.gone_within(0)
        await caller.say(more)
        said.set()
        await caller.gone()

    async with hostile(say_more) as receiver, transport() as sender:
        first = await send(sender, receiver.url, PLENTY)
        await said.wait()
        second = await send(sender, receiver.url, PLENTY)
    assert [first.status, second.status] == [200, 200]
    assert receiver.connections == 2


@pytest.mark.parametrize("announced", [b"HTTP/1.1 200 OK\r\nConnection: close", b"HTTP/1.0 200 OK"])
@on_each_loop
async def test_an_announced_close_is_respected(announced: bytes) -> None:
    """After ``Connection: close`` and after an HTTP/1.0 answer the connection is not used again."""
    async with hostile(answering(announced + b"\r\nContent-Length: 0\r\n\r\n")) as receiver, transport() as sender:
        for _ in range(3):
            assert (await send(sender, receiver.url, PLENTY)).status == 200
    assert receiver.connections == 3


@pytest.mark.usefixtures("patient")
@on_each_loop
async def test_a_post_is_never_sent_again() -> None:
    """A kept connection that breaks after the next request was sent costs that attempt: it goes over the wire once."""

    async def answer_one(caller: Caller) -> None:
        await caller.request()
        await caller.say(OK)
        await caller.request()

    async with hostile(answer_one) as receiver, transport() as sender:
        first = await send(sender, receiver.url, PLENTY)
        second = await send(sender, receiver.url, PLENTY)
    assert (first.status, second.reason) == (204, "closed")
    assert receiver.connections == 1
    assert len(receiver.requests) == 2


@on_each_loop
async def test_abandon_drops_everything_at_once() -> None:
    """After ``abandon`` every connection is gone, idle or in use, and nothing is left to complain about."""

    async def answer_one(caller: Caller) -> None:
        await caller.request()
        if len(receiver.requests) == 1:
            await caller.say(OK)
        asked.set()
        await caller.gone()

    async with hostile(answer_one) as receiver:
        asked = asyncio.Event()
        sender = Transport(Clock())
        await send(sender, receiver.url, PLENTY)
        asked.clear()
        hanging = [
            asyncio.create_task(sender.send(Outgoing(receiver.url, HEADERS, BODY), PATIENCE * SECOND)) for _ in range(2)
        ]
        await asked.wait()
        sender.abandon()
        await receiver.everybody_gone()
        answers = await asyncio.gather(*hanging)
    assert {answer.reason for answer in answers} == {"closed"}


@on_each_loop
async def test_a_cancelled_send_hangs_up() -> None:
    """When whoever sends is cancelled, the connection goes with it."""
    asked = asyncio.Event()

    async def silent(caller: Caller) -> None:
        await caller.request()
        asked.set()
        await caller.gone()

    async with hostile(silent) as receiver, transport() as sender:
        sending = asyncio.create_task(sender.send(Outgoing(receiver.url, HEADERS, BODY), PATIENCE * SECOND))
        await asked.wait()
        sending.cancel()
        await asyncio.wait([sending])
        assert sending.cancelled()
        await receiver.everybody_gone()


@on_each_loop
async def test_closing_what_was_never_used_is_nothing() -> None:
    """A transport that sent nothing has nothing to close."""
    unused = Transport(Clock())
    unused.abandon()
    await unused.close()
