"""How a host is found, what Host says, and what people read when nobody is there."""

from __future__ import annotations

import socket

import pytest

from sender.durations import MILLISECOND
from tests.integration.hostile import PLENTY, hostile, obliging, on_each_loop, send, transport


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
@on_each_loop
async def test_localhost_is_found_in_either_family(host: str) -> None:
    """``localhost`` reaches a receiver on 127.0.0.1 only and one on ::1 only, and is what Host says."""
    async with hostile(obliging, host) as receiver, transport() as sender:
        answer = await send(sender, f"http://localhost:{receiver.port}/", PLENTY)
    assert answer.status == 204
    assert receiver.requests[0].header("Host") == f"localhost:{receiver.port}"


@on_each_loop
async def test_ipv6_address_keeps_its_brackets() -> None:
    """An IPv6 address stands in brackets in Host and in what people read."""
    async with hostile(obliging, "::1") as receiver, transport() as sender:
        answer = await send(sender, f"http://[::1]:{receiver.port}/", PLENTY)
    assert answer.detail == f"[::1]:{receiver.port} answered 204"
    assert receiver.requests[0].header("Host") == f"[::1]:{receiver.port}"


@on_each_loop
async def test_a_refusal_names_every_address_tried() -> None:
    """Nobody listens: the reason is ``refused``, and the sentence says where it was tried."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        async with transport() as sender:
            by_name = await send(sender, f"http://localhost:{port}/", PLENTY)
            by_address = await send(sender, f"http://127.0.0.1:{port}/", PLENTY)
    assert (by_name.reason, by_address.reason) == ("refused", "refused")
    assert f"127.0.0.1:{port} and [::1]:{port}" in by_name.detail
    assert by_address.detail == f"no connection to 127.0.0.1:{port}: Connection refused"


@pytest.mark.parametrize(
    "url",
    [
        "http://no-such-host.invalid/",
        "http://127.1/",
        f"http://{'a' * 64}.example/",
        "http://127.0.0.1:99999/",
        "http:///path",
        "http://[::1/",
        "ftp://127.0.0.1/",
        "127.0.0.1",
        "",
    ],
)
@on_each_loop
async def test_a_host_that_cannot_be_found_is_an_outcome(url: str) -> None:
    """A name that nobody knows, or a URL that names no host, is a failed attempt with the reason ``dns``."""
    async with transport() as sender:
        answer = await send(sender, url, PLENTY)
    assert (answer.status, answer.reason) == (None, "dns")
    assert answer.detail


@on_each_loop
async def test_a_connection_that_is_not_taken_times_out() -> None:
    """A receiver whose backlog is full lets the attempt run into its timeout, and the sentence says so."""
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen(0)
        port = busy.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.settimeout(0)
            each.connect_ex(("127.0.0.1", port))
        async with transport() as sender:
            answer = await send(sender, f"http://127.0.0.1:{port}/", 100 * MILLISECOND)
        for each in waiting:
            each.close()
    assert (answer.reason, answer.detail) == ("timeout", f"no connection to 127.0.0.1:{port} within 100ms")
