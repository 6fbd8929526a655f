"""What a hostile receiver can do, each with its one documented outcome."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.integration.hostile import Caller, answering

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
