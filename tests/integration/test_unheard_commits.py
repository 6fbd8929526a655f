"""A commit whose answer is lost, as when the database server dies: made, and for the relay a failure."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from sender.errors import StoreError
from sender.store import outbox
from tests.receivers import accept, receiving
from tests.simulators import RecordingLog, another_relay, attempts_of, cancelled, event, simulating, subscribe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import pytest

    from sender.relay import Relay
    from sender.store.engine import Database, Session


class Unheard:
    """A database, but for one commit that is made and not told of: the first after ``armed`` was set."""

    def __init__(self, relay: Relay) -> None:
        self._database: Database = relay._desk._database
        relay._desk._database = self  # type: ignore[assignment]
        self.armed = self.happened = False

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Session]:
        """Commit, and then fail if this is the one."""
        async with self._database.write() as session:
            yield session
        if self.armed and not self.happened:
            self.happened = True
            raise StoreError("the server closed the connection")


def arming(monkeypatch: pytest.MonkeyPatch, name: str, unheard: Unheard) -> None:
    """Choose the first transaction in which the outbox claims, or settles, something."""
    real = getattr(outbox, name)

    async def noticed(*arguments: Any) -> Any:
        found = await real(*arguments)
        unheard.armed = unheard.armed or name == "settle" or bool(found)
        return found

    monkeypatch.setattr(outbox, name, noticed)


async def test_a_claim_that_nobody_heard_of_is_sent_at_once(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The relay gives such a row back; it would else keep renewing the lease of what it does not know it has."""
    async with receiving(accept) as receiver, simulating(database_url) as simulator:
        await simulator.relays.stop()
        await subscribe(simulator, receiver.url())
        async with another_relay(database_url) as relay:
            unheard = Unheard(relay)
            arming(monkeypatch, "claim", unheard)
            event_id = await cancelled(simulator)
            await receiver.received(1)
        assert unheard.happened
        assert (await event(simulator, event_id)).state == "delivered"
        assert [one.counted for one in await attempts_of(simulator)] == [True]


async def test_an_attempt_settled_unheard_is_on_record_once(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the relay records again has not lost its lease: it finds itself on record, and nothing moves."""
    log = RecordingLog()
    async with receiving(accept) as receiver, simulating(database_url) as simulator:
        await simulator.relays.stop()
        await subscribe(simulator, receiver.url())
        async with another_relay(database_url, log=log) as relay:
            unheard = Unheard(relay)
            arming(monkeypatch, "settle", unheard)
            event_id = await cancelled(simulator)
            await log.holds("attempt.recorded")
        assert unheard.happened
        assert receiver.counts == {event_id: 1}
        assert (await event(simulator, event_id)).state == "delivered"
        assert [one.counted for one in await attempts_of(simulator)] == [True]
        assert log.of("lease.lost") == []
