"""What hurt users of other senders on the wire: bytes, signatures, addresses, answers; from end to end."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from paymos import WebhookVerifier

from sender.durations import HOUR, MILLISECOND
from sender.subscriptions import NewEndpoint
from tests.api import ORDER, serving
from tests.integration.hostile import answering, hostile
from tests.integration.hostile_cases import KILOBYTE, MEGABYTE
from tests.receiver import encode, invoice_event, running, sign
from tests.receivers import Request, accept, receiving, refuse
from tests.simulators import (
    RUNGS,
    SECRET,
    attempts_of,
    cancelled,
    event,
    events_of,
    offsets,
    order,
    simulating,
    subscribe,
    wire_fault,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.receiver import Client

ODD_TEXTS = ("é😀", "\u2028/<&\"'", 'back\\slash "quoted"', "0.1", "tab\tnewline\n", "\x7f\u200b\ufeff", "ﷺ" * 20)


def verifies(request: Request, secret: str = SECRET) -> bool:
    """Ask the provider's own verifier about the bytes as they came."""
    head, _, body = request.raw.partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body)}".encode() in head
    return WebhookVerifier(secret).verify(request.header("X-Webhook-Signature"), body)


async def test_the_bytes_on_the_wire_are_those_that_were_signed(database_url: str) -> None:
    """Whatever text an order holds: first attempt, fourth attempt and resend verify over the raw bytes, all equal."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        count = 5 * len(ODD_TEXTS)
        for number in range(count):
            text = ODD_TEXTS[number % len(ODD_TEXTS)]
            await cancelled(simulator, f"{number} {text}", client_id=text, amount=Decimal("0.10"))
        await simulator.conductor.advance_by(10 * 60 * 1_000 * MILLISECOND)
        for found in await events_of(simulator):
            await simulator.subscriptions.resend(found.event_id)
        await simulator.conductor.quiet()
        assert len(receiver.requests) == 5 * count
        assert [request for request in receiver.requests if not verifies(request)] == []
        assert len({(request.event_id, request.body) for request in receiver.requests}) == count
        texts = {request.event["data"]["order"]["external_id"].partition(" ")[2] for request in receiver.requests}
        assert texts == set(ODD_TEXTS)


@pytest.mark.parametrize("secret", ["ñ🔑", "whsec_test_x\n", " whsec_test_x", "x" * 201, ""])
async def test_a_secret_that_would_be_read_in_two_ways_is_refused_up_front(secret: str) -> None:
    """Blanks, line ends and letters beyond ASCII are refused by name when the secret is given, not at verification."""
    async with serving() as api:
        body = {"url": "http://127.0.0.1:9/", "secret": secret}
        answer = await api.raw("POST", "/_sim/v1/endpoints", encode(body), {"Content-Type": "application/json"})
        assert answer.status == 400
        assert "secret" in answer.raw.decode()


@pytest.mark.parametrize("secret", ["v1,whsec_test_x", "whsec_test_aGVsbG8=", "!~"])
async def test_a_secret_is_the_key_as_it_stands(database_url: str, secret: str) -> None:
    """No prefix is cut off and nothing is decoded: the text itself is the key, as the provider's verifier has it."""
    async with receiving(accept) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url(), secret=secret)
        await cancelled(simulator)
        await simulator.conductor.quiet()
        assert verifies(receiver.requests[0], secret)


@pytest.mark.parametrize("letters", [str.lower, str.upper])
async def test_the_letters_of_header_names_do_not_matter(letters: Callable[[str], str]) -> None:
    """Proxies and HTTP/2 change the case of names; the reference receiver verifies all the same."""

    async def deliver(talk: Client) -> int:
        event_body = invoice_event()
        raw = encode(event_body)
        return await talk.deliver(raw, {letters(name): value for name, value in sign(raw).items()})

    async with running() as (_, talk):
        assert await deliver(talk) == 200


BIG = b"HTTP/1.1 %d Odd\r\nContent-Length: 5242880\r\n\r\n" + MEGABYTE * 5
HEADERS = b"HTTP/1.1 %d Odd\r\nX-Long: " + KILOBYTE * 64 + b"\r\nContent-Length: 0\r\n\r\n"
NUL = b"HTTP/1.1 %d Odd\r\nX-Odd: \xff\xc3\xbc\r\nContent-Length: 8\r\n\r\n\x00\xff\x00 text"


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("reply", [BIG, HEADERS, NUL], ids=["five megabytes", "long headers", "NUL"])
async def test_an_answer_that_is_hard_to_store_is_recorded_all_the_same(
    database_url: str, status: int, reply: bytes
) -> None:
    """The attempt has its outcome and what was kept of the answer, on either database; a 200 is final, a 500 a rung."""
    whole = reply.replace(b"%d", b"%d" % status, 1)
    async with hostile(answering(whole)) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url)
        event_id = await cancelled(simulator)
        await simulator.conductor.quiet()
        (attempt,) = await attempts_of(simulator, event_id)
        found = await event(simulator, event_id)
        assert (attempt.status, found.state) == (status, "delivered" if status == 200 else "pending")
        assert len(attempt.answer_body) <= 65_536
        assert attempt.answer_cut == (reply is not NUL)


@pytest.mark.parametrize("wait", ["120", "86400", "-1", "soon", "Fri, 02 Jan 2026 00:00:00 GMT", "2026-01-02"])
async def test_retry_after_moves_no_rung(wait: str) -> None:
    """Paymos does not say that it honours ``Retry-After``, so neither do we: eleven attempts at their own times."""

    def script(_request: Request) -> bytes:
        return f"HTTP/1.1 429 Busy\r\nRetry-After: {wait}\r\nContent-Length: 0\r\n\r\n".encode()

    async with receiving(script) as receiver, simulating("memory") as simulator:
        await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator)
        await simulator.conductor.advance_until_idle()
        assert offsets(await attempts_of(simulator, event_id)) == list(RUNGS)


async def test_only_two_hundreds_deliver_and_odd_numbers_break_nothing(database_url: str) -> None:
    """Each status goes to an event of its own: 2xx is final, everything else from 300 to 999 is the next rung."""
    statuses = [200, 204, 205, 226, 299, 300, 304, 399, 400, 410, 500, 599, 600, 999]

    def script(request: Request) -> int:
        return int(request.event["data"]["order"]["external_id"])

    async with receiving(script) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        ids = [await cancelled(simulator, str(status)) for status in statuses]
        await simulator.conductor.quiet()
        states = [(await event(simulator, event_id)).state for event_id in ids]
        assert states == ["delivered" if status < 300 else "pending" for status in statuses]
        assert [one.status for one in await attempts_of(simulator)] == statuses


async def test_the_request_is_the_same_on_first_attempt_retry_and_resend(database_url: str) -> None:
    """Target, header names, length and type do not differ between attempts; no chunks, no Expect."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url("/h%2Fk/?a=1&b=2&c=576%3Ax%25&d=ü#frag"))
        event_id = await cancelled(simulator)
        await simulator.conductor.advance_by(HOUR)
        await simulator.subscriptions.resend(event_id)
        await simulator.conductor.quiet()
        shapes = {(one.target, tuple(name for name, _ in one.headers)) for one in receiver.requests}
        ((target, names),) = shapes
        assert target == "/h%2Fk/?a=1&b=2&c=576%3Ax%25&d=%C3%BC"
        assert {"Transfer-Encoding", "Expect"}.isdisjoint(names)
        assert names.count("Content-Length") == names.count("Content-Type") == 1


async def test_the_body_tells_what_the_api_tells(database_url: str) -> None:
    """``data`` of every event of an order equals a read of it, member by member, and what is misspelt is refused."""
    told: dict[str, object] = {}
    async with receiving(accept) as receiver, serving(database_url) as api:

        async def compare(request: Request) -> int:
            data = request.event["data"]
            shown = (await api.call("GET", f"/v1/invoices/{data['invoice_id']}")).document
            told[data["status"]] = {name for name in data.keys() | shown.keys() if data.get(name) != shown.get(name)}
            return 204

        receiver.script = compare
        await api.simulator.subscriptions.add(NewEndpoint(url=receiver.url()))
        wrong = await api.call("POST", "/v1/invoices", ORDER | {"externalid": "x"})
        assert (wrong.status, "externalid" in wrong.raw.decode()) == (400, True)
        made = (await api.call("POST", "/v1/invoices", ORDER)).document["invoice_id"]
        await api.simulator.invoices.pay(made, Decimal(1), confirm=False)
        await api.simulator.conductor.quiet()
        await api.simulator.invoices.confirm(made)
        await api.simulator.conductor.quiet()
        assert told == {"confirming": set(), "underpaid_waiting": set()}


async def test_a_second_event_of_the_same_kind_is_an_event_of_its_own(database_url: str) -> None:
    """Two sightings of money on one invoice are two events with two ids, and both are delivered."""
    async with receiving(accept) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        made = (await simulator.invoices.create(order())).resource
        for _ in range(2):
            await simulator.invoices.pay(made.id, Decimal(1), confirm=False)
            await simulator.invoices.reorg(made.id)
        await simulator.conductor.quiet()
        events = await events_of(simulator)
        kinds = [one.event_type for one in events]
        assert kinds.count("invoice.confirming") == 2
        assert len({one.event_id for one in events}) == len(events) == len(receiver.counts)


async def test_a_rotation_and_a_fault_do_not_change_stored_bytes(database_url: str) -> None:
    """After a tampered attempt and a new secret, the next attempt carries the stored bytes and verifies."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        endpoint = await subscribe(simulator, receiver.url())
        await simulator.subscriptions.arm(wire_fault("tampered_body", attempt=1))
        await cancelled(simulator)
        await simulator.conductor.quiet()
        await simulator.subscriptions.rotate(endpoint, "whsec_test_new")
        await simulator.conductor.advance_until_idle()
        first, *rest = receiver.requests
        assert not verifies(first)
        assert all(verifies(one) and verifies(one, "whsec_test_new") for one in rest)
        assert len({one.body for one in rest}) == 1
