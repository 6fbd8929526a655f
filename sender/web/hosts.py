"""Whom the simulator answers as: a request for a foreign name, or from a foreign page, is refused.

A server on loopback is within reach of every page that a browser on the machine shows: by a name that the page's owner
lets resolve to 127.0.0.1 (DNS rebinding), and by cross-site requests. The first shows in ``Host``, the second in
``Origin``; neither can be forged by a page.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from aiohttp import web

from sender.errors import Forbidden

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aiohttp.typedefs import Middleware

    from sender.web.problems import Handler


def make_hosts(names: Iterable[str] = ()) -> Middleware:
    """Return the middleware that lets through loopback names and ``names``, on any port."""
    allowed = frozenset(name.lower() for name in names)

    @lru_cache(maxsize=64)
    def known(authority: str) -> bool:
        name = _host_of(authority)
        return name is not None and (name in allowed or _is_loopback(name))

    @web.middleware
    async def hosts(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not all(map(known, request.headers.getall("Host", [""]))):
            raise Forbidden(
                "this Host is none of the simulator's names; tell it the name at start", code="host_refused"
            )
        if not all(map(known, request.headers.getall("Origin", []))):
            raise Forbidden("requests from pages of this Origin are refused", code="origin_refused")
        return await handler(request)

    return hosts


def _host_of(authority: str) -> str | None:
    """Return the host of ``NAME:PORT`` or of an origin, without brackets; ``None`` when there is none."""
    try:
        parts = urlsplit(authority if "://" in authority else f"//{authority}")
        well_formed = parts.username is None and (parts.port is None or parts.port > 0)
        return parts.hostname.rstrip(".") if parts.hostname and well_formed else None
    except ValueError:
        return None


def _is_loopback(name: str) -> bool:
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
