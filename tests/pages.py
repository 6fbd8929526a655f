"""Pages as tests look at them: fetched as a browser would, with their forms sent, and their text without the markup."""

from __future__ import annotations

import html
import re
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import aiohttp

from tests.api import PATIENCE, serving
from tests.simulators import subscribe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sender.simulator import Simulator
    from sender.web.parts import ApiOptions

_TOKEN = re.compile(r'name="page_token" value="([^"]+)"')


@dataclass(frozen=True)
class Seen:
    """A page that came back."""

    status: int
    html: str
    path: str
    headers: dict[str, str]

    @property
    def text(self) -> str:
        """What a reader sees, blanks made one; where a line may be broken is no blank."""
        plain = html.unescape(re.sub(r"<[^>]*>", " ", self.html.replace("<wbr>", "")))
        return re.sub(r"\s+", " ", plain).strip()


@dataclass
class Browser:
    """Keeps cookies and the page token, and says that it is a browser."""

    simulator: Simulator
    session: aiohttp.ClientSession
    base: str
    language: str = "en"
    page_token: str = ""

    async def open(self, path: str, **headers: str) -> Seen:
        """Open a page."""
        return await self._ask("GET", path, None, headers)

    async def send(self, path: str, **fields: str) -> Seen:
        """Send a form of the page that was seen last; return the page that it leads to."""
        form = {"page_token": self.page_token, "back": "/", **fields}
        return await self._ask("POST", path, form, {"Origin": self.base, "Sec-Fetch-Site": "same-origin"})

    async def _ask(self, method: str, path: str, form: dict[str, str] | None, headers: dict[str, str]) -> Seen:
        told = {"Accept-Language": self.language, **headers}
        async with self.session.request(method, self.base + path, data=form, headers=told) as answer:
            text = (await answer.read()).decode()
            self.page_token = next(iter(_TOKEN.findall(text)), self.page_token)
            return Seen(answer.status, text, answer.url.path, dict(answer.headers))


@asynccontextmanager
async def browsing(database_url: str = "memory", options: ApiOptions | None = None) -> AsyncIterator[Browser]:
    """Run the simulator with its web and a browser before it."""
    async with serving(database_url, options) as api:
        jar = aiohttp.CookieJar(unsafe=True)  # aiohttp keeps no cookies of bare addresses otherwise
        timeout = aiohttp.ClientTimeout(total=PATIENCE)
        async with aiohttp.ClientSession(cookie_jar=jar, timeout=timeout) as session:
            yield Browser(api.simulator, session, api.base)


async def with_endpoint(browser: Browser, url: str) -> str:
    """Subscribe a URL, open a page for its token, and return the endpoint's id."""
    endpoint_id = await subscribe(browser.simulator, url)
    await browser.open("/endpoints")
    return endpoint_id
