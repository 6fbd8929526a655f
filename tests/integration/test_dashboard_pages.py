"""The dashboard's pages: what they show, in both languages, and what their forms do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from sender.web.dashboard.console import OUTCOMES
from tests.pages import browsing, with_endpoint
from tests.receivers import receiving
from tests.simulators import SECRET, cancelled_many, events_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.pages import Browser, Seen

NOWHERE = "http://127.0.0.1:9/webhook"


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """Give a browser before a simulator that has just started."""
    async with browsing() as running:
        yield running


async def make(browser: Browser, deed: str = "cancel", **more: str) -> Seen:
    """Make an invoice at the console and drive it."""
    await browser.open("/console")
    return await browser.send("/console/invoice", amount="100.00", currency="USD", deed=deed, back="/console", **more)


EMPTY = {
    "/": "Subscribe an endpoint",
    "/endpoints": "Write the URL of your webhook below",
    "/faults": "Nothing is armed",
    "/clock": "Nothing is due",
    "/console": "No invoice yet",
    "/runs": "Choose a story above",
}


async def test_an_empty_page_says_what_to_do_next(browser: Browser) -> None:
    """Nobody stands before a blank table."""
    seen = {path: await browser.open(path) for path in EMPTY}
    assert {path: (one.status, EMPTY[path] in one.text) for path, one in seen.items()} == dict.fromkeys(
        EMPTY, (200, True)
    )


async def test_the_list_shows_where_each_event_stands(browser: Browser) -> None:
    """State, type, resource, endpoint, attempts and the next attempt in virtual and relative time."""
    await with_endpoint(browser, NOWHERE)
    await make(browser)
    await browser.send("/clock/move", by="4m")
    seen = (await browser.open("/")).text
    (event,) = await events_of(browser.simulator)
    for part in (
        "pending",
        "invoice.cancelled",
        event.event_id,
        event.resource_id,
        NOWHERE,
        "refused",
        "in\xa03\xa0min",
    ):
        assert part.replace("\xa0", " ") in seen


async def test_filters_and_the_archive(browser: Browser) -> None:
    """A hundred are on the first page; a link leads to older ones, and each filter leaves out what does not fit."""
    await with_endpoint(browser, NOWHERE)
    await cancelled_many(browser.simulator, 101)
    first = await browser.open("/")
    assert first.html.count('<tr id="row-') == 100
    (older,) = re.findall(r'rel="next" href="([^"]+)"', first.html)
    assert (await browser.open(older)).html.count('<tr id="row-') == 1
    newest = (await events_of(browser.simulator))[-1]
    assert (await browser.open(f"/?resource_id={newest.resource_id}")).html.count('<tr id="row-') == 1
    for query in ("state=failed", "event_type=invoice.paid", "endpoint_id=whe_1", "state=nonsense", "before=x%00"):
        assert '<tr id="row-' not in (await browser.open(f"/?{query}")).html


async def test_an_event_shows_its_attempts_and_their_bytes(browser: Browser) -> None:
    """Request, answer, headers, the axis, and a signature that is taken apart and fits."""
    async with receiving(lambda _: 503) as receiver:
        await with_endpoint(browser, receiver.url())
        await make(browser)
        await browser.send("/clock/move", by="10m")
        (event,) = await events_of(browser.simulator)
        seen = await browser.open(f"/events/{event.event_id}")
    assert seen.html.count('<path class="bad"') == 4
    assert seen.html.count('<circle class="due"') == 1
    for part in ("+1 min", "+7 min", "HTTP 503", "X-Webhook-Signature", f"made with the current secret …{SECRET[-4:]}"):
        assert part in seen.text
    assert SECRET not in seen.html


async def test_two_attempts_can_be_compared(browser: Browser) -> None:
    """What the second answered otherwise is marked."""
    replies = iter([503, 200])
    async with receiving(lambda _: next(replies)) as receiver:
        await with_endpoint(browser, receiver.url())
        await make(browser)
        await browser.send("/clock/move", until="idle")
        (event,) = await events_of(browser.simulator)
        seen = await browser.open(f"/events/{event.event_id}?attempt=2&with=1")
    assert re.search(r'class="first"><span class="sign">.</span>failed status 503', seen.html)
    assert re.search(r'class="second"><span class="sign">\+</span>delivered', seen.html)


async def test_resend_makes_one_more_attempt(browser: Browser) -> None:
    """The button of one event, and the one for everything that failed."""
    async with receiving() as receiver:
        await with_endpoint(browser, receiver.url())
        await make(browser)
        await browser.send("/clock/move", until="idle")
        (event,) = await events_of(browser.simulator)
        seen = await browser.send(f"/events/{event.event_id}/resend", back=f"/events/{event.event_id}")
        assert (seen.path, "One more attempt was asked for." in seen.text) == (f"/events/{event.event_id}", True)
        await receiver.received(2)
        assert "sent once more: 0" in (await browser.send("/resend")).text
    assert set(receiver.counts.values()) == {2}


async def test_endpoints_live_through_their_states(browser: Browser) -> None:
    """Subscribed, edited, rotated with its window, suspended, resumed, deleted; secrets by their ends only."""
    await browser.open("/endpoints")
    seen = await browser.send("/endpoints", url=NOWHERE, secret="whsec_test_first_secret", back="/endpoints")
    assert "whsec_test_first_secret" in seen.text
    (endpoint,) = await browser.simulator.subscriptions.all()
    seen = await browser.open("/endpoints")
    assert ("whsec_test_first_secret" in seen.html, "…cret" in seen.text) == (False, True)
    at = f"/endpoints/{endpoint.id}"
    seen = await browser.send(f"{at}/rotate", back="/endpoints")
    assert "the previous secret …cret signs for 1 d more" in seen.text
    assert "whsec_test_first_secret" not in seen.html
    assert "suspended" in (await browser.send(f"{at}/suspend", back="/endpoints")).text
    assert "active" in (await browser.send(f"{at}/resume", back="/endpoints")).text
    edited = await browser.send(f"{at}/edit", url=f"{NOWHERE}/2", back="/endpoints", **{"category-invoice": "1"})
    assert (f"{NOWHERE}/2" in edited.text, "withdrawal" in edited.text.partition("Its events")[0]) == (True, False)
    revealed = await browser.send(f"{at}/reveal", back="/endpoints")
    assert (await browser.simulator.subscriptions.all())[0].secret in revealed.text
    assert "deleted" in (await browser.send(f"{at}/delete", back="/endpoints")).text


async def test_a_rotation_shows_both_values(browser: Browser) -> None:
    """Each of the two signatures is told with the secret that made it."""
    async with receiving() as receiver:
        endpoint = await with_endpoint(browser, receiver.url())
        await browser.send(f"/endpoints/{endpoint}/rotate")
        await make(browser)
        await browser.send("/clock/move", until="idle")
        (event,) = await events_of(browser.simulator)
        seen = await browser.open(f"/events/{event.event_id}")
    assert "made with the current secret" in seen.text
    assert f"made with the previous secret …{SECRET[-4:]}" in seen.text


async def test_the_clock_moves(browser: Browser) -> None:
    """By a duration, to an instant, to what is due next, and in another mode; what cannot be is told on the page."""
    await with_endpoint(browser, NOWHERE)
    await make(browser)
    began = await browser.simulator.now()
    assert "attempt" in (await browser.open("/clock")).text
    await browser.send("/clock/move", by="1h", back="/clock")
    assert await browser.simulator.now() - began == 3_600_000_000
    assert "all on the way has settled" in (await browser.send("/clock/move", until="next", back="/clock")).text
    assert "never goes back" in (await browser.send("/clock/move", to="2020-01-01T00:00:00Z", back="/clock")).text
    assert "has no unit" in (await browser.send("/clock/move", by="600", back="/clock")).text
    assert "runs in mode skip" in (await browser.send("/clock/mode", mode="skip", back="/clock")).text


async def test_an_invoice_shows_its_silent_life_and_what_it_caused(browser: Browser) -> None:
    """Also the transitions that nobody is told of, and the deliveries at every endpoint."""
    async with receiving() as receiver:
        await with_endpoint(browser, receiver.url("/a"))
        await with_endpoint(browser, receiver.url("/b"))
        seen = await make(browser, "confirming")
        for deed in ("reorg", "paid"):
            seen = await browser.send(seen.path, deed=deed, back=seen.path)
    for part in ("silent", "network chosen", "reorg removed a transfer", "invoice.awaiting_payment", "invoice.paid"):
        assert part in seen.text
    assert seen.text.count("invoice.paid evt_") == 2
    assert ("/a" in seen.text, "/b" in seen.text, "This status is final" in seen.text) == (True, True, True)


async def test_the_console_drives_an_invoice(browser: Browser) -> None:
    """Every outcome of the console's list can be had at once, and leads to the invoice's page."""
    await with_endpoint(browser, NOWHERE)
    for deed in OUTCOMES:
        seen = await make(browser, deed.name)
        assert (seen.path.startswith("/resources/inv_"), f"Made, and done: {deed.says}" in seen.text) == (True, True)


async def test_the_console_makes_any_event(browser: Browser) -> None:
    """A deposit has a page as well."""
    await with_endpoint(browser, NOWHERE)
    seen = await browser.send("/console/trigger", event_type="payment_channel.deposit.confirmed")
    assert "payment_channel.deposit.confirmed evt_" in seen.text


async def test_what_is_refused_is_told_where_the_form_was(browser: Browser) -> None:
    """A wrong amount, an unknown button, a status that does not allow it."""
    assert "is not an amount" in (await _bad_amount(browser)).text
    seen = await make(browser, "paid")
    assert "a final status is never left" in (await browser.send(seen.path, deed="paid", back=seen.path)).text
    assert "no such button" in (await browser.send(seen.path, deed="explode", back=seen.path)).text


async def _bad_amount(browser: Browser) -> Seen:
    await browser.open("/console")
    return await browser.send("/console/invoice", amount="ten", currency="USD", back="/console")


async def test_a_crash_is_armed_by_one_click(browser: Browser) -> None:
    """And makes the duplicate: two requests, one attempt on record; the fault is gone from the list then."""
    async with receiving() as receiver:
        await with_endpoint(browser, receiver.url())
        seen = await browser.send("/faults", fault="crash:relay.after_send", event_type="invoice.paid", back="/faults")
        assert "It strikes at the next delivery that fits" in seen.text
        await make(browser, "paid")
        await browser.send("/clock/move", until="idle")
        assert "Nothing is armed" in (await browser.open("/faults")).text
        assert max(receiver.counts.values()) == 2
    (paid,) = [one for one in await events_of(browser.simulator) if one.event_type == "invoice.paid"]
    assert (paid.attempts, receiver.counts[paid.event_id]) == (1, 2)
    seen = await browser.open(f"/events/{paid.event_id}")
    assert "The relay died after the receiver had the request" in seen.text
    assert "two requests, one attempt on record" in seen.text
    assert ("armed: relay.after_send" in seen.text, '<path class="lost"' in seen.html) == (True, True)
    for path in ("/", f"/resources/{paid.resource_id}"):
        assert f"{paid.event_id}" in (await browser.open(path)).text.partition("relay died")[0]


async def test_an_event_that_was_sent_once_needs_no_reason(browser: Browser) -> None:
    """Its page says nothing of duplicates."""
    async with receiving() as receiver:
        await with_endpoint(browser, receiver.url())
        await make(browser)
        await browser.send("/clock/move", until="idle")
        (event,) = await events_of(browser.simulator)
        assert "more than once" not in (await browser.open(f"/events/{event.event_id}")).text


async def test_refusals_are_told_in_the_browsers_language(browser: Browser) -> None:
    """Where the form was, and on a page of its own; what exactly stands behind it as the API says it."""
    browser.language = "ru"
    await browser.open("/clock")
    seen = await browser.send("/clock/move", by="600", back="/clock")
    assert "Длительность — это число" in seen.text
    assert re.search(r'<small class="detail" lang="en">[^<]*has no unit', seen.html)
    missing = await browser.open("/events/evt_0")
    assert re.search("<h1>Такого события нет", missing.html)
    assert "there is no event evt_0" in missing.text


async def test_faults_are_taken_back(browser: Browser) -> None:
    """One, then all; with the fields that were given."""
    await browser.open("/faults")
    await browser.send("/faults", fault="wire:delay", params="by=3s", attempt="2", times="4")
    seen = await browser.send("/faults", fault="wire:drop", back="/faults")
    assert ("by=3s" in seen.text, "attempt 2" in seen.text) == (True, True)
    (first, _) = await browser.simulator.subscriptions.armed()
    assert "by=3s" not in (await browser.send(f"/faults/{first.id}/disarm", back="/faults")).text
    assert "Nothing is armed" in (await browser.send("/faults/clear", back="/faults")).text
    refused = await browser.send("/faults", fault="wire:delay", params="by", back="/faults")
    assert "write fields as in by=3s" in refused.text


async def test_russian_by_the_browsers_language(browser: Browser) -> None:
    """The page says which language it is in."""
    browser.language = "fr, ru;q=0.8, en;q=0.5"
    seen = await browser.open("/endpoints")
    assert ('<html lang="ru">' in seen.html, "Подписать получателя" in seen.text) == (True, True)


async def test_what_is_not_there_is_a_page_too(browser: Browser) -> None:
    """A link that leads nowhere leads to a page that says so."""
    for path in ("/events/evt_0", "/resources/x", "/attempts/1/answer", "/events/a%00b", "/runs/run_9"):
        seen = await browser.open(path)
        assert (seen.status, seen.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
        assert "There is no such thing" in seen.text
