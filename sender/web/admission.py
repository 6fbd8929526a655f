"""Who may see and steer the simulator: the bearer of the token, the dashboard's own pages, and programs on loopback.

A page of some other site can make a browser send a request to loopback, with the cookies that belong there. So a call
that changes something and comes from a browser has to carry a token that only a page of ours can read, whatever cookie
or port it comes with. A program is no browser: it sends none of the headers by which one is known.
"""

from __future__ import annotations

import hmac
import secrets
from typing import TYPE_CHECKING

from sender.errors import Forbidden
from sender.web.refusals import Unauthorized

if TYPE_CHECKING:
    from aiohttp import web

COOKIE = "paymos_sim"
"""The cookie of a browser whose person has shown the token."""

PAGE_TOKEN_HEADER = "X-Page-Token"  # noqa: S105 - a name

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_OF_BROWSERS = ("Origin", "Sec-Fetch-Site", "Sec-Fetch-Mode")


class Admission:
    """Decides on each request. Without a ``control_token`` everybody on loopback may come in.

    ``page_token`` is new with each start; every page that changes something carries it.
    """

    def __init__(self, control_token: str | None) -> None:
        self.page_token = secrets.token_urlsafe(24)
        self._control_token = control_token
        self._bearer = f"Bearer {control_token}"
        # Follows from the token, so that a browser stays known over a restart, and does not tell it.
        self.cookie = hmac.digest((control_token or "").encode(), b"a browser that has shown the token", "sha256").hex()

    @property
    def asks(self) -> bool:
        """Whether a token is asked for at all."""
        return self._control_token is not None

    def is_token(self, text: str) -> bool:
        """Tell whether this is the token that was chosen at start."""
        return self._control_token is not None and _same(text, self._control_token)

    def check(self, request: web.Request, form_token: str | None = None) -> None:
        """Let a request in. Raises ``Unauthorized`` without a token, ``Forbidden`` for a change from a foreign page.

        ``form_token`` is what a form has carried as the page's token, whoever sent it; it cannot set a header.
        """
        if self.asks and _same(request.headers.get("Authorization", ""), self._bearer):
            return
        if self.asks and not _same(request.cookies.get(COOKIE, ""), self.cookie):
            raise Unauthorized("this takes the token that was chosen at start: Authorization: Bearer TOKEN")
        if request.method in _SAFE or (form_token is None and not _is_browser(request)):
            return
        carried = form_token or request.headers.get(PAGE_TOKEN_HEADER) or ""
        if not _same(carried, self.page_token):
            raise Forbidden(
                f"a change from a browser carries the token of a page of this server in {PAGE_TOKEN_HEADER}; "
                "reload the page",
                code="page_token_required",
            )


def _is_browser(request: web.Request) -> bool:
    return COOKIE in request.cookies or any(name in request.headers for name in _OF_BROWSERS)


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), expected.encode())
