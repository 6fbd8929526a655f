"""One Chromium for all tests of this ring, a page of its own for each; whatever it complains about fails the test."""

from __future__ import annotations

import os
import shutil
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from playwright.async_api import async_playwright

from sender.runs import ScenarioRuns
from tests.api import serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from playwright.async_api import Browser, Page, Playwright

    from sender.simulator import Simulator
    from sender.web.parts import ApiOptions, Runs

PATIENCE = 20_000
"""Milliseconds after which something that must have happened has not."""
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW = (
    "no Chromium: install it (apt-get install chromium, or python -m playwright install chromium), "
    "or name it with CHROMIUM=/path/to/it"
)


@dataclass(frozen=True)
class Desk:
    """A simulator with its web, and a page that looks at it."""

    simulator: Simulator
    page: Page
    base: str
    complaints: list[str]

    async def open(self, path: str) -> None:
        """Open a page."""
        await self.page.goto(self.base + path)

    async def says(self, text: str) -> None:
        """Wait until the page says something, without it being loaded again."""
        await self.page.get_by_text(text).first.wait_for()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run every test of this ring in one loop, which is the browser's too."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
            item.add_marker("browser")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """Give the browser; where there is none, say how to get one."""
    async with async_playwright() as playwright:
        path = _path(playwright)
        if path is None:
            pytest.skip(HOW)
        browser = await playwright.chromium.launch(executable_path=path, args=_arguments())
        yield browser
        await browser.close()


def _path(playwright: Playwright) -> str | None:
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    own = playwright.chromium.executable_path
    return own if Path(own).exists() else next(filter(None, map(shutil.which, NAMES)), None)


def _arguments() -> list[str]:
    """Return what Chromium needs to be told: it may run as root, memory is small, there is no graphics card.

    Without a process for graphics a page opens in two thirds of the time.
    """
    return [*(["--no-sandbox"] if os.geteuid() == 0 else []), "--disable-dev-shm-usage", "--disable-gpu"]


@pytest.fixture
def desk(chromium: Browser) -> Callable[..., Any]:
    """Give what opens a desk: options of the API, runs, and the look of the browser (``locale``, ``viewport`` …)."""

    @asynccontextmanager
    async def opened(options: ApiOptions | None = None, runs: Runs | None = None, **look: Any) -> AsyncIterator[Desk]:
        async with serving("memory", options, ScenarioRuns if runs is None else lambda _: runs) as api:
            context = await chromium.new_context(
                **{"locale": "en-GB", "viewport": {"width": 1280, "height": 900}, **look}
            )
            context.set_default_timeout(PATIENCE)
            page = await context.new_page()
            complaints: list[str] = []
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
            try:
                yield Desk(api.simulator, page, api.base, complaints)
            finally:
                await context.close()
            assert complaints == []

    return opened
