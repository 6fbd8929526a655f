"""What hurt users of other senders between two attempts: rungs lost, spent twice, moved, or taken by somebody else."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from sender.crash import CrashPoint
from sender.domain.delivery import Reason
from sender.durations import DAY, HOUR, MILLISECOND, MINUTE, SECOND
from sender.simulator import Simulator
from tests.integration.hostile import answering, hostile
from tests.receivers import PATIENCE, AcceptFrom, accept, receiving, refuse
from tests.simulators import (
    RUNGS,
    SECRET,
    RecordingLog,
    attempts_of,
    cancelled,
    crash,
    event,
    events_of,
    offsets,
    order,
    settings_for,
    simulating,
    subscribe,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sender.durations import Instant
    from sender.providers.profile import Headers, Profile
    from tests.integration.hostile import Caller


async def reset_in_the_body(caller: Caller) -> None:
    """Read the head, and break the connection off."""
    await caller.head()
    caller.reset()


async def close_after_reading(caller: Caller) -> None:
    """Read everything, and hang up without a word."""
    await caller.request()


async def half_a_word(caller: Caller) -> None:
    """Begin an answer, and hang up."""
    await caller.request()
    await caller.say(b"HTT")


BROKEN = {
    close_after_reading: "closed",
    reset_in_the_body: "reset",
    half_a_word: "closed",
    answering(b"garbage\r\n\r\n"): "protocol",
}


async def test_every_kind_of_failure_has_its_reason_and_costs_one_rung(database_url: str) -> None:
    """Unknown host, refused port, close, reset, half an answer and garbage: six rungs, and the seventh is delivered."""
    async with receiving(accept) as receiver, simulating(database_url) as simulator:
        endpoint = await subscribe(simulator, "http://nobody.invalid/")
        event_id = await cancelled(simulator)
        await simulator.conductor.quiet()
        await simulator.subscriptions.edit(endpoint, url="http://127.0.0.1:1/")
        await _next_rung(simulator)
        for script in BROKEN:
            async with hostile(script) as broken:
                await simulator.subscriptions.edit(endpoint, url=broken.url)
                await _next_rung(simulator)
        await simulator.subscriptions.edit(endpoint, url=receiver.url())
        await _next_rung(simulator)
        attempts = await attempts_of(simulator, event_id)
        assert [one.reason for one in attempts] == ["dns", "refused", *BROKEN.values(), None]
        assert [round(at) for at in offsets(attempts)] == list(RUNGS[:7])
        assert (await event(simulator, event_id)).state == "delivered"


async def _next_rung(simulator: Simulator) -> None:
    (found,) = await events_of(simulator)
    assert found.due_at is not None
    await simulator.conductor.advance_to(found.due_at)


async def test_what_is_queued_goes_out_though_its_category_was_unsubscribed(database_url: str) -> None:
    """An edit of the categories is for events to come: the ladder that runs goes on, and nothing new is queued."""
    async with receiving(AcceptFrom(3)) as receiver, simulating(database_url) as simulator:
        endpoint = await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator, "order-1")
        await simulator.conductor.quiet()
        await simulator.subscriptions.edit(endpoint, categories=("withdrawal",))
        made = await simulator.invoices.create(order("order-2"))
        assert (await simulator.invoices.cancel(made.resource.id, "why not")).event_ids == ()
        await simulator.conductor.advance_until_idle()
        assert (await event(simulator, event_id)).state == "delivered"
        assert receiver.counts == {event_id: 3}


@pytest.mark.parametrize("rung", [1, 5, 11])
@pytest.mark.parametrize("point", [CrashPoint.RELAY_AFTER_SEND, CrashPoint.RELAY_BEFORE_COMMIT])
async def test_a_success_that_was_not_written_down_is_delivered_after_one_duplicate(
    database_url: str, point: CrashPoint, rung: int
) -> None:
    """At the first, the fifth and the last attempt alike: one more request, and it ends delivered, not exhausted."""
    async with receiving(AcceptFrom(rung)) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        await simulator.subscriptions.arm(crash(point, attempt=rung))
        event_id = await cancelled(simulator)
        await simulator.conductor.advance_until_idle()
        found = await event(simulator, event_id)
        assert (found.state, found.attempts, receiver.counts[event_id]) == ("delivered", rung, rung + 1)
        assert len({request.body for request in receiver.requests}) == 1
        assert offsets(await attempts_of(simulator, event_id)) == list(RUNGS[:rung])


async def test_a_row_that_cannot_be_sent_holds_up_nobody_and_ends(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows whose sending meets a bug of ours spend their ladder with that reason; those behind them go out at once."""
    async with receiving(accept) as receiver, simulating(database_url) as simulator:
        poisoned = await subscribe(simulator, receiver.url("/poisoned"), secret="poison")
        await subscribe(simulator, receiver.url())
        monkeypatch.setattr(type(simulator.profile), "sign", _unable_to_sign_with("poison", simulator.profile))
        for number in range(10):
            await cancelled(simulator, f"order-{number}")
        async with asyncio.timeout(PATIENCE):
            await simulator.conductor.quiet()
        assert [request.target for request in receiver.requests] == ["/webhook"] * 10
        async with asyncio.timeout(PATIENCE):
            await simulator.conductor.advance_until_idle()
        bad = [one for one in await events_of(simulator) if one.endpoint_id == poisoned]
        assert {(one.state, one.failures) for one in bad} == {("failed", 11)}
        assert {one.state for one in await events_of(simulator) if one not in bad} == {"delivered"}
        attempts = [one for one in await attempts_of(simulator) if one.endpoint_id == poisoned]
        assert {one.reason for one in attempts} == {Reason.SENDER}
        assert offsets([one for one in attempts if one.event_id == bad[0].event_id]) == list(RUNGS)


def _unable_to_sign_with(secret: str, profile: Profile) -> Callable[..., Headers]:
    sign = type(profile).sign

    def fail(self: Profile, body: bytes, secrets: Sequence[str], timestamp: int, event_id: str) -> Headers:
        if secret in secrets:
            raise LookupError(secret)
        return sign(self, body, secrets, timestamp, event_id)

    return fail


async def test_a_wall_clock_that_jumps_ahead_makes_no_burst(database_url: str) -> None:
    """In real time a day that was skipped costs a waiting delivery one attempt; the next rung follows from there."""
    simulator, log = _on_the_wall(database_url)
    async with receiving(refuse) as receiver, simulator:
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        await log.holds("attempt.recorded", 1)
        simulator.clock.shift = DAY  # type: ignore[attr-defined]
        simulator.relays.wake()
        await log.holds("attempt.recorded", 2)
        (found,) = await events_of(simulator)
        now = await simulator.now()
        assert found.due_at is not None
        assert 100 * SECOND < found.due_at - now <= 120 * SECOND
        assert len(receiver.requests) == 2


async def test_a_wall_clock_that_jumps_back_sends_nothing_early_and_recovers(database_url: str) -> None:
    """In real time nothing is sent while the clock is behind; once it is right again the ladder goes on as it was."""
    simulator, log = _on_the_wall(database_url)
    async with receiving(refuse) as receiver, simulator:
        await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator)
        await log.holds("attempt.recorded", 1)
        simulator.clock.shift = -DAY  # type: ignore[attr-defined]
        simulator.relays.wake()
        other = await cancelled(simulator, "order-2")
        await log.holds("attempt.recorded", 2)
        assert receiver.counts == {event_id: 1, other: 1}, "what is new goes out whatever the clock says"
        simulator.clock.shift = 61 * SECOND  # type: ignore[attr-defined]
        simulator.relays.wake()
        await log.holds("attempt.recorded", 3)
        attempts = await attempts_of(simulator, event_id)
        assert [one.number for one in attempts] == [1, 2]
        assert [one.due_at for one in attempts] == sorted(one.due_at for one in attempts)


def _on_the_wall(url: str) -> tuple[Simulator, RecordingLog]:
    """Return a simulator in real time whose wall clock a test can move."""
    log = RecordingLog()
    simulator = Simulator(settings_for(url, clock="real", start=None, relay={"poll": 20 * MILLISECOND}), log=log)
    clock = simulator.clock
    read = clock.real_now

    def shifted() -> Instant:
        return read() + clock.shift  # type: ignore[attr-defined]

    clock.shift = 0  # type: ignore[attr-defined]
    clock.real_now = shifted  # type: ignore[method-assign]
    return simulator, log


async def test_many_simulators_live_side_by_side() -> None:
    """Eight of them in one process, with equal seeds and so with equal ids, deliver to their own receivers only."""

    async def one(number: int) -> tuple[str, list[str]]:
        async with receiving(AcceptFrom(2)) as receiver, simulating("memory") as simulator:
            await subscribe(simulator, receiver.url(), secret=f"{SECRET}_{number}")
            event_id = await cancelled(simulator, f"order-{number}")
            await simulator.conductor.advance_by(HOUR)
            return event_id, [request.event["data"]["order"]["external_id"] for request in receiver.requests]

    lives = await asyncio.gather(*(one(number) for number in range(8)))
    assert [orders for _, orders in lives] == [[f"order-{number}"] * 2 for number in range(8)]
    assert len({event_id for event_id, _ in lives}) == 1


async def test_an_advance_never_reverses_the_order_of_attempts(database_url: str) -> None:
    """After moves of nothing, of little and of much, attempts are recorded in the order of their virtual instants."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        for number, by in enumerate((0, 1, MINUTE, HOUR, DAY)):
            await cancelled(simulator, f"order-{number}")
            await simulator.conductor.advance_by(by)
        await simulator.conductor.advance_until_idle()
        attempts = sorted(await attempts_of(simulator), key=lambda one: one.seq)
        assert [one.started_at for one in attempts] == sorted(one.started_at for one in attempts)
        assert len(attempts) == 5 * 11
