"""The way in and out of every page: let in, look at the clock, show or carry out, tell what is refused."""

from __future__ import annotations

import hmac
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from aiohttp import web

from sender.domain.text import can_travel
from sender.errors import Forbidden, NotFound, SimError
from sender.store import world
from sender.web.admission import COOKIE
from sender.web.dashboard.language import language_of
from sender.web.dashboard.notices import Notice, Notices
from sender.web.dashboard.refusals import complaint
from sender.web.dashboard.visit import Page, Visit, own_path
from sender.web.reading import read_body
from sender.web.refusals import NotJson, Unauthorized

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.web.admission import Admission
    from sender.web.dashboard.pages import Pages
    from sender.web.dashboard.visit import Went
    from sender.web.parts import Parts

    Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
    Show = Callable[[Visit], Awaitable[Page | web.StreamResponse]]
    Act = Callable[[Visit], Awaitable[Went]]

FORM = "application/x-www-form-urlencoded"
MOST_FIELDS = 100


class Door:
    """Makes handlers of what shows and what acts."""

    def __init__(self, parts: Parts, admission: Admission, pages: Pages) -> None:
        self._parts = parts
        self._admission = admission
        self._pages = pages
        self._notices = Notices()

    def shows(self, show: Show, *, public: bool = False) -> Handler:
        """Return the handler of a page; a ``public`` one is for payers, who have no token."""

        async def handle(request: web.Request) -> web.StreamResponse:
            visit = await self._visit(request)
            try:
                if not public:
                    self._admission.check(request)
                _require_id(visit)
                shown = await show(visit)
            except Unauthorized:
                shown = Page("login.html", {"back": own_path(request.path_qs) or "/", "wrong": False}, 401)
            except SimError as error:
                told = complaint(error, visit.language)
                title = error.title() if visit.language == "en" else told.says
                shown = Page("refused.html", {"title": title, "detail": told.detail or told.says}, error.status)
            return self.page(visit, shown) if isinstance(shown, Page) else shown

        return handle

    def acts(self, act: Act, *, public: bool = False) -> Handler:
        """Return the handler of a form. What is refused is told on the page where the form was.

        A ``public`` one is a payer's: it carries a token for what it is about, and for nothing else.
        """

        async def handle(request: web.Request) -> web.StreamResponse:
            visit = replace(await self._visit(request), form=await _fields(request))
            try:
                self._let_in(visit, public=public)
                _require_id(visit)
                went = await act(visit)
            except Unauthorized:
                return self.page(visit, Page("login.html", {"back": visit.back, "wrong": False}, 401))
            except SimError as error:
                says, detail = complaint(error, visit.language)
                return self._go(visit.back, Notice("refused", "{why}", {"why": says}, detail=detail))
            return self._go(went.to or visit.back, went.notice)

        return handle

    async def login(self, request: web.Request) -> web.StreamResponse:
        """Take the token that was chosen at start, and let the browser keep that it was shown."""
        visit = replace(await self._visit(request), form=await _fields(request))
        if not self._admission.is_token(visit.form.get("token", "")):
            return self.page(visit, Page("login.html", {"back": visit.back, "wrong": True}, 401))
        response = web.Response(status=303, headers={"Location": visit.back})
        response.set_cookie(
            COOKIE, self._admission.cookie, httponly=True, samesite="Strict", path="/", secure=request.secure
        )
        return response

    def page(self, visit: Visit, page: Page) -> web.Response:
        """Return a page in its frame."""
        request = visit.request
        return self._pages.answer(
            visit,
            page,
            page_token=self._admission.page_token if self._may_steer(request) else "",
            here=own_path(request.path_qs) or "/",
            path=request.path,
            relays_alive=self._parts.relays_alive(),
            notice=self._notices.take(request.query.get("note", "")),
        )

    def payer_token(self, about: str) -> str:
        """Return the token of a public form about something; the page token does not follow from it."""
        key = self._admission.page_token.encode()
        return hmac.digest(key, about.encode("utf-8", "surrogateescape"), "sha256").hex()

    def _let_in(self, visit: Visit, *, public: bool) -> None:
        if not public:
            self._admission.check(visit.request, visit.form.get("page_token", ""))
        elif not hmac.compare_digest(visit.form.get("payer_token", "").encode(), self.payer_token(visit.id).encode()):
            raise Forbidden("the form is older than this server; reload the page", code="page_token_required")

    def _may_steer(self, request: web.Request) -> bool:
        """Tell whether this browser may steer; a page token is told to nobody else."""
        try:
            self._admission.check(request, self._admission.page_token)
        except SimError:
            return False
        return True

    async def _visit(self, request: web.Request) -> Visit:
        async with self._parts.database.read() as session:
            here = (await world.read_world(session)).timeline
        language = language_of(request.headers.get("Accept-Language", ""))
        return Visit(request, language, here, here.at(self._parts.runtime.clock.real_now()))

    def _go(self, to: str, notice: Notice | None) -> web.Response:
        if notice is not None:
            path, mark, anchor = to.partition("#")
            to = f"{path}{'&' if '?' in path else '?'}note={self._notices.put(notice)}{mark}{anchor}"
        return web.Response(status=303, headers={"Location": to, "Cache-Control": "no-store"})


def _require_id(visit: Visit) -> None:
    if not can_travel(visit.id) or any(not can_travel(text) for text in visit.request.query.values()):
        raise NotFound("there is nothing of this id")


async def _fields(request: web.Request) -> dict[str, str]:
    """Return the fields of a form. Raises ``NotJson`` for a body that is none, such as an upload."""
    body = await read_body(request)
    if body and request.content_type != FORM:
        raise NotJson(f"a form is sent as {FORM}")
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS))
    except ValueError:
        raise NotJson("the form is not UTF-8, or has too many fields") from None
