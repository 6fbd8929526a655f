"""The merchant's side of a story: commands that are asked again when the API dies in the middle of one.

While a crash point of the dispatcher is armed, each command is carried out by a process of its own, which dies for
real; with the relay in this process, the death is an exception. Either way the client saw an error and does not know
what became of its command, so it looks, and asks for what is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.crash import Crashed
from sender.dispatch_child import ApiDied, Call, carry_out
from sender.domain.invoice import Invoice
from sender.domain.invoice_commands import ConfirmTransfers, ExpireInvoice, PayLate, SeeTransfer
from sender.domain.sandbox import stage_commands
from sender.scenario.events import ApiCrashed
from sender.scenario.watching import used_up
from sender.store import resources, settings
from sender.wire.timing import Reorder

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from decimal import Decimal

    from sender.dispatcher import Receipt
    from sender.domain.fault import Fault
    from sender.domain.sandbox import Stage
    from sender.invoices import Order
    from sender.scenario.events import Listener
    from sender.simulator import Simulator

    Again = Callable[[], Awaitable[Call | None]]


@dataclass(frozen=True, slots=True)
class Api:
    """The commands of one story's merchant. Each raises ``RequestRefused`` where the contract refuses."""

    simulator: Simulator
    tell: Listener

    async def create(self, order: Order) -> Receipt:
        """Create an invoice; the same order id again finds it."""
        call = Call("create", (order,))

        async def again() -> Call:
            return call

        receipt = await self.ask(call, again)
        # A call that is asked again returns what is there, so there is a receipt in every case.
        return receipt if receipt is not None else await self.simulator.invoices.create(order)

    async def choose_network(self, invoice_id: str, currency: str, network: str) -> None:
        """Choose token and network."""
        call = Call("choose_network", (invoice_id, currency, network))
        await self.ask(call, self._unless_moved(invoice_id, await self.invoice(invoice_id), call))

    async def reach(self, invoice_id: str, stage: Stage) -> None:
        """Drive an invoice to a stage, as ``simulate-payment`` does, and wait for what is announced on the way."""
        invoice = await self.invoice(invoice_id)
        plan = stage_commands(invoice, stage, self.simulator.profile.choose(invoice))
        overtaking = await self._overtaking()
        for command in plan:
            match command:
                case SeeTransfer():
                    await self._see_transfer(invoice_id, command.amount)
                case ConfirmTransfers():
                    await self._confirm(invoice_id, at_once=overtaking)
                case ExpireInvoice():
                    await self.expire(invoice_id)
                case PayLate():
                    await self.ask(Call("simulate", (invoice_id, stage)), _nothing)

    async def pay(self, invoice_id: str, amount: Decimal) -> None:
        """Pay an amount in token units: a transfer is seen, and confirmed once that has been announced."""
        overtaking = await self._overtaking()
        await self._see_transfer(invoice_id, amount)
        await self._confirm(invoice_id, at_once=overtaking)

    async def _see_transfer(self, invoice_id: str, amount: Decimal) -> None:
        before = transfers_seen(await self.invoice(invoice_id))
        call = Call("pay", (invoice_id, amount), {"confirm": False})

        async def again() -> Call | None:
            # Asked again without looking, it would be paid twice.
            return call if transfers_seen(await self.invoice(invoice_id)) == before else None

        await self.ask(call, again)

    async def _confirm(self, invoice_id: str, *, at_once: bool) -> None:
        """Confirm what was seen. On a chain that takes minutes, so the news of the transfer is delivered by then.

        It is not where that news is held until it is overtaken: ``at_once`` brings what overtakes it.
        """
        if not at_once:
            await self.simulator.conductor.quiet()
        call = Call("confirm", (invoice_id,))

        async def again() -> Call | None:
            payment = (await self.invoice(invoice_id)).payment
            return call if payment is not None and payment.is_confirming else None

        await self.ask(call, again)

    async def cancel(self, invoice_id: str, reason: str) -> None:
        """Cancel an invoice."""
        call = Call("cancel", (invoice_id, reason))
        await self.ask(call, self._unless_moved(invoice_id, await self.invoice(invoice_id), call))

    async def expire(self, invoice_id: str) -> None:
        """End an invoice as its deadline would."""
        call = Call("expire", (invoice_id,))
        await self.ask(call, self._unless_moved(invoice_id, await self.invoice(invoice_id), call))

    async def invoice(self, invoice_id: str) -> Invoice:
        """Return an invoice as it stands."""
        async with self.simulator.database.read() as session:
            found = await resources.load(session, invoice_id, Invoice.kind)
        if not isinstance(found, Invoice):
            raise TypeError(f"{invoice_id} is a {found.kind}")
        return found

    def _unless_moved(self, invoice_id: str, before: Invoice, call: Call) -> Again:
        async def again() -> Call | None:
            return call if (await self.invoice(invoice_id)).status == before.status else None

        return again

    async def ask(self, call: Call, again: Again) -> Receipt | None:
        """Carry out a call, and after each death what ``again`` says is missing; ``None`` when nothing is."""
        wanted: Call | None = call
        while wanted is not None:
            armed = await self._armed()
            try:
                return await self._once(wanted, armed)
            except (ApiDied, Crashed):
                await self._died(call, armed)
            wanted = await again()
        return None

    async def _once(self, call: Call, armed: list[Fault]) -> Receipt:
        if not armed or self.simulator.settings.in_process:
            return await call.on(getattr(self.simulator, call.service))
        try:
            return await carry_out(self.simulator.settings, call)
        finally:
            # Nobody in this process was told what the other one committed.
            self.simulator.relays.wake()
            self.simulator.conductor.changed()

    async def _died(self, call: Call, armed: list[Fault]) -> None:
        struck = used_up(armed, await self._armed())
        point = struck[0].name if struck else None
        self.tell(ApiCrashed(virtual_time=await self.simulator.now(), point=point, command=call.method))

    async def _armed(self) -> list[Fault]:
        return [fault for fault in await self._faults() if fault.name.startswith("dispatch.")]

    async def _overtaking(self) -> bool:
        return any(fault.name == Reorder.name for fault in await self._faults())

    async def _faults(self) -> list[Fault]:
        async with self.simulator.database.read() as session:
            return await settings.armed_faults(session)


async def _nothing() -> None:
    """Say that nothing is missing: a transition that nobody is told of cannot meet a crash point."""


def transfers_seen(invoice: Invoice) -> int:
    """Return how many transfers to an invoice were ever seen."""
    return invoice.payment.seen if invoice.payment is not None else 0
