"""Every way in which a receiver can answer, or fail to: one documented outcome each, within the timeout."""

from __future__ import annotations

import asyncio

import pytest

from sender.durations import MILLISECOND, SECOND
from tests.integration.hostile import (
    PATIENCE,
    PLENTY,
    TIMEOUT,
    Caller,
    answering,
    hostile,
    obliging,
    on_each_loop,
    send,
    transport,
)
from tests.integration.hostile_cases import CASES, KILOBYTE, MEGABYTE


@pytest.mark.parametrize("name", CASES)
@on_each_loop
async def test_outcome(name: str) -> None:
    """Each thing that a receiver can do has its one outcome, in time, after one request, and harms no neighbour."""
    case = CASES[name]
    timeout = TIMEOUT if "waits" in case.marks else PLENTY
    async with hostile(case.script) as receiver, hostile(obliging) as neighbour, transport() as sender:
        answer, beside = await asyncio.gather(
            send(sender, receiver.url, timeout, body=case.body), send(sender, neighbour.url, PLENTY)
        )
        expected = case.outcome if isinstance(case.outcome, tuple) else (case.outcome,)
        assert (answer.status or answer.reason) in expected, answer
        assert (answer.status is None) != (answer.reason is None)
        assert answer.cut == ("cut" in case.marks), answer
        assert case.says in answer.detail
        assert f"127.0.0.1:{receiver.port}" in answer.detail
        assert beside.status == 204
        assert receiver.connections == 1
        assert len(receiver.requests) <= 1
        waited = answer.elapsed > timeout - 5 * MILLISECOND  # uvloop counts in whole milliseconds
        assert waited == ("waits" in case.marks)
        assert answer.elapsed < PATIENCE * SECOND


@on_each_loop
async def test_a_whole_body_is_kept() -> None:
    """What a receiver says in a body of up to 64 KiB is kept as it came, with its headers."""
    script = answering(b"HTTP/1.1 400 No\r\nContent-Type: text/plain\r\nContent-Length: 65536\r\n\r\n", KILOBYTE * 64)
    async with hostile(script) as receiver, transport() as sender:
        answer = await send(sender, receiver.url, PLENTY)
    assert answer.body == KILOBYTE * 64
    assert answer.headers == (("Content-Type", "text/plain"), ("Content-Length", "65536"))
    assert not answer.cut


@on_each_loop
async def test_a_long_body_is_cut() -> None:
    """One byte more than 64 KiB is cut off and marked."""
    script = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n" + KILOBYTE * 64 + b"y")
    async with hostile(script) as receiver, transport() as sender:
        answer = await send(sender, receiver.url, PLENTY)
    assert (answer.body, answer.cut) == (KILOBYTE * 64, True)


@on_each_loop
async def test_what_is_kept_is_fit_to_store() -> None:
    """Bytes of an answer that are no text, and control characters, are replaced before anybody stores or shows them."""
    async with hostile(CASES["not ASCII"].script) as receiver, transport() as sender:
        answer = await send(sender, receiver.url, PLENTY)
    assert answer.headers[0] == ("X-Odd", "ü\ufffd\ufffd[2J")
    assert "".join(name + value for name, value in answer.headers).isprintable()


@pytest.mark.parametrize("status", [200, 204, 205, 226, 299, 300, 304, 399, 400, 410, 429, 500, 599, 600, 999])
@on_each_loop
async def test_every_status_is_told_as_it_is(status: int) -> None:
    """Any status of three digits comes back as it is; what it means is for the provider's profile."""
    script = answering(f"HTTP/1.1 {status} Odd\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n".encode())
    async with hostile(script) as receiver, transport() as sender:
        answer = await send(sender, receiver.url, PLENTY)
    assert (answer.status, answer.reason) == (status, None)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@on_each_loop
async def test_redirects_are_not_followed(status: int) -> None:
    """A 3xx is the outcome, with its Location shown, and the other address is never called."""
    async with hostile(obliging) as final, transport() as sender:
        there = f"http://127.0.0.1:{final.port}/final"
        script = answering(f"HTTP/1.1 {status} Moved\r\nLocation: {there}\r\nContent-Length: 0\r\n\r\n".encode())
        async with hostile(script) as receiver:
            answer = await send(sender, receiver.url, PLENTY)
        assert answer.status == status
        assert ("Location", there) in answer.headers
        assert answer.detail.endswith(f"answered {status} to {there}, which is not followed")
        assert final.connections == 0


@pytest.mark.parametrize("name", ["endless body", "body never ends", "endless header", "silence", "head drips"])
@on_each_loop
async def test_an_unfinished_exchange_hangs_up(name: str) -> None:
    """After an answer that was not read to its end, or never came, the connection is dropped, not drained."""
    async with hostile(CASES[name].script) as receiver, transport() as sender:
        await send(sender, receiver.url)
        await receiver.everybody_gone()


@on_each_loop
async def test_a_request_that_nobody_takes_is_dropped() -> None:
    """What a receiver did not take within the timeout is not kept to be sent later: it never arrives."""
    given_up = asyncio.Event()
    arrived: list[int] = []

    async def read_too_late(caller: Caller) -> None:
        await caller.head()
        await given_up.wait()
        arrived.append(await caller.gone())

    async with hostile(read_too_late) as receiver, transport() as sender:
        answer = await send(sender, receiver.url, body=MEGABYTE * 32)
        given_up.set()
        await receiver.everybody_gone()
    assert answer.reason == "timeout"
    assert arrived[0] < len(MEGABYTE * 16)
