"""The ledger: one transaction per call, and one exception for everything that can go wrong with storage."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from receiver_fixture.engine import first_line, open_database
from receiver_fixture.errors import StorageFailure

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection, Engine

    from receiver_fixture.lane import Lane

Result = TypeVar("Result")


class Ledger:
    """Runs statements against the receiver's database; ``failures`` counts the calls that storage refused."""

    def __init__(self, engine: Engine, lane: Lane) -> None:
        self._reader = engine
        self._writer = engine.execution_options(writes=True)
        self._lane = lane
        self.failures = 0

    @classmethod
    def open(cls, database: str) -> Ledger:
        """Open it; raises ``CannotStart``."""
        return cls(*open_database(database))

    async def write(self, action: Callable[[Connection], Result]) -> Result:
        """Run an action in one transaction that is committed when this returns; raises ``StorageFailure``."""
        return await self._transact(self._writer, action)

    async def read(self, action: Callable[[Connection], Result]) -> Result:
        """Run an action that changes nothing; raises ``StorageFailure``."""
        return await self._transact(self._reader, action)

    async def _transact(self, engine: Engine, action: Callable[[Connection], Result]) -> Result:
        def call() -> Result:
            with engine.begin() as connection:
                return action(connection)

        try:
            return await self._lane.run(call)
        except SQLAlchemyError as error:
            self.failures += 1
            raise StorageFailure(first_line(error)) from error

    def close(self) -> None:
        """Let the call in progress end and close the connections."""
        self._lane.close()
        self._reader.dispose()
