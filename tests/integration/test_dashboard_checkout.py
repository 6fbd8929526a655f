"""The checkout page: where payment_url leads, for a payer and for whoever plays one."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from sender.web.parts import ApiOptions
from tests.pages import browsing
from tests.simulators import order

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.pages import Browser, Seen

_PAYER_TOKEN = re.compile(r'name="payer_token" value="([^"]+)"')


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """Give a browser before a simulator that has just started."""
    async with browsing() as running:
        yield running


async def invoice(browser: Browser, **changes: Any) -> str:
    """Make an invoice and return the path of its checkout page."""
    made = await browser.simulator.invoices.create(order(**{"amount": Decimal("100.00"), **changes}))
    return f"/invoice/{made.resource.id}"


async def choose(browser: Browser, seen: Seen, pair: str) -> Seen:
    """Choose a network on the page."""
    (token,) = _PAYER_TOKEN.findall(seen.html)
    return await browser.send(f"{seen.path}/choose", pair=pair, payer_token=token, page_token="", back=seen.path)


async def test_a_payer_chooses_a_network_and_gets_an_address(browser: Browser) -> None:
    """First what it costs on each network, then the address with its QR code and the amount that is missing."""
    seen = await browser.open(await invoice(browser))
    assert ("100.00 USD" in seen.text, "Choose how to pay" in seen.text, "<svg" in seen.html) == (True, True, False)
    assert {"USDT:TRC20", "USDC:ERC20"} <= set(re.findall(r'name="pair" value="([^"]+)"', seen.html))
    seen = await choose(browser, seen, "USDT:TRC20")
    address = re.findall(r'class="mono address">([^<]+)<', seen.html)
    assert 'viewBox="0 0 ' in seen.html  # else a browser would cut the code off where it scales it
    assert ('class="qr"' in seen.html, len(address), address[0][0]) == (True, 1, "T")
    assert "Waiting for your payment" in seen.text


@pytest.mark.parametrize(
    ("deed", "says"),
    [
        ("paid", "Paid"),
        ("underpay", "A part has arrived"),
        ("overpaid", "more than was asked"),
        ("cancel", "Cancelled"),
    ],
)
async def test_the_sandbox_has_its_buttons(browser: Browser, deed: str, says: str) -> None:
    """Full, 50 %, 150 % and cancel, as on the provider's page."""
    path = await invoice(browser)
    await browser.open(path)
    seen = await browser.send(f"{path}/simulate", deed=deed, back=path)
    assert says in seen.text.partition("until")[0]


async def test_an_invoice_in_a_token_offers_that_token_only(browser: Browser) -> None:
    """An order of 5 USDT is not paid in something else, and one that names its network waits for no choice."""
    seen = await browser.open(await invoice(browser, currency="USDT", amount=Decimal(5)))
    assert {pair.partition(":")[0] for pair in re.findall(r'name="pair" value="([^"]+)"', seen.html)} == {"USDT"}
    seen = await browser.open(
        await invoice(browser, name="order-2", currency="USDT", amount=Decimal(5), network="TRC20")
    )
    assert ('class="qr"' in seen.html, 'name="pair"' in seen.html) == (True, False)


async def test_what_cannot_be_chosen_is_told(browser: Browser) -> None:
    """A pair that nobody offers, no pair at all, and a form with somebody else's token."""
    seen = await browser.open(await invoice(browser))
    assert "Currency is not supported" in (await choose(browser, seen, "DOGE:TRC20")).text
    assert "choose a network" in (await choose(browser, seen, "")).text
    refused = await browser.send(f"{seen.path}/choose", pair="USDT:TRC20", payer_token="x", back=seen.path)
    assert ("reload the page" in refused.text, "Choose how to pay" in refused.text) == (True, True)


async def test_a_payer_needs_no_token_and_may_not_steer() -> None:
    """Where the simulator asks for its token, the page is open, the buttons are not there and their form is refused."""
    async with browsing(options=ApiOptions(control_token="the token")) as browser:
        seen = await browser.open(await invoice(browser))
        assert ("Choose how to pay" in seen.text, "Sandbox" in seen.text, "page_token" in seen.html) == (
            True,
            False,
            False,
        )
        assert 'class="qr"' in (await choose(browser, seen, "USDT:TRC20")).html
        refused = await browser.send(f"{seen.path}/simulate", deed="paid", back=seen.path)
        assert (refused.status, "asks for its token" in refused.text) == (401, True)
