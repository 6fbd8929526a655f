"""How every page stands up to be looked at: by axe, in the dark, on a narrow screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axe_playwright_python.async_playwright import Axe

from sender.domain.fault import Fault
from tests.receivers import receiving
from tests.simulators import order, subscribe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from tests.browser.conftest import Desk

SERIOUS = {"serious", "critical"}


async def pages(one: Desk, url: str) -> list[str]:
    """Make something to see on every page, and return their addresses."""
    endpoint = await subscribe(one.simulator, url)
    await subscribe(one.simulator, "http://127.0.0.1:9/" + "long/" * 60)
    await one.simulator.subscriptions.rotate(endpoint)
    await one.simulator.conductor.set_mode("manual")
    invoice = (await one.simulator.invoices.create(order("an order " + "x" * 100))).resource.id
    cancelled = await one.simulator.invoices.cancel(invoice, "x")
    await one.simulator.conductor.advance_by(600_000_000)
    await one.simulator.subscriptions.arm(Fault("wire", "delay", params={"by": "3s"}))
    waiting = (await one.simulator.invoices.create(order("order-2"))).resource.id
    await one.simulator.invoices.choose_network(waiting, "USDT", "TRC20")
    first, second = cancelled.event_ids
    events = [f"/events/{first}", f"/events/{second}?attempt=2&with=1", "/events/none"]
    ours = [f"/resources/{invoice}", f"/resources/{waiting}", f"/invoice/{waiting}"]
    return ["/", *events, *ours, "/endpoints", "/faults", "/clock", "/console", "/runs", "/?state=failed"]


async def _findings(one: Desk, path: str, *rules: str) -> list[tuple[str, str, str]]:
    await one.open(path)
    options: dict[str, Any] = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    found = (await Axe().run(one.page, options=options)).response["violations"]
    return [(path, each["id"], each["nodes"][0]["html"][:200]) for each in found if each["impact"] in SERIOUS]


async def test_nobody_is_shut_out(desk: Callable[..., Any]) -> None:
    """Axe finds nothing serious on any page, in the light and in the dark."""
    async with receiving(lambda _: 503) as receiver, desk() as one:
        addresses = await pages(one, receiver.url())
        assert [each for path in addresses for each in await _findings(one, path)] == []
        await one.page.emulate_media(color_scheme="dark")
        assert [each for path in addresses for each in await _findings(one, path, "color-contrast")] == []
        one.complaints[:] = [each for each in one.complaints if "404" not in each]


async def test_a_narrow_screen_is_wide_enough(desk: Callable[..., Any]) -> None:
    """No page is wider than a telephone, whatever stands on it."""
    async with receiving(lambda _: 503) as receiver, desk(viewport={"width": 360, "height": 740}) as one:
        wide = [path async for path in _wide(one, await pages(one, receiver.url()))]
        assert wide == []
        one.complaints[:] = [each for each in one.complaints if "404" not in each]


async def _wide(one: Desk, addresses: list[str]) -> AsyncIterator[str]:
    for path in addresses:
        await one.open(path)
        if not await one.page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
            yield path
