"""How every page stands up to be looked at: by axe, in the dark, on a narrow screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axe_playwright_python.base import AXE_SCRIPT

from sender.domain.fault import Fault
from tests.receivers import receiving
from tests.simulators import attempts_of, order, subscribe

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.conftest import Desk

SERIOUS = {"serious", "critical"}


async def pages(one: Desk, url: str) -> list[str]:
    """Make something to see on every page, and return their addresses."""
    endpoint = await subscribe(one.simulator, url)
    await subscribe(one.simulator, "http://127.0.0.1:9/" + "long/" * 60)
    await one.simulator.subscriptions.rotate(endpoint)
    await one.simulator.conductor.set_mode("manual")
    invoice = (await one.simulator.invoices.create(order("an order " + "x" * 100))).resource.id
    await one.simulator.invoices.cancel(invoice, "x")
    await one.simulator.conductor.advance_by(600_000_000)
    await one.simulator.subscriptions.arm(Fault("wire", "delay", params={"by": "3s"}))
    waiting = (await one.simulator.invoices.create(order("order-2"))).resource.id
    await one.simulator.invoices.choose_network(waiting, "USDT", "TRC20")
    first, second, *_ = [each for each in await attempts_of(one.simulator) if each.endpoint_id == endpoint]
    events = [f"/events/{first.event_id}?attempt={second.seq}&with={first.seq}", "/events/none"]
    ours = [f"/resources/{invoice}", f"/resources/{waiting}", f"/invoice/{waiting}"]
    return ["/", *events, *ours, "/endpoints", "/faults", "/clock", "/console", "/runs", "/?state=failed"]


async def _findings(one: Desk, *rules: str) -> list[tuple[str, str]]:
    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
    if rules:
        options["runOnly"] = list(rules)
    found = await one.page.evaluate("options => axe.run(options)", options)
    return [(each["id"], each["nodes"][0]["html"][:200]) for each in found["violations"] if each["impact"] in SERIOUS]


async def _look(one: Desk, path: str) -> dict[str, Any]:
    """Return what is wrong with a page: in the light, in the dark, and on a telephone."""
    await one.page.set_viewport_size({"width": 1280, "height": 900})
    await one.page.emulate_media(color_scheme="light")
    await one.open(path)
    await one.page.evaluate(AXE_SCRIPT)
    light = await _findings(one)
    await one.page.emulate_media(color_scheme="dark")
    dark = await _findings(one, "color-contrast")
    await one.page.set_viewport_size({"width": 360, "height": 740})
    wide = await one.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    return {"light": light, "dark": dark, "wide": wide}


async def test_nobody_is_shut_out(desk: Callable[..., Any]) -> None:
    """Axe finds nothing serious on any page, in the light and in the dark, and none is wider than a telephone."""
    async with receiving(lambda _: 503) as receiver, desk() as one:
        found = [(path, await _look(one, path)) for path in await pages(one, receiver.url())]
        assert found == [(path, {"light": [], "dark": [], "wide": False}) for path, _ in found]
        one.complaints[:] = [each for each in one.complaints if "404" not in each]
