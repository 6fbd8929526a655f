"""A relay that is told to stop while our own storage is away."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sender.errors import StoreError
from tests.receivers import Gate, receiving
from tests.simulators import RecordingLog, another_relay, attempts_of, cancelled, event, simulating, subscribe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sender.relay import Relay
    from sender.store.engine import Database, Session


class Away:
    """A database that fails so many times before it answers again."""

    def __init__(self, relay: Relay, times: int) -> None:
        self._database: Database = relay._desk._database
        self._left = times
        relay._desk._database = self  # type: ignore[assignment]

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Session]:
        """Open a transaction, where the time has come."""
        self._left -= 1
        if self._left >= 0:
            raise StoreError("the server is not there")
        async with self._database.write() as session:
            yield session


async def test_what_came_back_is_recorded_once_the_database_answers(database_url: str) -> None:
    """A request that was answered is not sent again because the database was restarted while its relay ended."""
    gate = Gate()
    async with receiving(gate) as receiver, simulating(database_url) as simulator:
        await simulator.relays.stop()
        await subscribe(simulator, receiver.url())
        async with another_relay(database_url) as relay:
            event_id = await cancelled(simulator)
            await receiver.received(1)
            Away(relay, 3)
            gate.open()
        assert (await event(simulator, event_id)).state == "delivered"
        assert len(await attempts_of(simulator)) == 1


async def test_a_database_that_stays_away_is_not_waited_for(database_url: str) -> None:
    """The relay ends in order all the same, and says why; its rows wait until its leases have run out."""
    gate, log = Gate(), RecordingLog()
    async with receiving(gate) as receiver, simulating(database_url) as simulator:
        await simulator.relays.stop()
        await subscribe(simulator, receiver.url())
        async with another_relay(database_url, log=log) as relay:
            event_id = await cancelled(simulator)
            await receiver.received(1)
            Away(relay, 1_000_000)
            gate.open()
        assert log.of("store.failed")
        found = await event(simulator, event_id)
        assert (found.state, found.in_flight) == ("pending", True)
