"""The operations that are about no resource: the time, and the balances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.domain.money import format_token
from sender.durations import SECOND
from sender.store import balances, world
from sender.web.merchant.operation import Nothing, Operation, Reply

if TYPE_CHECKING:
    from sender.clock import Clock
    from sender.store.engine import Database
    from sender.web.merchant.operation import Ask


class SystemApi:
    """Tell the time, and what the merchant has."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def operations(self) -> tuple[Operation, ...]:
        """Return the operations, in the order of contract §5.2."""
        return (
            Operation(name="getTime", method="GET", path="/v1/time", handle=self.time, answer="ServerTime",
                      summary="Get the time of the server, virtual like every time that the API shows"),
            Operation(name="getBalances", method="GET", path="/v1/balances", key="payout", handle=self.balances,
                      answer="Balances", summary="Get what the merchant can dispose of, by currency"),
        )  # fmt: skip

    async def time(self, _ask: Ask[Nothing, Nothing]) -> Reply:
        """Tell the virtual time in Unix seconds (design §2)."""
        async with self._database.read() as session:
            timeline = (await world.read_world(session)).timeline
        return Reply({"server_time": timeline.at(self._clock.real_now()) // SECOND})

    async def balances(self, ask: Ask[Nothing, Nothing]) -> Reply:
        """Return the balances of the caller's environment."""
        async with self._database.read() as session:
            found = await balances.read_balances(session, is_test=ask.caller.is_test)
        return Reply([{"currency": one.currency, "available": format_token(one.available)} for one in found])
