"""The control API: health, events, endpoints, clock, faults; and who is kept out of it."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

from sender.errors import StoreError
from sender.web.parts import ApiOptions
from tests.api import ORDER, serving
from tests.receivers import receiving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.api import Answer, Api

NOWHERE = "http://127.0.0.1:9/webhook"
JSON = {"Content-Type": "application/json"}


@pytest.fixture
async def api(database_url: str) -> AsyncIterator[Api]:
    """Give a running API, once on each kind of database."""
    async with serving(database_url) as running:
        yield running


HEALTHY = {"status": "ok", "api": True, "database": True, "relay": True, "lag": "0s"}


async def ask(api: Api, method: str, path: str, body: Any = None, **headers: str) -> Answer:
    """Call the control API."""
    data = b"" if body is None else json.dumps(body).encode()
    return await api.raw(method, f"/_sim/v1{path}", data, (JSON if data else {}) | headers)


async def cancelled(api: Api, name: str = "order-1") -> str:
    """Make the smallest story with one event and return the invoice's id."""
    invoice = (await api.call("POST", "/v1/invoices", ORDER | {"external_order_id": name})).document["invoice_id"]
    await api.call("POST", f"/v1/invoices/{invoice}/cancel", {"reason": "x"})
    return str(invoice)


async def test_health_says_what_works(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything works, or 503 with the part that does not."""
    healthy = await ask(api, "GET", "/health")
    assert (healthy.status, healthy.document) == (200, HEALTHY)

    def fail() -> Any:
        raise StoreError("gone")

    monkeypatch.setattr(api.simulator.database, "read", fail)
    failing = await ask(api, "GET", "/health")
    assert (failing.status, failing.document["status"], failing.document["database"]) == (503, "failing", False)


async def test_event_is_shown_with_its_attempts_and_bytes(api: Api) -> None:
    """What was sent and what came back can be read exactly."""
    async with receiving() as receiver:
        await ask(api, "POST", "/endpoints", {"url": receiver.url()})
        invoice = await cancelled(api)
        await ask(api, "POST", "/clock", {"until": "idle"})
        (item,) = (await ask(api, "GET", f"/events?resource_id={invoice}")).document["items"]
        event = (await ask(api, "GET", f"/events/{item['event_id']}")).document
        sent = receiver.requests[0].body
    assert (event["event_type"], event["state"], event["attempts"]) == ("invoice.cancelled", "delivered", 1)
    assert base64.b64decode(event["body"]["base64"]) == sent == event["body"]["text"].encode()
    (attempt,) = event["attempts_made"]
    assert (attempt["number"], attempt["trigger"], attempt["outcome"]) == (1, "scheduled", "delivered")
    assert dict(attempt["request_headers"])["X-Webhook-Id"] == item["event_id"]


async def test_resend_makes_one_more_attempt(api: Api) -> None:
    """A delivered event is sent again by hand, under the same id."""
    async with receiving() as receiver:
        await ask(api, "POST", "/endpoints", {"url": receiver.url()})
        await cancelled(api)
        await ask(api, "POST", "/clock", {"until": "idle"})
        (item,) = (await ask(api, "GET", "/events")).document["items"]
        assert (await ask(api, "POST", f"/events/{item['event_id']}/resend")).status == 202
        await ask(api, "POST", "/clock", {"until": "idle"})
        event = (await ask(api, "GET", f"/events/{item['event_id']}")).document
    assert [one["trigger"] for one in event["attempts_made"]] == ["scheduled", "manual"]


async def test_events_are_newest_first_and_limited(api: Api) -> None:
    """The list begins with the last event and ends where it is told."""
    await ask(api, "POST", "/endpoints", {"url": NOWHERE})
    made = [await cancelled(api, f"order-{number}") for number in range(5)]
    items = (await ask(api, "GET", "/events?limit=3")).document["items"]
    assert [item["resource_id"] for item in items] == made[:1:-1]


async def test_endpoint_lives_through_its_states(api: Api) -> None:
    """Added, edited, rotated, suspended, resumed, deleted; its secret whole when new and masked afterwards."""
    added = await ask(api, "POST", "/endpoints", {"url": NOWHERE, "categories": ["invoice"]})
    assert (added.status, added.document["secret"][:11]) == (201, "whsec_test_")
    target = f"/endpoints/{added.document['id']}"
    (listed,) = (await ask(api, "GET", "/endpoints")).document["items"]
    assert listed["secret"] == f"…{added.document['secret'][-4:]}"
    edited = await ask(api, "PATCH", target, {"project_id": "prj_1", "categories": ["invoice", "withdrawal"]})
    assert (edited.document["project_id"], edited.document["categories"]) == ("prj_1", ["invoice", "withdrawal"])
    assert (await ask(api, "PATCH", target, {"project_id": None})).document["project_id"] is None
    rotated = (await ask(api, "POST", f"{target}/rotate", {"secret": "whsec_test_mine"})).document
    assert (rotated["secret"], rotated["previous_secret_invalid_at"] is None) == ("whsec_test_mine", False)
    for method, path, status in [("POST", f"{target}/suspend", "suspended"), ("POST", f"{target}/resume", "active"),
                                 ("DELETE", target, "deleted")]:  # fmt: skip
        assert (await ask(api, method, path)).document["status"] == status
    assert (await ask(api, "POST", f"{target}/resume")).document["code"] == "endpoint_deleted"


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8005/webhook", "/webhook", "ftp://localhost/", "http://", "http:///webhook", "http://user:pw@localhost/",
     "http://localhost:99999/", "http://local host/", "http://localhost/\u0000", "javascript:alert(1)", 5, None],
)  # fmt: skip
async def test_what_cannot_be_called_is_no_endpoint(api: Api, url: object) -> None:
    """An endpoint is an absolute http or https URL with a host."""
    answer = await ask(api, "POST", "/endpoints", {"url": url})
    assert (answer.status, answer.document["field"]) == (400, "url")


async def test_clock_is_shown_and_moved(api: Api) -> None:
    """By a duration, to an instant, until nothing is pending, until an event has been delivered."""
    start = (await ask(api, "GET", "/clock")).document
    assert (start["mode"], start["rate"]) == ("manual", 0)
    there = (await ask(api, "POST", "/clock", {"to": "2100-01-01T00:00:00Z"})).document
    assert there == {"now": "2100-01-01T00:00:00Z"}
    assert (await ask(api, "POST", "/clock", {"by": "1h30m"})).document == {"now": "2100-01-01T01:30:00Z"}
    await ask(api, "POST", "/endpoints", {"url": NOWHERE})
    await cancelled(api)
    (item,) = (await ask(api, "GET", "/events")).document["items"]
    ended = await ask(api, "POST", "/clock", {"until": "delivered", "events": [item["event_id"]]})
    assert ended.document["now"] > "2100-01-01T17:30:00Z"
    assert (await ask(api, "GET", f"/events/{item['event_id']}")).document["state"] == "failed"


@pytest.mark.parametrize(
    "move",
    [{}, {"by": "1h", "to": "2100-01-01T00:00:00Z"}, {"by": "600"}, {"by": "-1s"}, {"by": 5}, {"to": "tomorrow"},
     {"to": "1999-01-01T00:00:00Z"}, {"until": "later"}, {"until": "delivered"}, {"by": "1s", "events": ["evt_1"]},
     {"until": "delivered", "events": []}],
)  # fmt: skip
async def test_impossible_moves_are_refused(api: Api, move: dict[str, Any]) -> None:
    """One way to move, forward, with a unit."""
    assert (await ask(api, "POST", "/clock", move)).status == 400


async def test_waiting_for_an_unknown_event_is_404(api: Api) -> None:
    """Time does not move for an event that is not there."""
    answer = await ask(api, "POST", "/clock", {"until": "delivered", "events": ["evt_nobody"]})
    assert (answer.status, answer.document["code"]) == (404, "event_not_found")


async def test_faults_are_armed_listed_and_disarmed(api: Api) -> None:
    """Crashes and wire faults, one by one or all at once."""
    crash = {"kind": "crash", "name": "relay.after_send", "on": {"event_type": "invoice.paid"}, "times": 2}
    wire = {"kind": "wire", "name": "duplicate", "params": {"copies": "2"}}
    ids = [(await ask(api, "POST", "/faults", one)).document["id"] for one in (crash, wire)]
    items = (await ask(api, "GET", "/faults")).document["items"]
    assert items == [{"id": ids[0], "params": {}, **crash}, {"id": ids[1], "on": {}, "times": 1, **wire}]
    assert (await ask(api, "DELETE", f"/faults/{ids[0]}")).status == 204
    assert (await ask(api, "DELETE", f"/faults/{ids[0]}")).status == 404
    assert (await ask(api, "DELETE", "/faults")).status == 204
    assert (await ask(api, "GET", "/faults")).document["items"] == []


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ({"kind": "crash", "name": "relay.after_sent"}, "did you mean 'relay.after_send'?"),
        ({"kind": "crash", "name": "relay.after_send", "params": {"copies": "2"}}, "no fields"),
        ({"kind": "wire", "name": "lose_everything"}, "is not a wire fault"),
        ({"kind": "wire", "name": "duplicate", "params": {"copies": "0"}}, "copies"),
        ({"kind": "flood", "name": "noah"}, "kind"),
        ({"kind": "wire", "name": "duplicate", "times": 0}, "times"),
        ({"kind": "wire", "name": "duplicate", "on": {"colour": "red"}}, "colour"),
    ],
)
async def test_faults_that_are_none_are_refused(api: Api, fault: dict[str, Any], says: str) -> None:
    """What no relay could carry out is refused when it is armed, not when it strikes."""
    answer = await ask(api, "POST", "/faults", fault)
    assert answer.status == 400
    assert says in answer.raw.decode()


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/events/evt_0"), ("POST", "/events/evt_0/resend"), ("POST", "/endpoints/whe_0/rotate"),
     ("DELETE", "/endpoints/whe_0"), ("PATCH", "/endpoints/whe_0"), ("DELETE", "/faults/99"), ("GET", "/nothing"),
     ("GET", "/events/%00"), ("POST", "/events/%00/resend"), ("DELETE", "/endpoints/%00"), ("DELETE", "/faults/%00")],
)  # fmt: skip
async def test_what_is_not_there_is_404(api: Api, method: str, path: str) -> None:
    """An id of nothing is not found, whatever characters it has."""
    body: Any = {} if path.endswith(("rotate", "whe_0")) and method != "DELETE" else None
    answer = await ask(api, method, path, body)
    assert (answer.status, answer.headers["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"}])
@pytest.mark.parametrize(("method", "path"), [("GET", "/events"), ("POST", "/endpoints"), ("DELETE", "/faults")])
async def test_foreign_pages_are_kept_out(api: Api, headers: dict[str, str], method: str, path: str) -> None:
    """Neither a rebound name nor a cross-site request gets an answer (issue: DNS rebinding)."""
    answer = await ask(api, method, path, None, **headers)
    assert (answer.status, answer.document["code"]) in {(403, "host_refused"), (403, "origin_refused")}


async def test_token_is_asked_for_where_one_was_chosen() -> None:
    """With a token everything but health needs it; without the right one the answer is 401."""
    async with serving(options=ApiOptions(control_token="opensesame")) as api:
        assert (await ask(api, "GET", "/health")).status == 200
        for given in ({}, {"Authorization": "Bearer opensesam"}, {"Authorization": "opensesame"}):
            for method, path in [("GET", "/events"), ("DELETE", "/faults"), ("POST", "/clock")]:
                assert (await ask(api, method, path, None, **given)).status == 401
        assert (await ask(api, "GET", "/events", None, Authorization="Bearer opensesame")).status == 200
