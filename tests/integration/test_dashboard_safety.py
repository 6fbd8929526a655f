"""What keeps the dashboard harmless: foreign pages, the token, hostile answers, headers of every page."""

from __future__ import annotations

import hashlib
import hmac
import json
import shlex
from typing import TYPE_CHECKING

from sender.web.dashboard.pages import POLICY
from sender.web.parts import ApiOptions
from tests.pages import browsing, with_endpoint
from tests.receivers import receiving
from tests.simulators import SECRET, cancelled, events_of, order

if TYPE_CHECKING:
    from tests.pages import Browser

HOSTILE = b"HTTP/1.1 500 X\r\nX-Evil: <img src=x onerror=alert(1)>\r\nContent-Length: %d\r\n\r\n%b"
MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>\0\u202edetrever\u2066\x1b[31m".encode()


def answering(body: bytes) -> bytes:
    """Write a whole answer around a body."""
    return HOSTILE % (len(body), body)


async def test_a_change_from_a_foreign_page_is_refused() -> None:
    """Another site's Origin or Host, a form without the page's token, or with an old one: nothing is done."""
    async with browsing() as browser:
        await with_endpoint(browser, "http://127.0.0.1:9/")
        form = {"url": "http://127.0.0.1:9/evil", "page_token": browser.page_token}
        evil = [{"Origin": "http://evil.example"}, {"Host": "evil.example"}, {"Origin": "null"}]
        for headers in evil:
            async with browser.session.post(f"{browser.base}/endpoints", data=form, headers=headers) as answer:
                assert answer.status == 403
        for token in ("", "x", browser.page_token[:-1]):
            assert "reload the page" in (await browser.send("/endpoints", url="http://x/", page_token=token)).text
        assert len(await browser.simulator.subscriptions.all()) == 1


async def test_a_form_leads_back_to_this_server_only() -> None:
    """Whatever a form says about where it was."""
    async with browsing() as browser:
        await browser.open("/clock")
        for back in ("//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "/x\r\ny"):
            form = {"page_token": browser.page_token, "back": back, "mode": "manual"}
            ask = browser.session.post(f"{browser.base}/clock/mode", data=form, allow_redirects=False)
            async with ask as answer:
                assert (answer.status, answer.headers["Location"].partition("?")[0]) == (303, "/")


async def test_the_token_is_asked_for_once() -> None:
    """Without it no page shows anything; with it the browser stays known, by a cookie that no script reads."""
    async with browsing(options=ApiOptions(control_token="the token")) as browser:
        for path in ("/", "/endpoints", "/events/evt_1", "/clock"):
            seen = await browser.open(path)
            assert (seen.status, "asks for its token" in seen.text, "page_token" in seen.html) == (401, True, False)
        wrong = await browser.send("/login", token="a token", back="/clock")
        assert (wrong.status, "That is not the token" in wrong.text) == (401, True)
        seen = await browser.send("/login", token="the token", back="/clock")
        assert (seen.status, seen.path) == (200, "/clock")
        (cookie,) = browser.session.cookie_jar
        assert (cookie["httponly"], cookie["samesite"], cookie.value != "the token") == (True, "Strict", True)
        assert "Virtual clock" in (await browser.send("/clock/move", by="1m", back="/clock")).text


async def test_every_page_forbids_what_it_does_not_need() -> None:
    """No script but ours, no frame around it, no guessing of types, no script and no style in the page."""
    async with browsing() as browser:
        await with_endpoint(browser, "http://127.0.0.1:9/")
        await cancelled(browser.simulator)
        for path in ("/", "/endpoints", "/faults", "/clock", "/console", "/runs", "/events/none", "/nothing/of/ours"):
            seen = await browser.open(path)
            if seen.headers["Content-Type"].startswith("text/html"):
                assert seen.headers["Content-Security-Policy"] == POLICY
                assert seen.headers["X-Content-Type-Options"] == "nosniff"
                assert not any(
                    part in seen.html for part in ("<style", " style=", " onclick=", "javascript:", "http://www")
                )
                assert seen.html.count("<script") == seen.html.count('<script src="/_ui/app.js?')


async def test_no_answer_is_for_a_page_of_another_origin() -> None:
    """Another port's page may read nothing, and send nothing but a plain form; another site's gets no answer at all."""
    async with browsing() as browser:
        for path in ("/", "/clock", "/v1/invoices", "/_sim/v1/events", "/_sim/v1/stream", "/_sim/v1/health"):
            for origin, refused in (("http://localhost:3000", False), ("http://evil.example", True)):
                asks = {"Access-Control-Request-Method": "DELETE", "Access-Control-Request-Headers": "x-page-token"}
                for method, more in (("GET", {}), ("OPTIONS", asks)):
                    headers = {"Origin": origin, **more}
                    async with browser.session.request(method, browser.base + path, headers=headers) as answer:
                        assert [name for name in answer.headers if name.lower().startswith("access-control")] == []
                        assert answer.status == 403 if refused else method == "GET" or answer.status >= 400


async def _answered(browser: Browser, body: bytes) -> str:
    async with receiving(lambda _: answering(body)) as receiver:
        await with_endpoint(browser, receiver.url())
        await cancelled(browser.simulator)
        await browser.send("/clock/move", by="0")
    (event,) = await events_of(browser.simulator)
    return event.event_id


async def test_hostile_text_is_shown_and_does_nothing() -> None:
    """Markup is text, a NUL, an escape and marks that turn the direction stand there by their names."""
    async with browsing() as browser:
        seen = await browser.open(f"/events/{await _answered(browser, MARKUP)}")
        assert "<img src=x" not in seen.html
        assert "&lt;script&gt;alert(2)" in seen.html
        for name in ("␀", "U+202E", "U+2066", "␛"):
            assert f'<b class="odd">{name}</b>' in seen.html
        assert not set("\0\u202e\u2066\x1b") & set(seen.html)


async def test_what_is_no_text_is_dumped() -> None:
    """Binary is shown as numbers, and its bytes can be fetched, as a file that no browser opens."""
    async with browsing() as browser:
        event_id = await _answered(browser, bytes(range(256)))
        seen = await browser.open(f"/events/{event_id}")
        assert "000010 10 11 12 13" in seen.text
        async with browser.session.get(f"{browser.base}/attempts/1/answer") as answer:
            assert await answer.read() == bytes(range(256))
            assert answer.headers["Content-Disposition"].startswith("attachment")
            assert "sandbox" in answer.headers["Content-Security-Policy"]


async def test_a_huge_answer_makes_no_huge_page() -> None:
    """One megabyte comes in; the page shows the beginning."""
    async with browsing() as browser:
        seen = await browser.open(f"/events/{await _answered(browser, b'[' * 1024 * 1024)}")
        assert (seen.status, len(seen.html) < 200_000) == (200, True)


async def test_the_curl_command_verifies() -> None:
    """It carries the same body and a signature of this very moment, with both secrets in a rotation."""
    async with browsing() as browser:
        endpoint = await with_endpoint(browser, "http://127.0.0.1:9/it's?a=1&b=2")
        event_id = (await browser.simulator.invoices.create(order("o'rder \\ ✓"))).resource.id
        event_id = (await browser.simulator.invoices.cancel(event_id, "x")).event_ids[0]
        await browser.send(f"/endpoints/{endpoint}/rotate")
        words = shlex.split((await browser.open(f"/events/{event_id}/curl")).html.replace("\\\n", " "))
        async with browser.session.get(f"{browser.base}/events/{event_id}/body") as answer:
            body = await answer.read()
    assert (words[0], words[4]) == ("curl", "http://127.0.0.1:9/it's?a=1&b=2")
    sent = words[words.index("--data-raw") + 1].encode()
    assert sent == body
    assert json.loads(sent)["data"]["order"]["external_id"] == "o'rder \\ ✓"
    headers = dict(word.split(": ", 1) for at, word in enumerate(words) if words[at - 1] == "--header")
    stamp, *values = headers["X-Webhook-Signature"].split(",")
    made = hmac.new(SECRET.encode(), stamp.removeprefix("t=").encode() + b"." + sent, hashlib.sha256).hexdigest()
    assert (len(values), f"v1={made}" in values, headers["X-Webhook-Id"]) == (2, True, event_id)
