"""Secrets over a ladder: every attempt is signed with those of its own moment, and the official SDK agrees."""

from __future__ import annotations

from paymos import WebhookVerifier

from sender.durations import DAY, HOUR, MINUTE
from tests.receivers import Request, receiving, refuse
from tests.simulators import SECRET, cancelled, simulating, subscribe

NEW, NEWEST = "whsec_test_the_next", "whsec_test_the_one_after"


def _verdicts(requests: list[Request], secret: str) -> list[bool]:
    verifier = WebhookVerifier(secret)
    return [verifier.verify(request.header("X-Webhook-Signature"), request.body) for request in requests]


def _values(request: Request) -> int:
    return request.header("X-Webhook-Signature").count("v1=")


async def test_the_official_sdk_verifies_every_attempt_of_a_ladder(database_url: str) -> None:
    """All eleven attempts pass the provider's own verifier, with its own clock and its default tolerance."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        await simulator.conductor.advance_until_idle()
        assert _verdicts(receiver.requests, SECRET) == [True] * 11
        assert len({request.body for request in receiver.requests}) == 1
        stamps = [request.header("X-Webhook-Timestamp") for request in receiver.requests]
        signed = [request.header("X-Webhook-Signature").partition(",")[0] for request in receiver.requests]
        assert signed == [f"t={stamp}" for stamp in stamps]


async def test_either_secret_alone_verifies_within_the_window_and_only_the_new_one_after_it(database_url: str) -> None:
    """A rotation in mid-ladder adds a second value for 24 h: current first, previous second, one timestamp."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        endpoint = await subscribe(simulator, receiver.url())
        await cancelled(simulator, "order-1")
        await simulator.conductor.advance_by(10 * MINUTE)
        await simulator.subscriptions.rotate(endpoint, NEW)
        await simulator.conductor.advance_until_idle()
        await simulator.conductor.advance_by(DAY)
        await cancelled(simulator, "order-2")
        await simulator.conductor.quiet()
        requests = receiver.requests
        assert [_values(request) for request in requests] == [1] * 4 + [2] * 7 + [1]
        assert _verdicts(requests, SECRET) == [True] * 11 + [False]
        assert _verdicts(requests, NEW) == [False] * 4 + [True] * 8
        first = requests[4].header("X-Webhook-Signature")
        alone = first.rpartition(",")[0]
        assert WebhookVerifier(NEW).verify(alone, requests[4].body), "the current secret's value comes first"


async def test_a_second_rotation_within_the_window_drops_the_oldest(database_url: str) -> None:
    """Two rotations within 24 h leave two secrets, never three."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        endpoint = await subscribe(simulator, receiver.url())
        await simulator.subscriptions.rotate(endpoint, NEW)
        await simulator.conductor.advance_by(HOUR)
        await simulator.subscriptions.rotate(endpoint, NEWEST)
        await cancelled(simulator)
        await simulator.conductor.quiet()
        (request,) = receiver.requests
        assert [_verdicts([request], secret) for secret in (NEWEST, NEW, SECRET)] == [[True], [True], [False]]


async def test_a_virtual_signature_clock_signs_with_the_timeline(database_url: str) -> None:
    """For receivers whose clock is faked too, the timestamp follows virtual time, gap for gap."""
    async with (
        receiving(refuse) as receiver,
        simulating(database_url, relay={"signature_clock": "virtual"}) as simulator,
    ):
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        await simulator.conductor.advance_by(10 * MINUTE)
        stamps = [int(request.header("X-Webhook-Timestamp")) for request in receiver.requests]
        assert [stamp - stamps[0] for stamp in stamps] == [0, 60, 180, 420]
        now = stamps[-1]
        assert WebhookVerifier(SECRET).verify(
            receiver.requests[-1].header("X-Webhook-Signature"), receiver.requests[-1].body, now
        )
