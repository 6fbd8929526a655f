"""What a receiver cannot do to the sender: fill its memory, hold it up, or reach it through somebody's environment."""

from __future__ import annotations

import asyncio
import gc
import gzip
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from sender.durations import SECOND
from sender.transport.proxies import proxy_variables
from tests.integration.hostile import (
    PATIENCE,
    PLENTY,
    Caller,
    answering,
    hostile,
    obliging,
    on_each_loop,
    send,
    transport,
)

if TYPE_CHECKING:
    from tests.integration.hostile import Script

MEGABYTE = b"\r\n" * (1 << 19)

ENDLESS = {
    "body": b"HTTP/1.1 200 OK\r\n\r\n",
    "length": b"HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n",
    "error": b"HTTP/1.1 500 No\r\nContent-Length: 5000000\r\n\r\n",
    "header": b"HTTP/1.1 200 OK\r\nX: ",
    "status line": b"HTTP/1.1 200 ",
}


def flooding(head: bytes, data: bytes) -> Script:
    """Return a script that answers with a head and endless data at full speed."""

    async def script(caller: Caller) -> None:
        await caller.request()
        await caller.say(head)
        await caller.flood(data)

    return script


@pytest.mark.parametrize("name", ENDLESS)
@on_each_loop
async def test_endless_answers_fill_no_memory(name: str) -> None:
    """Twenty endless answers at once at full speed: every attempt ends, and memory grows by less than 50 MB."""
    data = MEGABYTE.replace(b"\r\n", b"xx") if name in {"header", "status line"} else MEGABYTE
    async with hostile(flooding(ENDLESS[name], data)) as receiver, transport() as sender:
        gc.collect()
        tracemalloc.start()
        try:
            answers = await asyncio.gather(*[send(sender, receiver.url, PLENTY) for _ in range(20)])
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        await receiver.everybody_gone()
    assert peak < 50_000_000
    assert all(answer.cut or answer.reason == "protocol" for answer in answers)
    assert all(answer.elapsed < PATIENCE * SECOND for answer in answers)


@on_each_loop
async def test_a_compressed_bomb_stays_small() -> None:
    """A body is kept as it came over the wire; nothing is unpacked."""
    bomb = gzip.compress(b"0" * 30_000_000)
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n".encode()
    async with hostile(answering(head, bomb)) as receiver, transport() as sender:
        answer = await send(sender, receiver.url, PLENTY)
    assert answer.body == bomb[: 64 * 1024]


@on_each_loop
async def test_a_slow_receiver_holds_up_nobody() -> None:
    """While a hundred receivers are silent, another one is answered at once."""

    async def silent(caller: Caller) -> None:
        await caller.request()
        await caller.gone()

    async with hostile(silent) as slow, hostile(obliging) as quick, transport() as sender:
        waiting = [asyncio.create_task(send(sender, slow.url, PLENTY)) for _ in range(100)]
        answer = await send(sender, quick.url, PLENTY)
        assert not any(each.done() for each in waiting)
        for each in waiting:
            each.cancel()
        await asyncio.wait(waiting)
    assert answer.status == 204


@on_each_loop
async def test_proxies_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proxy variables and a .netrc change nothing, unless they are asked for."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    async with hostile(obliging) as receiver, transport() as sender:
        assert (await send(sender, receiver.url, PLENTY)).status == 204


@on_each_loop
async def test_proxies_of_the_environment_are_used_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """With ``trust_env`` the request goes to the proxy, in absolute form, except to hosts in ``no_proxy``."""
    monkeypatch.delenv("HTTP_PROXY", raising=False)
    monkeypatch.setenv("no_proxy", "localhost")
    async with hostile(obliging) as proxy, hostile(obliging) as receiver:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        async with transport(trust_env=True) as sender:
            through = await send(sender, "http://receiver.invalid/hook?a=%2F", PLENTY)
            beside = await send(sender, f"http://localhost:{receiver.port}/", PLENTY)
    assert (through.status, beside.status) == (204, 204)
    assert [request.line for request in proxy.requests] == ["POST http://receiver.invalid/hook?a=%2F HTTP/1.1"]
    assert proxy.requests[0].header("Host") == "receiver.invalid"
    assert len(receiver.requests) == 1


@on_each_loop
async def test_failures_of_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy that is not there, one that refuses, and one that cannot be used are failed attempts."""
    monkeypatch.setenv("no_proxy", "")
    async with hostile(answering(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")) as refusing:
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{refusing.port}")
        async with transport(trust_env=True) as sender:
            absent = await send(sender, "http://receiver.invalid/", PLENTY)
            refused = await send(sender, "https://receiver.invalid/", PLENTY)
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:1")
    async with transport(trust_env=True) as sender:
        unfit = await send(sender, "http://receiver.invalid/", PLENTY)
    assert (absent.reason, refused.reason, unfit.reason) == ("refused", "protocol", "dns")
    assert absent.detail == "no connection to 127.0.0.1:1 (a proxy): Connection refused"
    assert refused.detail.endswith(f"the proxy 127.0.0.1:{refusing.port} answered 403")
    assert "socks5" in unfit.detail


def test_proxy_variables_are_named_without_their_values() -> None:
    """The start banner learns which variables are set, in either case of letters, and no value."""
    assert proxy_variables({"HTTP_PROXY": "http://me:pw@x", "no_proxy": "x", "https_proxy": ""}) == (
        "HTTP_PROXY",
        "no_proxy",
    )
