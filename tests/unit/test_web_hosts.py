"""Whom the simulator answers as: names of loopback and names it was told, on any port."""

from __future__ import annotations

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

from sender.errors import Forbidden
from sender.web.hosts import make_hosts

GOOD = [
    "localhost",
    "localhost:8080",
    "LOCALHOST:1",
    "localhost.",
    "api.localhost:80",
    "127.0.0.1:8080",
    "127.9.9.9",
    "[::1]:8080",
    "[::1]",
    "paymos-sim:8080",
    "PAYMOS-SIM",
]
BAD = [
    "",
    "evil.example",
    "localhost.evil.example",
    "evillocalhost",
    "localhost@evil.example",
    "evil.example@localhost",
    "127.0.0.1.evil.example:8080",
    "128.0.0.1",
    "192.168.0.5:8080",
    "[::2]:8080",
    "[::1",
    "0.0.0.0:8080",
    "xn--localhost",
    "local host",
    "localhost:port",
    "localhost:8080:9",
]


async def passes(*headers: tuple[str, str]) -> bool:
    """Tell whether a request with these headers is let through."""

    async def handler(_request: web.Request) -> web.Response:
        return web.Response(status=204)

    request = make_mocked_request("GET", "/", headers=CIMultiDict(headers))
    try:
        return (await make_hosts(["paymos-sim"])(request, handler)).status == 204
    except Forbidden:
        return False


@pytest.mark.parametrize("host", GOOD)
async def test_own_names_are_let_through(host: str) -> None:
    """Loopback names and names that were told pass as host and as the origin of a page."""
    assert await passes(("Host", host))
    assert await passes(("Host", "localhost"), ("Origin", f"http://{host}"))
    assert await passes(("Host", "localhost"), ("Origin", f"https://{host}"))


@pytest.mark.parametrize("host", BAD)
async def test_foreign_hosts_are_refused(host: str) -> None:
    """A name that a page lets resolve to 127.0.0.1 does not get it an answer (DNS rebinding)."""
    assert not await passes(("Host", host))


@pytest.mark.parametrize("origin", [f"http://{host}" for host in BAD] + ["null", "file://", "https://"])
async def test_pages_of_foreign_origins_are_refused(origin: str) -> None:
    """A page from elsewhere cannot make a browser change anything here (cross-site requests)."""
    assert not await passes(("Host", "localhost"), ("Origin", origin))


async def test_no_host_and_two_hosts_are_refused() -> None:
    """Each request names one host, and each that it names has to be ours."""
    assert not await passes()
    assert not await passes(("Host", "localhost"), ("Host", "evil.example"))
    assert not await passes(("Host", "evil.example"), ("Host", "localhost"))
