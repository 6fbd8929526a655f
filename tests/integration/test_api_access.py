"""Who may do what: signatures, kinds of keys, environments, the rate limit."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from sender.domain.access import KeyKind
from sender.web.parts import ApiOptions
from tests.api import LIVE_PAYMENT, LIVE_PAYOUT, ORDER, PAYMENT, PAYOUT, serving, sign
from tests.described import document

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.api import Api

JSON = {"Content-Type": "application/json"}


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    """Give a running API."""
    async with serving() as running:
        yield running


def targets(key: str) -> list[tuple[str, str]]:
    """Return method and target of every operation whose description says that it takes ``key``."""
    return [
        (method.upper(), path.replace("{id}", "inv_x"))
        for path, item in document()["paths"].items()
        for method, one in item.items()
        if key in one["description"]
    ]


async def test_query_is_signed_as_it_was_sent(api: Api) -> None:
    """Every way to write a query is signed as written: escaped or not, in any order."""
    for query in ("", "?limit=5", "?project_id=prj%2Fa&limit=5", "?status=paid&status=paid_over", "?project_id=a+b~c"):
        answer = await api.call("GET", f"/v1/invoices{query}")
        assert answer.status == 200, answer.raw
    target = "/v1/invoices?limit=5"
    assert (await api.raw("GET", f"{target}&project_id=a", b"", sign("GET", target))).status == 401
    assert (
        await api.raw("GET", "/v1/invoices?project_id=%61", b"", sign("GET", "/v1/invoices?project_id=a"))
    ).status == 401


async def test_answers_say_nothing_about_keys(api: Api) -> None:
    """An unknown key and a wrong signature are answered alike, but for the trace."""
    good = sign("GET", "/v1/time")["Authorization"]
    told = []
    for wrong in (good.replace(PAYMENT.id, "pk_test_nobody"), good[:-3] + "AA="):
        answer = await api.raw("GET", "/v1/time", b"", sign("GET", "/v1/time") | {"Authorization": wrong})
        told.append({name: value for name, value in answer.document.items() if name != "trace_id"})
        assert answer.status == 401
    assert told[0] == told[1]


@pytest.mark.parametrize(("shift", "status"), [(-290, 200), (290, 200), (-310, 401), (310, 401)])
async def test_old_and_early_signatures_are_refused(api: Api, shift: int, status: int) -> None:
    """Freshness follows real time, also when virtual time is days ahead."""
    await api.simulator.conductor.advance_by(10**12)
    answer = await api.raw("GET", "/v1/time", b"", sign("GET", "/v1/time", shift=shift))
    assert answer.status == status


async def test_body_is_part_of_the_signature(api: Api) -> None:
    """A body that was changed on its way is refused before it is read."""
    headers = sign("POST", "/v1/invoices", b'{"amount":"10.00"}') | JSON
    answer = await api.raw("POST", "/v1/invoices", b'{"amount":"99.00"}', headers)
    assert (answer.status, answer.document["code"]) == (401, "invalid_signature")


async def test_header_that_is_there_twice_is_refused(api: Api) -> None:
    """Two credentials are none."""
    signed = sign("GET", "/v1/time")
    pairs = [("Authorization", signed["Authorization"]), *signed.items()]
    async with api.session.get(f"{api.base}/v1/time", headers=pairs) as answer:
        assert answer.status == 401


async def test_every_operation_asks_who_calls(api: Api) -> None:
    """Without credentials no operation answers anything but 401."""
    for method, target in targets("Takes"):
        answer = await api.raw(method, target, b"", {})
        assert (answer.status, answer.document["code"]) == (401, "unauthorized"), target


async def test_operations_of_the_other_kind_are_refused(api: Api) -> None:
    """A payout key creates no invoice, a payment key sees no balance (contract §5.1)."""
    for method, target in targets("a payment key"):
        answer = await api.call(method, target, key=PAYOUT)
        assert (answer.status, answer.document["code"]) == (403, "payment_key_required"), target
    for method, target in targets("a payout key"):
        answer = await api.call(method, target, key=PAYMENT)
        assert (answer.status, answer.document["code"]) == (403, "payout_key_required"), target


async def test_live_keys_are_refused_in_the_sandbox(api: Api) -> None:
    """What is simulated takes a test key (contract §5.6)."""
    for method, target in targets("of the sandbox"):
        key = LIVE_PAYOUT if "withdrawals" in target else LIVE_PAYMENT
        answer = await api.call(method, target, key=key)
        assert (answer.status, answer.document["code"]) == (403, "not_sandbox"), target


async def test_environments_do_not_see_each_other(api: Api) -> None:
    """``is_test`` follows the key, and what one environment has made is not there in the other."""
    live = (await api.call("POST", "/v1/invoices", ORDER, LIVE_PAYMENT)).document
    assert live["is_test"] is False
    target = f"/v1/invoices/{live['invoice_id']}"
    assert (await api.call("GET", target, key=LIVE_PAYMENT)).status == 200
    for method, path, body in [("GET", "", None), ("POST", "/cancel", {"reason": "x"})]:
        answer = await api.call(method, target + path, body)
        assert (answer.status, answer.document["code"]) == (404, "invoice_not_found")
    assert (await api.call("GET", "/v1/invoices")).document["items"] == []


async def test_external_id_of_the_other_environment_is_a_conflict(api: Api) -> None:
    """The merchant's own id is unique per project, not per environment (contract §5.4)."""
    await api.call("POST", "/v1/invoices", ORDER, LIVE_PAYMENT)
    answer = await api.call("POST", "/v1/invoices", ORDER)
    assert (answer.status, answer.document["code"]) == (409, "invoice_idempotency_conflict")


async def test_key_that_is_added_works_at_once(api: Api) -> None:
    """A new key pair is let in without a restart."""
    key = await api.simulator.merchant.add_key(KeyKind.PAYOUT)
    assert (await api.call("GET", "/v1/balances", key=key)).status == 200


async def test_no_auth_takes_everybody_for_a_test_key() -> None:
    """With authentication off, requests of every kind pass unsigned, into the sandbox."""
    async with serving(options=ApiOptions(authenticate=False)) as api:
        order = await api.raw("POST", "/v1/invoices", json.dumps(ORDER).encode(), JSON)
        balances = await api.raw("GET", "/v1/balances", b"", {"Authorization": "Bearer whatever"})
    assert (order.status, order.document["is_test"], balances.status) == (201, True, 200)


async def test_rate_limit_answers_429_with_retry_after() -> None:
    """Above the rate a key is told when to ask again; another key is not held up by it."""
    async with serving(options=ApiOptions(rate_limit=3)) as api:
        answers = await asyncio.gather(*(api.call("GET", "/v1/time") for _ in range(12)))
        refused = [answer for answer in answers if answer.status == 429]
        other = await api.call("GET", "/v1/time", key=PAYOUT)
    assert len(refused) >= 8
    assert {answer.headers["Retry-After"] for answer in refused} == {"1"}
    assert refused[0].document["code"] == "rate_limited"
    assert other.status == 200
