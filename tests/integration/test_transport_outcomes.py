"""Every way in which a receiver can answer, or fail to: one documented outcome each, within the timeout."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from sender.durations import MILLISECOND, SECOND
from tests.integration.hostile import TIMEOUT, Caller, answering, hostile, obliging, on_each_loop, send, transport

if TYPE_CHECKING:
    from tests.integration.hostile import Script

KILOBYTE = b"x" * 1024
MEGABYTE = b"x" * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Case:
    """What a receiver does, and the outcome: a status, a reason word, or one of several where the system decides.

    Marks: ``cut`` when not all of the answer is kept, ``waits`` when the exchange runs into its timeout.
    """

    script: Script
    outcome: int | str | tuple[str, ...]
    marks: str = ""
    body: bytes = field(default=b"{}", repr=False)
    says: str = ""


def ends(*parts: bytes) -> Script:
    """Return a script that reads a request, sends these parts and closes in an orderly way."""

    async def script(caller: Caller) -> None:
        await caller.request()
        await caller.say(*parts)

    return script


def resets(*parts: bytes) -> Script:
    """Return a script that reads a request, sends these parts and resets the connection once they are read."""

    async def script(caller: Caller) -> None:
        await caller.request()
        await caller.say(*parts)
        await caller.gone_within(0.05)
        caller.reset()

    return script


def floods(head: bytes, data: bytes) -> Script:
    """Return a script that reads a request, sends a head and then the same bytes without end, at full speed."""

    async def script(caller: Caller) -> None:
        await caller.request()
        await caller.say(head)
        await caller.flood(data)

    return script


def drips(head: bytes, data: bytes) -> Script:
    """Return a script that reads a request, sends a head and then single bytes, one every 10 ms, until hung up on."""

    async def script(caller: Caller) -> None:
        await caller.request()
        await caller.say(head)
        while not await caller.gone_within(0.01):
            await caller.say(data)

    return script


async def reset_at_once(caller: Caller) -> None:
    """Reset the connection before anything was read."""
    caller.reset()


async def close_unread(caller: Caller) -> None:
    """Close the connection while the request lies in it."""
    await caller.gone_within(0.05)


async def half_close_in_silence(caller: Caller) -> None:
    """Read the request and end our direction without a word."""
    await caller.request()
    caller.half_close()
    await caller.gone()


async def half_close_after_answer(caller: Caller) -> None:
    """Answer without a length and end our direction only."""
    await caller.request()
    await caller.say(b"HTTP/1.1 200 OK\r\n\r\nfine")
    caller.half_close()
    await caller.gone()


async def speak_first(caller: Caller) -> None:
    """Answer before the request came."""
    await caller.say(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    await caller.gone()


async def answer_after_the_head(caller: Caller) -> None:
    """Answer as soon as the head is there, and never read the body."""
    await caller.head()
    await caller.say(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
    await asyncio.Event().wait()


async def read_the_head_only(caller: Caller) -> None:
    """Never read the body, never answer."""
    await caller.head()
    await asyncio.Event().wait()


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
LONG = b"HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n"
EMPTY = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

ANSWERED = {
    "plain": Case(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), 200),
    "in many packets": Case(answering(*[bytes([one]) for one in EMPTY]), 200),
    "HTTP/1.0": Case(ends(b"HTTP/1.0 200 OK\r\n\r\nfine"), 200),
    "no reason phrase": Case(answering(b"HTTP/1.1 204\r\n\r\n"), 204),
    "no headers": Case(ends(b"HTTP/1.1 500 No\r\n\r\n"), 500),
    "bare line feeds": Case(answering(b"HTTP/1.1 200 OK\nContent-Length: 0\n\n"), 200),
    "100 first": Case(answering(b"HTTP/1.1 100 Continue\r\n\r\n" + EMPTY), 200),
    "two 103 first": Case(answering(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 2, EMPTY), 200),
    "100 before 500": Case(answering(b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 500 No\r\n\r\n"), 500, "cut waits"),
    "101 is final": Case(answering(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), 101),
    "speaks first": Case(speak_first, 200),
    "half-closed after it": Case(half_close_after_answer, 200),
    "body on a 204": Case(answering(b"HTTP/1.1 204 No\r\nContent-Length: 4\r\n\r\nbody"), 204, "cut"),
    "cookies": Case(answering(b"HTTP/1.1 204 No\r\nSet-Cookie: a=b\r\nSet-Cookie: \xff;=;\r\n\r\n"), 204),
    "not ASCII": Case(
        answering(b"HTTP/1.1 200 \xc3\xbc\xff\r\nX-Odd: \xc3\xbc\xff\x1b[2J\r\nContent-Length: 0\r\n\r\n"), 200
    ),
    "long headers": Case(
        answering(b"HTTP/1.1 200 OK\r\nX: " + KILOBYTE * 64 + b"\r\nContent-Length: 0\r\n\r\n"), 200, "cut"
    ),
    "many headers": Case(
        answering(b"HTTP/1.1 200 OK\r\n" + b"X-Header: 0123456789\r\n" * 3000 + b"Content-Length: 0\r\n\r\n"),
        200,
        "cut",
    ),
    "before the body was read": Case(answer_after_the_head, 413, body=MEGABYTE * 8),
    # From here on the status is known and the body is at fault.
    "body never ends": Case(answering(CHUNKED + b"2\r\nok\r\n"), 200, "cut waits"),
    "body never comes": Case(answering(LONG), 200, "cut waits"),
    "body drips": Case(drips(LONG, b"x"), 200, "cut waits"),
    "endless body": Case(floods(b"HTTP/1.1 200 OK\r\n\r\n", MEGABYTE), 200, "cut"),
    "endless body of a 500": Case(floods(b"HTTP/1.1 500 No\r\n\r\n", MEGABYTE), 500, "cut"),
    "endless chunks": Case(floods(CHUNKED, b"a\r\n0123456789\r\n" * 1000), 200, "cut"),
    "five gigabytes": Case(floods(LONG, MEGABYTE), 200, "cut"),
    "bad chunk behind the head": Case(answering(CHUNKED + b"2\r\nok\r\nzz\r\n"), 200, "cut"),
    "bad chunk later": Case(answering(CHUNKED, b"2\r\nok\r\n", b"zz\r\n"), 200, "cut"),
    "bad chunk behind a 100": Case(answering(b"HTTP/1.1 100 Continue\r\n\r\n", CHUNKED + b"zz\r\n"), 200, "cut"),
    "closed in the body": Case(ends(LONG + b"ok"), 200, "cut"),
    "reset in the body": Case(resets(LONG + b"ok"), 200, "cut"),
    "garbage behind it": Case(answering(EMPTY + b"\x00garbage\r\n"), 200, "cut"),
    "a second answer behind it": Case(answering(EMPTY + b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"), 200),
    "more than its length": Case(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nok"), 200, "cut"),
    "not gzip": Case(answering(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok"), 200),
}

UNANSWERED = {
    "silence": Case(answering(), "timeout", "waits", says="did not answer within 400ms"),
    "head never ends": Case(answering(b"HTTP/1.1 200 OK\r\n"), "timeout", "waits", says="finish the head"),
    "head drips": Case(drips(b"HTTP/1.1 200 OK\r\nX: ", b"x"), "timeout", "waits"),
    "only 100": Case(answering(b"HTTP/1.1 100 Continue\r\n\r\n"), "timeout", "waits"),
    "does not take the body": Case(read_the_head_only, "timeout", "waits", body=MEGABYTE * 8, says="did not take"),
    "closed": Case(ends(), "closed", says="without an answer"),
    "closed after HTT": Case(ends(b"HTT"), "closed", says="in the middle of the head"),
    "closed in the head": Case(ends(b"HTTP/1.1 200 OK\r\nContent-Le"), "closed"),
    "closed after 100": Case(ends(b"HTTP/1.1 100 Continue\r\n\r\n"), "closed"),
    "half-closed": Case(half_close_in_silence, "closed"),
    "closed unread": Case(close_unread, ("reset", "closed")),
    "reset": Case(resets(), "reset", says="reset the connection without an answer"),
    "reset in the head": Case(resets(b"HTTP/1.1 200 OK\r\n"), "reset", says="in the middle of the head"),
    "reset at once": Case(reset_at_once, ("reset", "closed")),
    "garbage": Case(answering(b"garbage\r\n\r\n"), "protocol", says="did not answer in HTTP"),
    "another protocol": Case(answering(b"SSH-2.0-OpenSSH_9.2\r\n"), "protocol"),
    "TLS": Case(answering(b"\x15\x03\x03\x00\x02\x02\x32"), "protocol"),
    "unknown version": Case(answering(b"HTTP/7.3 200 OK\r\n\r\n"), "protocol"),
    "status of letters": Case(answering(b"HTTP/1.1 2OO OK\r\n\r\n"), "protocol"),
    "status of two digits": Case(answering(b"HTTP/1.1 20 OK\r\n\r\n"), "protocol"),
    "status of four digits": Case(answering(b"HTTP/1.1 2000 OK\r\n\r\n"), "protocol"),
    "status zero": Case(
        answering(b"HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n"), "protocol", says="its status is 000"
    ),
    "NUL in a header": Case(answering(b"HTTP/1.1 200 OK\r\nX: a\x00b\r\nContent-Length: 0\r\n\r\n"), "protocol"),
    "not ASCII in a name": Case(answering(b"HTTP/1.1 200 OK\r\nX-\xc3\xbc: y\r\n\r\n"), "protocol"),
    "two lengths": Case(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok"), "protocol"),
    "negative length": Case(answering(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), "protocol"),
    "endless header": Case(floods(b"HTTP/1.1 200 OK\r\nX: ", MEGABYTE), "protocol"),
    "endless headers": Case(floods(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 1000), "protocol"),
    "endless 200-byte headers": Case(
        floods(b"HTTP/1.1 200 OK\r\n", b"X: " + b"y" * 195 + b"\r\n"), "protocol", says="longer"
    ),
    "endless 103": Case(floods(b"", b"HTTP/1.1 103 Hints\r\nX: " + KILOBYTE + b"\r\n\r\n"), "protocol"),
    "endless status line": Case(floods(b"HTTP/1.1 200 ", MEGABYTE), "protocol"),
}

CASES = ANSWERED | UNANSWERED


@pytest.mark.parametrize("name", CASES)
@on_each_loop
async def test_outcome(name: str) -> None:
    """Each thing that a receiver can do has its one outcome, in time, after one request, and harms no neighbour."""
    case = CASES[name]
    async with hostile(case.script) as receiver, hostile(obliging) as neighbour, transport() as sender:
        answer, beside = await asyncio.gather(
            send(sender, receiver.url, body=case.body), send(sender, neighbour.url, SECOND)
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
        waited = answer.elapsed > TIMEOUT - 5 * MILLISECOND  # uvloop counts in whole milliseconds
        assert waited == ("waits" in case.marks)
        assert answer.elapsed < TIMEOUT + 300 * MILLISECOND


@on_each_loop
async def test_a_whole_body_is_kept() -> None:
    """What a receiver says in a body of up to 64 KiB is kept as it came, with its headers."""
    script = answering(b"HTTP/1.1 400 No\r\nContent-Type: text/plain\r\nContent-Length: 65536\r\n\r\n", KILOBYTE * 64)
    async with hostile(script) as receiver, transport() as sender:
        answer = await send(sender, receiver.url, SECOND)
    assert answer.body == KILOBYTE * 64
    assert answer.headers == (("Content-Type", "text/plain"), ("Content-Length", "65536"))
    assert not answer.cut


@on_each_loop
async def test_a_long_body_is_cut() -> None:
    """One byte more than 64 KiB is cut off and marked."""
    script = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n" + KILOBYTE * 64 + b"y")
    async with hostile(script) as receiver, transport() as sender:
        answer = await send(sender, receiver.url, SECOND)
    assert (answer.body, answer.cut) == (KILOBYTE * 64, True)


@on_each_loop
async def test_what_is_kept_is_fit_to_store() -> None:
    """Bytes of an answer that are no text, and control characters, are replaced before anybody stores or shows them."""
    async with hostile(CASES["not ASCII"].script) as receiver, transport() as sender:
        answer = await send(sender, receiver.url, SECOND)
    assert answer.headers[0] == ("X-Odd", "ü\ufffd\ufffd[2J")
    assert "".join(name + value for name, value in answer.headers).isprintable()


@pytest.mark.parametrize("status", [200, 204, 205, 226, 299, 300, 304, 399, 400, 410, 429, 500, 599, 600, 999])
@on_each_loop
async def test_every_status_is_told_as_it_is(status: int) -> None:
    """Any status of three digits comes back as it is; what it means is for the provider's profile."""
    script = answering(f"HTTP/1.1 {status} Odd\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n".encode())
    async with hostile(script) as receiver, transport() as sender:
        answer = await send(sender, receiver.url, SECOND)
    assert (answer.status, answer.reason) == (status, None)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@on_each_loop
async def test_redirects_are_not_followed(status: int) -> None:
    """A 3xx is the outcome, with its Location shown, and the other address is never called."""
    async with hostile(obliging) as final, transport() as sender:
        there = f"http://127.0.0.1:{final.port}/final"
        script = answering(f"HTTP/1.1 {status} Moved\r\nLocation: {there}\r\nContent-Length: 0\r\n\r\n".encode())
        async with hostile(script) as receiver:
            answer = await send(sender, receiver.url, SECOND)
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
    """A receiver that stops reading does not keep the unsent rest of the request in memory."""
    told: list[bool] = []

    async def read_late(caller: Caller) -> None:
        await caller.head()
        told.append(await caller.gone_within(0.5) or await caller.gone_within(1))

    async with hostile(read_late) as receiver, transport() as sender:
        answer = await send(sender, receiver.url, body=MEGABYTE * 16)
        await receiver.everybody_gone()
    assert answer.reason == "timeout"
    assert told == [True]
