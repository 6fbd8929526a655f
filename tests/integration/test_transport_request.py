"""What goes out on the wire: the registered target, our headers and the stored bytes, and not a byte more."""

from __future__ import annotations

import json

import pytest

from tests.integration.hostile import (
    BODY,
    HEADERS,
    OK,
    PLENTY,
    Caller,
    answering,
    hostile,
    obliging,
    on_each_loop,
    send,
    transport,
)

TARGETS = {
    "/h%2Fk/?a=1&b=2&c=576%3Ax%25&d=ü#frag": "/h%2Fk/?a=1&b=2&c=576%3Ax%25&d=%C3%BC",
    "/hook": "/hook",
    "/hook/": "/hook/",
    "": "/",
    "?a=1": "/?a=1",
    "#frag": "/",
    "/hook?": "/hook?",
    "/a/../b/./c//d": "/a/../b/./c//d",
    "/a b?c=d e": "/a%20b?c=d%20e",
    "/%7Euser/%c3%bc?q=%2B+%zz%": "/%7Euser/%c3%bc?q=%2B+%zz%",
    "/p?next=http://other/?x=1&y[]='\"<>|": "/p?next=http://other/?x=1&y[]='\"<>|",
    "/ünï?ü=😀": "/%C3%BCn%C3%AF?%C3%BC=%F0%9F%98%80",
}


@pytest.mark.parametrize("registered", TARGETS)
@on_each_loop
async def test_target_is_what_was_registered(registered: str) -> None:
    """The request target is the registered URL's, on every attempt: nothing escaped twice, dropped or added."""
    async with hostile(obliging) as receiver, transport() as sender:
        for _ in range(2):
            answer = await send(sender, f"http://127.0.0.1:{receiver.port}{registered}", PLENTY)
            assert answer.status == 204
    assert [request.line for request in receiver.requests] == [f"POST {TARGETS[registered]} HTTP/1.1"] * 2


@on_each_loop
async def test_nothing_is_added() -> None:
    """Host, our headers in their order and letters, Content-Length: no Accept, User-Agent, Connection or Expect."""
    async with hostile(obliging) as receiver, transport() as sender:
        await send(sender, receiver.url, PLENTY)
    assert receiver.requests[0].headers == (
        ("Host", f"127.0.0.1:{receiver.port}"),
        *HEADERS,
        ("Content-Length", str(len(BODY))),
    )


@on_each_loop
async def test_headers_go_out_as_they_are_given() -> None:
    """A name may come twice and none is filled in for one that is missing."""
    headers = (("x-one", "1"), ("X-Two", "ü"), ("x-one", "2"))
    async with hostile(obliging) as receiver, transport() as sender:
        await send(sender, receiver.url, PLENTY, headers=headers)
    assert receiver.requests[0].headers[1:-1] == headers


@pytest.mark.parametrize("size", [0, 1, 1_000, 1_000_000, 3_000_000])
@on_each_loop
async def test_body_is_sent_as_stored(size: int) -> None:
    """The stored bytes go out unchanged and unchunked, of whatever length, with that length in front."""
    body = json.dumps("é😀\u2028/<&\"'\t" * size, ensure_ascii=False).encode()[:size]
    async with hostile(obliging) as receiver, transport() as sender:
        answer = await send(sender, receiver.url, PLENTY, body=body)
    assert answer.status == 204
    assert receiver.requests[0].body == body
    assert receiver.requests[0].header("Content-Length") == str(size)
    assert receiver.requests[0].header("Transfer-Encoding") is None


@on_each_loop
async def test_cookies_are_not_kept() -> None:
    """A cookie that a receiver sets does not come back with the next request."""
    script_answer = b"HTTP/1.1 204 No Content\r\nSet-Cookie: a=b; Path=/\r\n\r\n"

    async def script(caller: Caller) -> None:
        while True:
            await caller.request()
            await caller.say(script_answer)

    async with hostile(script) as receiver, transport() as sender:
        for _ in range(2):
            await send(sender, receiver.url, PLENTY)
    assert [request.header("Cookie") for request in receiver.requests] == [None, None]


@on_each_loop
async def test_credentials_of_the_url_stay_out_of_sight() -> None:
    """A name and a password in the URL become Basic authentication, and are in no sentence for people."""
    async with hostile(answering(OK)) as receiver, transport() as sender:
        answer = await send(sender, f"http://me:s3cret@127.0.0.1:{receiver.port}/", PLENTY)
        refused = await send(sender, "http://me:s3cret@127.0.0.1:1/", PLENTY)
    assert receiver.requests[0].header("Authorization") == "Basic bWU6czNjcmV0"
    assert receiver.requests[0].header("Host") == f"127.0.0.1:{receiver.port}"
    assert "s3cret" not in answer.detail + refused.detail
