"""One command of the API in a process of its own, so that a crash point of the dispatcher can kill it for real.

The process opens the same database, carries out one call and ends. Killed at a crash point it leaves exit code 137 and
no answer, which is what a client of a dying API sees. Whoever starts it imports none of what it needs.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sender.crash import EXIT_CODE
from sender.errors import NotAvailable, SimError
from sender.forks import process_context

if TYPE_CHECKING:
    from collections.abc import Mapping
    from multiprocessing.connection import Connection

    from sender.config import Settings
    from sender.dispatcher import Receipt


class ApiDied(Exception):  # noqa: N818 - named for what happened
    """The process that carried out a command died at a crash point"""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the API: the name of the method, what it is given, and of which ``service`` it is a method.

    A service is ``invoices``, ``withdrawals`` or ``channels``, as a simulator names them.
    """

    method: str
    given: tuple[Any, ...]
    named: Mapping[str, Any] = field(default_factory=dict)
    service: str = "invoices"

    async def on(self, target: object) -> Receipt:
        """Carry the call out. Raises what it raises."""
        receipt: Receipt = await getattr(target, self.method)(*self.given, **self.named)
        return receipt


async def carry_out(settings: Settings, call: Call) -> Receipt:
    """Carry out a call in a process of its own. Raises what the call raises, and ``ApiDied``."""
    return await asyncio.get_running_loop().run_in_executor(None, _wait_for, settings, call)


def _wait_for(settings: Settings, call: Call) -> Receipt:
    context = process_context()
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=child_entry, args=(settings, call, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        result = ours.recv()
    except EOFError:
        result = None
    finally:
        process.join()
        ours.close()
    if process.exitcode == EXIT_CODE:
        raise ApiDied
    if isinstance(result, SimError):
        raise result
    if result is None:
        message = "the process of a command ended without an answer; its own message stands above"
        raise NotAvailable(message)
    receipt: Receipt = result
    return receipt


def child_entry(settings: Settings, call: Call, pipe: Connection) -> None:
    """Be the process: carry out the call and send back its receipt, or the error."""
    from sender.loops import run  # noqa: PLC0415

    try:
        result: object = run(_carry_out(settings, call))
    except SimError as error:
        result = error
    pipe.send(result)


async def _carry_out(settings: Settings, call: Call) -> Receipt:
    from sender.channels import Channels  # noqa: PLC0415 - only the child imports what only the child needs
    from sender.clock import Clock  # noqa: PLC0415
    from sender.crash import CrashSwitch, die_for_real  # noqa: PLC0415
    from sender.dispatcher import Dispatcher  # noqa: PLC0415
    from sender.invoices import Invoices  # noqa: PLC0415
    from sender.providers.paymos import paymos  # noqa: PLC0415
    from sender.runtime import Runtime  # noqa: PLC0415
    from sender.store.engine import open_database  # noqa: PLC0415
    from sender.telemetry import make_log  # noqa: PLC0415
    from sender.withdrawals import Withdrawals  # noqa: PLC0415

    clock, profile = Clock(), paymos(settings.checkout_url)
    runtime = Runtime(clock, CrashSwitch(die_for_real), make_log(settings.log_level, as_json=settings.log_json))
    database = open_database(settings.database_url, clock, durable=settings.durable, pool_size=settings.pool_size)
    try:
        dispatcher = Dispatcher(runtime, database, profile)
        services: dict[str, object] = {
            "invoices": Invoices(dispatcher, profile),
            "withdrawals": Withdrawals(dispatcher, profile, settings.withdrawal_whitelist),
            "channels": Channels(dispatcher, profile),
        }
        return await call.on(services[call.service])
    finally:
        await database.close()
