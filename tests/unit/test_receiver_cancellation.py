"""A client that leaves while its delivery is being written down."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from receiver_fixture.arrival import Judge
from receiver_fixture.inbox import Recorded
from receiver_fixture.keyring import Keyring
from receiver_fixture.scripts import ScriptQueue
from receiver_fixture.webhook import Webhook
from tests.receiver import NOW, PATIENCE, SECRET, StillClock, digest, encode, invoice_event

BODY = encode(invoice_event())


class SlowLedger:
    """Commits when the test lets it."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.released = asyncio.Event()

    async def write(self, action: object) -> Recorded:
        """Hold the transaction until it is released."""
        self.started.set()
        await self.released.wait()
        return Recorded(1, "stored")


class Sleeper:
    """Stands for the background application and notices being woken."""

    def __init__(self) -> None:
        self.woken = asyncio.Event()

    def wake(self) -> None:
        """Notice it."""
        self.woken.set()


async def test_a_client_that_leaves_does_not_keep_its_event_from_being_applied() -> None:
    """The commit goes on without its client, and the background application is told of it."""
    ledger, worker = SlowLedger(), Sleeper()
    webhook = Webhook(
        ledger=cast("Any", ledger),
        worker=cast("Any", worker),
        scripts=ScriptQueue(),
        keyring=Keyring([SECRET]),
        clock=StillClock(),
        tolerance=300,
    )
    arrival = Judge((SECRET,), 300).arrival(BODY, f"t={NOW},v1={digest(BODY)}", None, StillClock().now())
    handler = asyncio.create_task(webhook._answer(arrival))
    await asyncio.wait_for(ledger.started.wait(), PATIENCE)
    handler.cancel()
    await asyncio.wait({handler})
    ledger.released.set()
    await asyncio.wait_for(worker.woken.wait(), PATIENCE)
    assert handler.cancelled()
