"""A story's merchant asks again when the API dies: whatever died and where, everything is done, and done once."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from sender.crash import CrashPoint
from sender.domain.sandbox import Stage
from sender.errors import Conflict
from sender.scenario.api import Api
from sender.store import resources
from tests.simulators import crash, order, simulating

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.scenario.events import RunEvent

POINTS = [CrashPoint.DISPATCH_BEFORE_COMMIT, CrashPoint.DISPATCH_AFTER_COMMIT]

UNDERPAID = ["confirming", "underpaid_waiting"]
COMMANDS: dict[str, tuple[Callable[[Api, str], Awaitable[object]], str, list[str]]] = {
    "transfer of a payment": (lambda api, id_: api.pay(id_, Decimal(4)), "confirming", UNDERPAID),
    "its confirmation": (lambda api, id_: api.pay(id_, Decimal(4)), "underpaid_waiting", UNDERPAID),
    "transfer of a stage": (lambda api, id_: api.reach(id_, Stage.PAID), "confirming", ["confirming", "paid"]),
    "outcome of a stage": (lambda api, id_: api.reach(id_, Stage.OVERPAID), "paid_over", ["confirming", "paid_over"]),
    "late payment": (lambda api, id_: api.reach(id_, Stage.PAID_LATE), "expired", ["expired"]),
    "cancellation": (lambda api, id_: api.cancel(id_, "no"), "cancelled", ["cancelled"]),
    "expiry": (lambda api, id_: api.expire(id_), "expired", ["expired"]),
}  # fmt: skip
"""What is asked for, the event at whose commit the API dies, and what must have been announced in the end."""


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("case", COMMANDS)
async def test_everything_is_done_once(case: str, point: CrashPoint) -> None:
    """A command that met a death is asked for again as far as it is missing, and nothing happens twice."""
    ask, dies_at, announced = COMMANDS[case]
    told: list[RunEvent] = []
    async with simulating("memory") as simulator:
        api = Api(simulator, told.append)
        invoice_id = (await api.create(order())).resource.id
        await simulator.subscriptions.arm(crash(point, event_type=f"invoice.{dies_at}"))
        await ask(api, invoice_id)
        async with simulator.database.read() as session:
            history = await resources.history_of(session, invoice_id)
    assert [row.event_type for row in history if row.event_type] == [f"invoice.{status}" for status in announced]
    assert [(one.kind, getattr(one, "point", None)) for one in told] == [("api.died", point.value)]


async def test_several_deaths_in_a_row() -> None:
    """A command is asked for as often as it takes."""
    told: list[RunEvent] = []
    async with simulating("memory") as simulator:
        api = Api(simulator, told.append)
        invoice_id = (await api.create(order())).resource.id
        await simulator.subscriptions.arm(crash(CrashPoint.DISPATCH_BEFORE_COMMIT, times=3))
        await api.cancel(invoice_id, "no")
        assert (await api.invoice(invoice_id)).status == "cancelled"
    assert len(told) == 3


async def test_refusals_come_through() -> None:
    """What the provider refuses is refused, whether a death came before or not."""
    async with simulating("memory") as simulator:
        api = Api(simulator, lambda _: None)
        invoice_id = (await api.create(order())).resource.id
        await api.reach(invoice_id, Stage.PAID)
        attempts: list[Any] = [api.cancel(invoice_id, "no"), api.expire(invoice_id), api.reach(invoice_id, Stage.PAID)]
        for attempt in attempts:
            with pytest.raises(Conflict):
                await attempt
