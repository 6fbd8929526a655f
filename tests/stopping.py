"""A database on which a process dies before its n-th statement, in process or for real."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from sender import dispatch_child
from sender.crash import EXIT_CODE
from sender.forks import process_context
from sender.store import engine

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from sender.config import Settings


class Killed(BaseException):
    """Stands for the death of the process."""


def _kill() -> None:
    raise Killed


class Stopping:
    """Passes everything on to a database until so many statements of writing transactions were run; then it kills."""

    def __init__(self, database: Any, statements: int, kill: Callable[[], None] = _kill) -> None:
        self._database = database
        self._left = statements
        self._kill = kill

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Any]:
        """Open a transaction whose statements are counted; the commit counts as one."""
        async with self._database.write() as session:
            yield _Session(session, self._count)
            self._count()

    def _count(self) -> None:
        if self._left == 0:
            self._kill()
        self._left -= 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)


class _Session:
    def __init__(self, session: Any, count: Callable[[], None]) -> None:
        self._session = session
        self._count = count

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._session, name)

        async def counted(*given: Any) -> Any:
            self._count()
            return await method(*given)

        return counted


async def killed_for_real(settings: Settings, call: dispatch_child.Call, statements: int) -> bool:
    """Carry out a call in a process that is killed before its n-th statement; tell whether it came to that."""
    process = process_context().Process(target=_be_killed, args=(settings, call, statements), daemon=True)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, process.start)
    await loop.run_in_executor(None, process.join)
    assert process.exitcode in {0, EXIT_CODE}
    return process.exitcode == EXIT_CODE


def _be_killed(settings: Settings, call: dispatch_child.Call, statements: int) -> None:
    real = engine.open_database

    def opened(*given: Any, **named: Any) -> Any:
        return Stopping(real(*given, **named), statements, lambda: os._exit(EXIT_CODE))

    engine.open_database = opened
    asyncio.run(dispatch_child._carry_out(settings, call))
