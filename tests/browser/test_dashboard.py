"""The dashboard in a real browser: live without reloading, every button that matters, and nothing that hurts."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

from sender.web.parts import ApiOptions
from tests.browser.runs import ToldRuns
from tests.receivers import receiving
from tests.simulators import cancelled, cancelled_many, events_of, subscribe

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import Page

    from tests.browser.conftest import Desk

    Opens = Callable[..., Any]

NOWHERE = "http://127.0.0.1:9/webhook"
MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>\0\u202edetrever\u2066"
BODIES = {"markup": MARKUP.encode(), "huge": b"<b>" * 350_000, "binary": bytes(range(256)), "nothing": b""}


def evil(body: bytes) -> bytes:
    """Answer with a body behind a head that is no better."""
    return b"HTTP/1.1 500 X\r\nX-Evil: <img src=x onerror=alert(3)>\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


async def stay(page: Page) -> None:
    """Leave a mark on the document, which a reload would wipe off."""
    await page.evaluate("document.stayed = true")


async def stayed(page: Page) -> bool:
    """Tell whether it is still the same document."""
    return bool(await page.evaluate("document.stayed === true"))


async def press(desk: Desk, name: str) -> None:
    """Press a button and wait until the page has told what came of it."""
    await desk.page.get_by_role("button", name=name).first.click()
    await desk.page.locator("main > .notice").wait_for()


async def test_what_happens_shows_without_reloading(desk: Opens) -> None:
    """An event appears, and its state changes, while somebody looks."""
    async with receiving() as receiver, desk() as one:
        await subscribe(one.simulator, receiver.url())
        await one.open("/")
        await one.says("No event yet")
        await stay(one.page)
        event_id = await cancelled(one.simulator)
        await one.page.locator(f"#row-{event_id} .state", has_text="delivered").wait_for()
        assert await stayed(one.page)


async def test_resend_without_losing_the_place(desk: Opens) -> None:
    """The button asks for one more attempt, which then stands in the table of the same page."""
    async with receiving() as receiver, desk() as one:
        await subscribe(one.simulator, receiver.url())
        event_id = await cancelled(one.simulator)
        await one.open(f"/events/{event_id}")
        # Received is not recorded yet, and what is in flight is not resent.
        await one.page.locator("#facts .state", has_text="delivered").wait_for()
        await stay(one.page)
        await press(one, "Resend")
        await one.page.locator("#axis tbody tr").nth(1).wait_for()
        assert (await stayed(one.page), len(receiver.requests)) == (True, 2)


async def test_the_clock_is_moved_by_its_buttons(desk: Opens) -> None:
    """Sixteen hours of a receiver that is down pass with one click."""
    async with receiving(lambda _: 503) as receiver, desk() as one:
        await one.simulator.conductor.set_mode("manual")
        await subscribe(one.simulator, receiver.url())
        event_id = await cancelled(one.simulator)
        await one.open("/clock")
        await one.says("invoice.cancelled")
        await press(one, "+1m")
        await press(one, "Until nothing is pending")
        await one.says("Nothing is due")
        await one.open(f"/events/{event_id}")
        assert await one.page.locator("#axis svg path.bad").count() == 11


async def test_an_armed_crash_makes_the_duplicate(desk: Opens) -> None:
    """Armed with one click, made at the console: two requests, one attempt on record."""
    async with receiving() as receiver, desk() as one:
        await subscribe(one.simulator, receiver.url())
        await one.open("/faults")
        await press(one, "relay.after_send")
        assert "1" in await one.page.locator("#armed td.number").inner_text()
        await one.open("/console")
        await one.page.get_by_label("And then").select_option("paid")
        await press(one, "Make")
        await one.page.wait_for_url(re.compile("/resources/inv_"))
        row = one.page.locator("#rows tr", has_text="invoice.paid")
        await row.locator(".state", has_text="delivered").wait_for()
        (paid,) = [each for each in await events_of(one.simulator) if each.event_type == "invoice.paid"]
        assert (paid.attempts, receiver.counts[paid.event_id]) == (1, 2)
        await one.open("/faults")
        await one.says("Nothing is armed")


async def test_a_rotation_is_seen_from_both_sides(desk: Opens) -> None:
    """The endpoint shows its window, an event of that time both signatures, each with its secret's end."""
    async with receiving() as receiver, desk() as one:
        await subscribe(one.simulator, receiver.url())
        await one.open("/endpoints")
        await press(one, "Rotate the secret")
        await one.page.get_by_role("progressbar", name="Rotation window").wait_for()
        event_id = await cancelled(one.simulator)
        await receiver.received(1)
        await one.open(f"/events/{event_id}")
        await one.says("made with the current secret")
        await one.says("made with the previous secret …oint")
        assert await one.page.locator(".steps .state.good").count() == 2


async def test_hostile_answers_do_nothing(desk: Opens) -> None:
    """Markup, a megabyte, binary, NUL and marks of direction: shown, escaped, and nothing runs."""
    dialogs: list[str] = []
    async with receiving(lambda request: evil(BODIES[request.target.strip("/")])) as receiver, desk() as one:
        one.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
        await one.simulator.conductor.set_mode("manual")
        for name in BODIES:
            await subscribe(one.simulator, receiver.url(f"/{name}"))
        await cancelled(one.simulator)
        await one.simulator.conductor.advance_by(0)
        for event in await events_of(one.simulator):
            await one.open(f"/events/{event.event_id}")
            await one.says("HTTP 500")
            assert await one.page.locator("main img, main script").count() == 0
            assert await one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert dialogs == []


async def test_the_copied_curl_is_a_delivery(desk: Opens) -> None:
    """The button puts a command on the clipboard, freshly signed."""
    async with desk(permissions=["clipboard-read", "clipboard-write"]) as one:
        await subscribe(one.simulator, NOWHERE)
        event_id = await cancelled(one.simulator)
        await one.open(f"/events/{event_id}")
        await one.page.get_by_role("link", name="Copy as curl").click()
        await one.says("✓ Copied")
        words = shlex.split(await one.page.evaluate("navigator.clipboard.readText()"))
        assert (words[0], NOWHERE in words, f"X-Webhook-Id: {event_id}" in words) == ("curl", True, True)


async def test_russian_for_a_russian_browser(desk: Opens) -> None:
    """The whole way: console, invoice, notice."""
    async with desk(locale="ru-RU") as one:
        await subscribe(one.simulator, NOWHERE)
        await one.open("/console")
        await one.page.locator("[name=deed]").select_option("cancel")
        await press(one, "Создать")
        await one.says("Создано, и сделано: продавец отказывается от него.")
        assert await one.page.locator("html").get_attribute("lang") == "ru"


async def test_reading_and_forms_work_without_scripts(desk: Opens) -> None:
    """A browser that runs none shows everything, and its forms do what they say."""
    async with desk(java_script_enabled=False) as one:
        await one.open("/endpoints")
        await one.page.get_by_label("URL").fill(NOWHERE)
        await press(one, "Subscribe")
        await one.says("Its secret, shown this once")
        event_id = await cancelled(one.simulator)
        await one.open("/")
        await one.page.locator(f"#row-{event_id} a").first.click()
        await one.says("Attempts in time")


async def test_the_keyboard_is_enough(desk: Opens) -> None:
    """The first stop skips to the content, and a form is sent with Enter; what is refused is told where it was."""
    async with desk() as one:
        await one.open("/clock")
        await one.page.keyboard.press("Tab")
        assert await one.page.locator(":focus").inner_text() == "Skip to the content"
        await one.page.keyboard.press("Enter")
        await one.page.locator("main:focus").wait_for(state="attached")
        await one.page.get_by_label("Advance by").fill("600")
        await one.page.keyboard.press("Enter")
        await one.page.get_by_role("alert").filter(has_text="has no unit").wait_for()


async def test_many_events_cost_few_looks(desk: Opens) -> None:
    """However much happens, a page asks at most once a second, and ends up showing the newest."""
    async with receiving() as receiver, desk() as one:
        await subscribe(one.simulator, receiver.url())
        await one.open("/")
        await one.page.locator("#live").wait_for()
        looks: list[str] = []
        one.page.on("request", lambda request: looks.append(request.url) if request.url == one.base + "/" else None)
        began = await one.page.evaluate("performance.now()")
        newest = (await cancelled_many(one.simulator, 300))[-1]
        await one.page.locator(f"#row-{newest} .state", has_text="delivered").wait_for()
        seconds = (await one.page.evaluate("performance.now()") - began) / 1000
        assert len(looks) <= seconds + 2


async def test_the_token_lets_a_browser_in(desk: Opens) -> None:
    """Asked for once; then pages show, follow what happens, and steer."""
    async with desk(ApiOptions(control_token="the token")) as one:
        page = one.page
        await one.open("/clock")
        await page.get_by_label("Token").fill("the token")
        await page.get_by_role("button", name="Come in").click()
        await page.get_by_role("heading", name="Virtual clock").wait_for()
        await page.locator("#live").wait_for()
        await press(one, "+1m")
        # Chromium says so itself of every page that is answered with an error.
        one.complaints[:] = [each for each in one.complaints if "401" not in each]


async def test_a_story_is_played_and_told(desk: Opens) -> None:
    """Started with a click, followed while it runs, with its verdict at the end."""
    runs = ToldRuns()
    async with desk(runs=runs) as one:
        await one.open("/runs")
        await one.page.get_by_label("Story").select_option("happy-path")
        await one.page.get_by_role("button", name="Play it").first.click()
        await one.page.locator("#run .state.wait", has_text="running").wait_for()
        await stay(one.page)
        runs.tell({"kind": "step.started", "virtual_time": 0, "verb": "pay", "text": "pays the invoice"})
        await one.says("pays the invoice")
        runs.tell({"kind": "law.held", "virtual_time": 60, "says": "every delivery is final, or due"})
        runs.end("passed")
        await one.page.locator("#run .state.good", has_text="passed").wait_for()
        await one.says("every delivery is final, or due")
        assert await stayed(one.page)
