"""Pages out of templates: the frame around them, the words, the times, and the headers that keep a page harmless."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cached_property, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from aiohttp import web

from sender.durations import MILLISECOND, format_instant
from sender.errors import NotFound
from sender.web.dashboard import moments
from sender.web.dashboard.language import Words

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from sender.web.dashboard.visit import Page, Visit

STATIC = "/_ui"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Vary": "Accept-Language, Cookie",
}
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_FOR_EVER = "public, max-age=31536000, immutable"


class Pages:
    """Renders templates of ``package``; what they extend may lie in ``others``. Nothing is read before it is wanted."""

    def __init__(self, *packages: str) -> None:
        self._packages = packages
        self._words = Words()

    def answer(self, visit: Visit, page: Page, **frame: Any) -> web.Response:
        """Return a page as a response; ``frame`` are the values that every page has."""
        say = partial(self._words.say, visit.language)
        text = self._environment.get_template(page.template).render(
            visit=visit,
            lang=visit.language,
            t=say,
            told=lambda notice: say(notice.text, **{name: say(value) for name, value in notice.values.items()}),
            when=moments.clock_text,
            iso=format_instant,
            span=lambda span: moments.span_text(span, visit.language),
            away=lambda at: moments.from_now(at, visit.now, visit.language),
            elapsed=moments.elapsed,
            asset=self._asset,
            now_ms=visit.now // MILLISECOND,
            **frame,
            **page.values,
        )
        return web.Response(
            status=page.status,
            body=text.encode("utf-8", "replace"),
            content_type="text/html",
            charset="utf-8",
            headers=HEADERS,
        )

    async def static(self, request: web.Request) -> web.Response:
        """Answer with a file of ours; its address changes with it, so a browser may keep it."""
        name = request.match_info["name"]
        found = self._files.get(name)
        if found is None:
            raise NotFound(f"there is no file {name[:64]}")
        headers = {"Cache-Control": _FOR_EVER, "X-Content-Type-Options": "nosniff"}
        return web.Response(body=found, content_type=_TYPES[name.rpartition(".")[2]], charset="utf-8", headers=headers)

    def _asset(self, name: str) -> str:
        return f"{STATIC}/{name}?{hashlib.sha256(self._files[name]).hexdigest()[:12]}"

    @cached_property
    def _files(self) -> dict[str, bytes]:
        folders = [files(package).joinpath("static") for package in self._packages]
        return {one.name: one.read_bytes() for folder in folders for one in folder.iterdir()}

    @cached_property
    def _environment(self) -> Environment:
        from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - who opens no page

        environment = Environment(
            loader=ChoiceLoader([PackageLoader(package) for package in self._packages]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        environment.filters["breaks"] = _breaks
        environment.filters["document"] = lambda value: json.dumps(value, indent=2, ensure_ascii=False)
        return environment


def _breaks(url: str) -> Markup:
    """Return a URL that a browser breaks where a reader would: behind a slash that separates, before a query."""
    from markupsafe import Markup  # noqa: PLC0415 - comes with the templates

    return Markup("<wbr>").join(re.split(r"(?<=[^/:]/)(?=.)|(?=[?&])", url))
