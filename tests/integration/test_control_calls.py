"""The control API beyond one event: pages, many resends, merchants, resets, runs, the clock's mode, repeated calls."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from sender.domain.delivery import DeliveryState
from sender.errors import RequestRefused
from sender.providers.paymos import EVENT_TYPES
from sender.simulator import Simulator
from sender.subscriptions import NewEndpoint
from tests.api import ORDER, make_settings, serving
from tests.controlling import ask
from tests.receivers import Gate, accept, receiving, refuse
from tests.simulators import RecordingLog

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.api import Api

NOWHERE = "http://127.0.0.1:9/"


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    """Give a running API."""
    async with serving() as running:
        yield running


async def cancelled(api: Api, name: str = "order-1") -> str:
    """Make the smallest story with one event and return the invoice's id."""
    invoice = (await api.call("POST", "/v1/invoices", ORDER | {"external_order_id": name})).document["invoice_id"]
    await api.call("POST", f"/v1/invoices/{invoice}/cancel", {"reason": "x"})
    return str(invoice)


async def idle(api: Api) -> None:
    """Let everything that is due happen."""
    await ask(api, "POST", "/clock", {"by": "0"})


async def failed(api: Api, count: int) -> list[str]:
    """Let so many events fail for good; return their ids, newest first."""
    for number in range(count):
        await cancelled(api, f"order-{number}")
    await ask(api, "POST", "/clock", {"until": "idle"})
    return [one["event_id"] for one in (await ask(api, "GET", "/events?state=failed")).document["items"]]


async def test_events_come_in_pages_and_by_filter(api: Api) -> None:
    """Each event once over all pages; state, type and endpoint leave what they name; the newest attempt is told."""
    endpoint = (await ask(api, "POST", "/endpoints", {"url": NOWHERE})).document["id"]
    for number in range(5):
        await cancelled(api, f"order-{number}")
    await idle(api)
    seen, cursor = [], ""
    while cursor is not None:
        page = (await ask(api, "GET", f"/events?limit=2{cursor and '&cursor=' + cursor}")).document
        seen += [one["event_id"] for one in page["items"]]
        cursor = page["next_cursor"]
    assert (len(seen), len(set(seen))) == (5, 5)
    for query, count in [("state=pending", 5), ("state=delivered", 0), ("event_type=invoice.cancelled", 5),
                         (f"endpoint_id={endpoint}", 5), ("endpoint_id=whe_0", 0)]:  # fmt: skip
        assert len((await ask(api, "GET", f"/events?{query}")).document["items"]) == count
    (first, *_) = (await ask(api, "GET", "/events?limit=1")).document["items"]
    assert (first["last_attempt"]["outcome"], first["last_attempt"]["reason"]) == ("failed", "refused")


@pytest.mark.parametrize("query", ["state=sent", "limit=0", "limit=101", "cursor=abc", "colour=red", "state="])
async def test_malformed_filters_are_refused(api: Api, query: str) -> None:
    """A filter that is none is a 400, never an empty list."""
    assert (await ask(api, "GET", f"/events?{query}")).status == 400


async def test_attempts_are_read_one_by_one_and_in_parts(api: Api) -> None:
    """An attempt has an id of its own, under which every byte is shown; a long list is read in parts."""
    async with receiving(refuse) as receiver:
        await ask(api, "POST", "/endpoints", {"url": receiver.url()})
        (event,) = await failed(api, 1)
        first = (await ask(api, "GET", f"/events/{event}/attempts?limit=10")).document
        rest = (await ask(api, "GET", f"/events/{event}/attempts?after={first['next_after']}")).document
        assert ([one["number"] for one in rest["items"]], rest["next_after"]) == ([11], None)
        one = (await ask(api, "GET", f"/attempts/{first['items'][2]['id']}")).document
    assert one == first["items"][2]
    assert one["request_body"]["text"].encode() == receiver.requests[2].body
    for nothing in ("/attempts/99", "/attempts/abc", "/events/evt_0/attempts"):
        assert (await ask(api, "GET", nothing)).status == 404


async def test_everything_that_failed_is_resent_at_once(api: Api) -> None:
    """All failed events are delivered after the receiver was mended; what cannot be resent is told with its reason."""
    async with receiving(refuse) as receiver:
        endpoint = (await ask(api, "POST", "/endpoints", {"url": receiver.url()})).document["id"]
        events = await failed(api, 3)
        receiver.script = accept
        some = (await ask(api, "POST", "/resend", {"events": [events[0], "evt_0"]})).document
        assert (some["resent"], [one["code"] for one in some["refused"]]) == (events[:1], ["event_not_found"])
        await idle(api)
        rest = (await ask(api, "POST", "/resend", {"failed": True, "endpoint_id": endpoint})).document
        assert rest == {"resent": events[1:], "refused": [], "more": False}
        await idle(api)
        counted = {one["state"] for one in (await ask(api, "GET", "/events")).document["items"]}
    assert counted == {DeliveryState.DELIVERED}
    wrongs: list[dict] = [
        {},
        {"failed": True, "events": events},
        {"events": []},
        {"events": events, "endpoint_id": "x"},
    ]
    for wrong in wrongs:
        assert (await ask(api, "POST", "/resend", wrong)).status == 400


async def test_a_double_click_resends_once(api: Api) -> None:
    """While the attempt by hand is under way, asking again is answered as the first time and changes nothing."""
    async with receiving() as receiver:
        await ask(api, "POST", "/endpoints", {"url": receiver.url()})
        await cancelled(api)
        await idle(api)
        ((event,), receiver.script) = (await ask(api, "GET", "/events")).document["items"], (gate := Gate())
        answers = [await ask(api, "POST", f"/events/{event['event_id']}/resend") for _ in range(3)]
        gate.open()
        await idle(api)
    assert ([one.status for one in answers], len(receiver.requests)) == ([202] * 3, 2)


async def test_the_same_key_makes_a_call_once(api: Api) -> None:
    """Two calls under one Idempotency-Key, also at the same time, are one; another key, or a refusal, is not held."""
    body, key = {"url": NOWHERE}, {"Idempotency-Key": "form-1"}
    first, second = await asyncio.gather(*[ask(api, "POST", "/endpoints", body, **key) for _ in range(2)])
    assert first.document == second.document
    await ask(api, "POST", "/endpoints", body, **{"Idempotency-Key": "form-2"})
    assert len((await ask(api, "GET", "/endpoints")).document["items"]) == 2
    assert (await ask(api, "POST", "/endpoints/whe_0/suspend", **key)).status == 404
    assert (await ask(api, "POST", "/endpoints", body, **{"Idempotency-Key": "x" * 201})).status == 400


async def test_secrets_are_shown_whole_only_on_request(api: Api) -> None:
    """Lists show the last four characters; a call of its own shows the rest, the old one of a rotation too."""
    added = (await ask(api, "POST", "/endpoints", {"url": NOWHERE})).document
    assert (await ask(api, "GET", f"/endpoints/{added['id']}")).document["secret"] == f"…{added['secret'][-4:]}"
    await ask(api, "POST", f"/endpoints/{added['id']}/rotate", {"secret": "whsec_test_new"})
    revealed = (await ask(api, "POST", f"/endpoints/{added['id']}/reveal")).document
    assert revealed == {"secret": "whsec_test_new", "previous_secret": added["secret"]}
    short = (await ask(api, "POST", "/endpoints", {"url": NOWHERE, "secret": "abcd"})).document
    assert (await ask(api, "GET", f"/endpoints/{short['id']}")).document["secret"] == "…cd"
    for _ in range(2):
        assert (await ask(api, "DELETE", f"/endpoints/{added['id']}")).document["status"] == "deleted"
    assert (await ask(api, "POST", "/endpoints/whe_0/reveal")).document["code"] == "endpoint_not_found"


async def test_strict_endpoints_are_the_providers(tmp_path: Path) -> None:
    """With the provider's own rule a loopback URL is refused when it is added and when it is edited in."""
    settings = make_settings(f"sqlite:///{tmp_path / 'strict.sqlite3'}", strict_endpoints=True)
    async with Simulator(settings, log=RecordingLog()) as simulator:
        added = await simulator.subscriptions.add(NewEndpoint(url="https://shop.example.com/"))
        for change in (simulator.subscriptions.add(NewEndpoint(url=NOWHERE)),
                       simulator.subscriptions.edit(added.id, url=NOWHERE)):  # fmt: skip
            with pytest.raises(RequestRefused, match="strict-endpoints"):
                await change


async def test_the_feed_of_deposits_is_stopped_and_let_go(api: Api) -> None:
    """The merchant's reconciliation is told which deposit blocks the feed and why, as the provider tells it."""
    made = (await ask(api, "POST", "/trigger", {"event_type": "payment_channel.deposit.confirmed"})).document
    deposit = made["resource_id"]
    assert (await ask(api, "POST", f"/deposits/{deposit}/block", {"reason": "transfer_missing"})).status == 204
    page = (await api.call("GET", "/v1/payment-channel-deposits")).document
    assert (page["items"], page["blocked"]) == ([], {"deposit_id": deposit, "reason": "transfer_missing"})
    assert (await ask(api, "POST", f"/deposits/{deposit}/unblock")).status == 204
    page = (await api.call("GET", f"/v1/payment-channel-deposits?cursor={page['next_cursor']}")).document
    assert ([one["id"] for one in page["items"]], "blocked" in page) == ([deposit], False)
    assert (await ask(api, "POST", "/deposits/pcd_0/block", {})).document["code"] == "deposit_not_found"
    assert (await ask(api, "POST", f"/deposits/{deposit}/block", {"reason": "mood"})).status == 400


async def test_projects_and_keys_are_added_and_work_at_once(api: Api) -> None:
    """A new project takes invoices, a new key signs, a revoked key is refused from then on."""
    project = (await ask(api, "POST", "/projects", {"name": "shop"})).document
    assert (await ask(api, "GET", "/projects")).document["items"][-1] == project
    made = (await ask(api, "POST", "/keys", {"kind": "payment"})).document
    (*_, listed) = (await ask(api, "GET", "/keys")).document["items"]
    assert listed == {**made, "secret": f"…{made['secret'][-4:]}"}
    assert (await ask(api, "POST", f"/keys/{made['id']}/reveal")).document == made
    key = next(one for one in await api.simulator.merchant.keys() if one.id == made["id"])
    answer = await api.call("POST", "/v1/invoices", ORDER | {"project_id": project["id"]}, key=key)
    assert answer.status == 201
    assert (await ask(api, "DELETE", f"/keys/{made['id']}")).status == 204
    assert (await ask(api, "DELETE", f"/keys/{made['id']}")).document["code"] == "key_not_found"
    assert (await api.call("GET", "/v1/time", key=key)).document["code"] == "invalid_signature"
    for wrong in ({"kind": ""}, {"kind": "card"}, {"kind": "payment", "is_test": "yes"}):
        assert (await ask(api, "POST", "/keys", wrong)).status == 400
    assert (await ask(api, "POST", "/projects", {"name": " "})).status == 400


async def test_reset_clears_by_scope_and_forgets_keys(api: Api) -> None:
    """Between two tests: state and faults go unless more is named; an added project and key are gone with theirs."""
    await ask(api, "POST", "/endpoints", {"url": NOWHERE})
    project = (await ask(api, "POST", "/projects", {"name": "shop"})).document["id"]
    await api.call("POST", "/v1/invoices", ORDER | {"project_id": project})
    await cancelled(api)
    assert (await ask(api, "POST", "/reset")).document == {"waited_for": 0, "dropped": 0}
    assert (await ask(api, "GET", "/events")).document["items"] == []
    assert len((await ask(api, "GET", "/endpoints")).document["items"]) == 1
    await ask(api, "POST", "/reset", {"scopes": ["state", "merchant", "endpoints", "clock"], "patience": "1s"})
    assert (await ask(api, "GET", "/endpoints")).document["items"] == []
    answer = await api.call("POST", "/v1/invoices", ORDER | {"project_id": project})
    assert answer.document["code"] == "project_not_found"
    assert (await api.call("POST", "/v1/invoices", ORDER)).status == 201
    wrongs: list[dict] = [{"scopes": []}, {"scopes": ["all"]}, {"scopes": ["clock"]}, {"patience": "soon"}]
    for wrong in wrongs:
        assert (await ask(api, "POST", "/reset", wrong)).status == 400


async def test_the_mode_is_set_and_what_comes_is_listed(api: Api) -> None:
    """The clock goes on in another mode from where it stands; the next deadlines are told in their order."""
    now = (await ask(api, "GET", "/clock")).document["now"]
    await ask(api, "POST", "/endpoints", {"url": NOWHERE})
    await cancelled(api)
    await idle(api)
    ahead = (await ask(api, "GET", "/clock/upcoming")).document
    assert ([one["what"] for one in ahead["items"]], ahead["now"]) == (["attempt"], now)
    assert (await ask(api, "PATCH", "/clock", {"mode": "scale:60"})).document["rate"] == 60
    assert (await ask(api, "PATCH", "/clock", {"mode": "sideways"})).status == 400


@pytest.mark.parametrize("event_type", EVENT_TYPES)
async def test_every_event_can_be_triggered(api: Api, event_type: str) -> None:
    """Whatever an event needs is made and driven there, and its delivery is named."""
    await ask(api, "POST", "/endpoints", {"url": NOWHERE})
    made = (await ask(api, "POST", "/trigger", {"event_type": event_type, "overrides": {"amount": "5"}})).document
    (event_id,) = made["event_ids"]
    event = (await ask(api, "GET", f"/events/{event_id}")).document
    assert (event["event_type"], event["resource_id"]) == (event_type, made["resource_id"])
    assert '"5' in event["body"]["text"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"event_type": "invoice.payed"}, "did you mean 'invoice.paid'?"),
        ({"event_type": "invoice.paid", "overrides": {"network": "TRC20"}}, "no 'network' to override"),
        ({"event_type": "invoice.paid", "overrides": {"amount": "-1"}}, "amount"),
        ({"event_type": "withdrawal.created", "overrides": {"amount": "1000000000"}}, "balance"),
    ],
)
async def test_what_cannot_be_triggered_is_refused(api: Api, body: dict, says: str) -> None:
    """A misspelt event, a value that the resource does not have, an amount that cannot be."""
    answer = await ask(api, "POST", "/trigger", body)
    assert answer.status in {400, 409}
    assert says in answer.document["detail"]


async def test_metrics_are_text_that_prometheus_reads(api: Api) -> None:
    """Events by state, lag and the clock, each name with its type once."""
    await ask(api, "POST", "/endpoints", {"url": NOWHERE})
    await cancelled(api)
    await idle(api)
    answer = await ask(api, "GET", "/metrics")
    lines = answer.raw.decode().splitlines()
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert {'paymos_sim_events{state="pending"} 1', "paymos_sim_relay_up 1", "paymos_sim_resets_total 0"} <= set(lines)
    types = [line for line in lines if line.startswith("# TYPE")]
    assert len(types) == len(set(types))
    assert "# TYPE paymos_sim_resets_total counter" in types
