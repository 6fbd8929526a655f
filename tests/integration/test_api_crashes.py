"""The API dies at a crash point: the client is cut off without an answer, and asks again with the same order id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aiohttp
import pytest

from sender.crash import CrashPoint
from tests.api import ORDER, serving
from tests.simulators import crash

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.api import Api

CANCEL = {"reason": "changed my mind"}


@pytest.fixture
async def api(database_url: str) -> AsyncIterator[Api]:
    """Give a running API, once on each kind of database."""
    async with serving(database_url) as running:
        yield running


async def cut_off(api: Api, point: CrashPoint, target: str) -> None:
    """Arm a crash and call, and be cut off."""
    await api.simulator.subscriptions.arm(crash(point, event_type="invoice.cancelled"))
    with pytest.raises((aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)):
        await api.call("POST", target, CANCEL)


async def test_death_before_the_commit_leaves_nothing(api: Api) -> None:
    """The client saw an error, and nothing has happened: the same call again does it."""
    invoice = (await api.call("POST", "/v1/invoices", ORDER)).document["invoice_id"]
    await cut_off(api, CrashPoint.DISPATCH_BEFORE_COMMIT, f"/v1/invoices/{invoice}/cancel")
    assert (await api.call("GET", f"/v1/invoices/{invoice}")).document["status"] == "awaiting_client"
    again = await api.call("POST", f"/v1/invoices/{invoice}/cancel", CANCEL)
    assert (again.status, again.document["status"]) == (200, "cancelled")


async def test_death_after_the_commit_leaves_everything(api: Api) -> None:
    """The client saw an error, and all of it has happened: the same call again is refused as done."""
    invoice = (await api.call("POST", "/v1/invoices", ORDER)).document["invoice_id"]
    await cut_off(api, CrashPoint.DISPATCH_AFTER_COMMIT, f"/v1/invoices/{invoice}/cancel")
    assert (await api.call("GET", f"/v1/invoices/{invoice}")).document["status"] == "cancelled"
    again = await api.call("POST", f"/v1/invoices/{invoice}/cancel", CANCEL)
    assert (again.status, again.document["code"]) == (409, "invoice_cannot_be_cancelled")
    replay = await api.call("POST", "/v1/invoices", ORDER)
    assert (replay.status, replay.document["invoice_id"]) == (200, invoice)
