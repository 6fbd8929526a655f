"""The ladder from end to end: at which virtual instants attempts are made, and when they stop."""

from __future__ import annotations

from itertools import accumulate, cycle
from typing import TYPE_CHECKING, Any

from sender.durations import HOUR, MILLISECOND, MINUTE, SECOND
from tests.receivers import AcceptFrom, accept, ignore, receiving, refuse
from tests.simulators import (
    RUNGS,
    START,
    TIMEOUT_RUNGS,
    attempts_of,
    cancelled,
    event,
    offsets,
    order,
    simulating,
    subscribe,
    virtual,
    wire_fault,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from sender.durations import Duration
    from tests.receivers import Receiver, Request


async def test_eleven_attempts_at_the_golden_instants(database_url: str) -> None:
    """An event that is refused each time is tried at 0, 60, 180 … 57,780 s and is failed; the endpoint stays active."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator)
        ended = await simulator.conductor.advance_until_idle()
        attempts = await attempts_of(simulator)
        assert offsets(attempts) == list(RUNGS)
        assert [each.number for each in attempts] == list(range(1, 12))
        assert [each.due_at for each in attempts] == [each.started_at for each in attempts]
        assert (await event(simulator, event_id)).state == "failed"
        assert ended == START + RUNGS[-1] * SECOND
        assert [one.status for one in await simulator.subscriptions.all()] == ["active"]
        assert len(receiver.requests) == 11


async def test_timeouts_move_the_ladder_by_ten_seconds_each(database_url: str) -> None:
    """Attempts that are never answered end 10 s after their start, on the record, however short the real wait is."""
    relay = {"attempt_timeout": 30 * MILLISECOND}
    async with receiving(ignore) as receiver, simulating(database_url, relay=relay) as simulator:
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        await simulator.conductor.advance_until_idle()
        attempts = await attempts_of(simulator)
        assert offsets(attempts) == list(TIMEOUT_RUNGS)
        assert {(each.reason, each.status) for each in attempts} == {("timeout", None)}
        assert {each.finished_at - each.started_at for each in attempts} == {10 * SECOND}
        assert max(each.duration for each in attempts) < 10 * SECOND


async def test_success_at_any_attempt_ends_the_ladder_there(database_url: str) -> None:
    """With the first success at attempt k there are k attempts, for k = 1 … 11."""
    names = {number: f"order-{number}" for number in range(1, 12)}
    scripts = {number: AcceptFrom(number) for number in names}
    wanted: dict[str, int] = {}
    async with (
        receiving(lambda request: scripts[wanted[request.event["data"]["order"]["external_id"]]](request)) as receiver,
        simulating(database_url) as simulator,
    ):
        await subscribe(simulator, receiver.url())
        wanted |= {name: number for number, name in names.items()}
        ids = {number: await cancelled(simulator, name) for number, name in names.items()}
        await simulator.conductor.advance_by(30 * 24 * HOUR)
        for number, event_id in ids.items():
            attempts = await attempts_of(simulator, event_id)
            assert offsets(attempts) == list(RUNGS[:number])
            assert [each.outcome for each in attempts] == ["failed"] * (number - 1) + ["delivered"]
            assert (await event(simulator, event_id)).state == "delivered"
        assert receiver.counts == {event_id: number for number, event_id in ids.items()}


async def test_there_is_never_a_twelfth_attempt(database_url: str) -> None:
    """Thirty days after the ladder ended, though the receiver is well again, nothing more was sent."""
    async with receiving(refuse) as receiver, simulating(database_url) as simulator:
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        await simulator.conductor.advance_until_idle()
        receiver.script = accept
        await simulator.conductor.advance_by(30 * 24 * HOUR)
        assert len(receiver.requests) == len(await attempts_of(simulator)) == 11


def _one_leap() -> Iterator[Duration]:
    yield 17 * HOUR


def _minutes() -> Iterator[Duration]:
    yield from [MINUTE] * 1_020


def _uneven() -> Iterator[Duration]:
    sizes = cycle([59 * SECOND, 1, 7 * MINUTE, 31 * MINUTE + 1, 0, 2 * HOUR + 3, 999_999, 13 * SECOND])
    total = 0
    for size in sizes:
        if total + size >= 17 * HOUR:
            break
        total += size
        yield size
    yield 17 * HOUR - total


async def test_one_leap_and_a_thousand_steps_give_the_same_log(postgres_url: str, tmp_path: Path) -> None:
    """Advancing 17 h at once, by 1,020 minutes and by uneven steps gives identical attempts, on either database."""
    ways = [
        (f"sqlite:///{tmp_path / 'leap.sqlite3'}", _one_leap()),
        (postgres_url, _one_leap()),
        ("memory", _minutes()),
        ("memory", _uneven()),
    ]
    async with receiving(_moody) as receiver:
        first, *others = [await _told(url, receiver, steps) for url, steps in ways]
    assert len(first) == 2 * (11 + 11 + 11 + 1)
    assert {each["reason"] for each in first} == {"status", "timeout", None}
    for other in others:
        assert other == first


def _moody(request: Request) -> int:
    """Answer by what is delivered alone: take what was cancelled, refuse everything else."""
    return 204 if request.event["event_type"] == "invoice.cancelled" else 503


async def _told(url: str, receiver: Receiver, steps: Iterable[Duration]) -> list[dict[str, Any]]:
    """Tell one story with refusals, timeouts, successes and an expiry on the way; return its attempts."""
    async with simulating(url) as simulator:
        for path in ("/one", "/two"):
            await subscribe(simulator, receiver.url(path))
        await simulator.subscriptions.arm(wire_fault("lose_request", times=1_000, event_type="invoice.expired"))
        await simulator.invoices.create(order("to expire"))
        paid = await simulator.invoices.create(order("to pay"))
        await simulator.invoices.pay(paid.resource.id, paid.resource.amount)
        await cancelled(simulator, "to cancel")
        for step in steps:
            await simulator.conductor.advance_by(step)
        assert await simulator.now() == START + 17 * HOUR
        return virtual(await attempts_of(simulator))


def test_the_uneven_steps_make_seventeen_hours() -> None:
    """The three ways to go cover the same distance."""
    assert {sum(_one_leap()), sum(_minutes()), sum(_uneven())} == {17 * HOUR}
    assert len(set(accumulate(_uneven()))) > 20


async def test_a_closed_port_keeps_to_the_ladder(database_url: str) -> None:
    """Nobody listening is a failed attempt with a reason of its own, at the ladder's instants."""
    async with simulating(database_url) as simulator:
        await subscribe(simulator, "http://127.0.0.1:1/")
        await cancelled(simulator)
        await simulator.conductor.advance_until_idle()
        attempts = await attempts_of(simulator)
        assert offsets(attempts) == list(RUNGS)
        assert {each.reason for each in attempts} == {"refused"}
