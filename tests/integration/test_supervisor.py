"""Relays as child processes: what their parent does when they die, cannot start, or are to be stopped."""

from __future__ import annotations

import multiprocessing
import os
import signal
from typing import TYPE_CHECKING

import pytest

from sender.clock import Clock
from sender.crash import CrashSwitch
from sender.errors import NotAvailable, StoreError
from sender.runtime import Runtime
from sender.store import outbox
from sender.store.engine import open_database
from sender.supervisor import STILLBORN_MAX, Supervisor
from tests.receivers import Gate, accept, receiving
from tests.simulators import RecordingLog, cancelled, cancelled_many, event, settings_for, simulating, subscribe

if TYPE_CHECKING:
    from pathlib import Path

    from sender.simulator import Simulator
    from sender.store.engine import Session


def supervisor_of(simulator: Simulator) -> Supervisor:
    """Return the supervisor of a simulator whose relays are children."""
    assert isinstance(simulator.relays, Supervisor)
    return simulator.relays


async def test_of_two_relays_one_may_die(database_url: str) -> None:
    """The other one stays, a successor takes the place, and each event arrives; only those in flight come twice."""
    gate = Gate()
    log = RecordingLog()
    async with (
        receiving(gate) as receiver,
        simulating(database_url, log=log, in_process=False, relays=2) as simulator,
    ):
        await subscribe(simulator, receiver.url())
        before = supervisor_of(simulator).processes
        ids = await cancelled_many(simulator, 10)
        await receiver.received(10)
        os.kill(before[0], signal.SIGKILL)
        (death,) = await log.holds("relay.died")
        gate.open()
        await simulator.conductor.quiet()
        after = supervisor_of(simulator).processes
        assert set(receiver.counts) == set(ids)
        assert len(receiver.requests) == 10 + death["given_back"]
        assert before[1] in after
        assert before[0] not in after


async def test_restarted_relays_are_others(database_url: str) -> None:
    """A restart kills every relay and returns when its successors work."""
    async with receiving(accept) as receiver, simulating(database_url, in_process=False, relays=2) as simulator:
        await subscribe(simulator, receiver.url())
        before = set(supervisor_of(simulator).processes)
        await simulator.relays.restart()
        after = set(supervisor_of(simulator).processes)
        assert len(after) == 2
        assert not before & after
        event_id = await cancelled(simulator)
        await simulator.conductor.quiet()
        assert (await event(simulator, event_id)).state == "delivered"


async def test_a_stop_in_the_middle_of_a_death_leaves_nobody_behind(tmp_path: Path) -> None:
    """Whether the successor was on its way or not, no child outlives the stop."""
    for number in range(5):
        async with simulating(f"sqlite:///{tmp_path / str(number)}", in_process=False) as simulator:
            for process in supervisor_of(simulator).processes:
                os.kill(process, signal.SIGKILL)
        assert supervisor_of(simulator).processes == []
        assert multiprocessing.active_children() == []


async def test_a_death_that_our_storage_cannot_record_still_has_a_successor(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows of the dead relay are given back as soon as our storage answers again, long before their leases end."""
    gate = Gate()
    log = RecordingLog()
    real = outbox.give_back

    async def failing(session: Session, owner: str) -> int:
        monkeypatch.setattr(outbox, "give_back", real)
        raise StoreError("the disk is gone")

    async with receiving(gate) as receiver, simulating(database_url, log=log, in_process=False) as simulator:
        await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator)
        await receiver.received(1)
        monkeypatch.setattr(outbox, "give_back", failing)
        (process,) = supervisor_of(simulator).processes
        os.kill(process, signal.SIGKILL)
        (death,) = await log.holds("relay.died")
        assert death["given_back"] == 0
        gate.open()
        (_, later) = await log.holds("relay.died", 2)
        assert later["given_back"] == 1
        await simulator.conductor.quiet()
        assert (await event(simulator, event_id)).state == "delivered"
        assert receiver.counts[event_id] == 2


async def test_relays_that_cannot_start_are_not_tried_for_ever(tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    """After a few that died before they worked the start is given up, with a sentence."""
    clock, log = Clock(), RecordingLog()
    database = open_database("memory", clock)
    settings = settings_for(f"sqlite:///{tmp_path / 'no such folder' / 'x'}", in_process=False)
    relays = Supervisor(Runtime(clock, CrashSwitch(), log), database, settings, lambda: None)
    with pytest.raises(NotAvailable, match="could not start"):
        await relays.start()
    assert not relays.alive
    assert len(log.of("relay.died")) <= STILLBORN_MAX
    await database.close()
