"""A purchase of its own for each check: an invoice in the simulator, and the events that its life gives rise to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from sender.check.letter import Letter
from sender.domain.ids import Prefix, make_id
from sender.domain.invoice import Invoice, InvoiceStatus
from sender.domain.sandbox import Stage
from sender.durations import SECOND
from sender.invoices import Order
from sender.providers.profile import Event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sender.domain.invoice import Invoice as Snapshot
    from sender.durations import Duration
    from sender.simulator import Simulator

AMOUNT, CURRENCY = Decimal("11.05"), "USD"


@dataclass(frozen=True, slots=True)
class News:
    """What is announced: the type, and the invoice as it was then. Each letter about it has an id of its own."""

    event_type: str
    invoice: Snapshot


@dataclass(frozen=True, slots=True)
class Purchase:
    """One invoice; ``order`` is the merchant's own id, by which a probe finds it."""

    order: str
    invoice_id: str
    simulator: Simulator

    async def paid(self) -> News:
        """Pay in full."""
        return await self._simulated(Stage.PAID)

    async def paid_over(self) -> News:
        """Pay half as much again."""
        return await self._simulated(Stage.OVERPAID)

    async def underpaid_waiting(self) -> News:
        """Pay half; the rest may follow."""
        return await self._simulated(Stage.UNDERPAY)

    async def cancelled(self) -> News:
        """Cancel before anything was paid."""
        return await self._simulated(Stage.CANCEL)

    async def expired(self) -> News:
        """Let the deadline pass."""
        return _news("invoice.expired", (await self.simulator.invoices.expire(self.invoice_id)).resource)

    async def confirming(self) -> News:
        """Pay in full; the transfer is on chain and not confirmed."""
        receipt = await self.simulator.invoices.pay(self.invoice_id, AMOUNT, confirm=False)
        return _news("invoice.confirming", receipt.resource)

    async def confirmed(self) -> News:
        """Let the transfer be confirmed."""
        return _news("invoice.paid", (await self.simulator.invoices.confirm(self.invoice_id)).resource)

    async def _simulated(self, stage: Stage) -> News:
        receipt = await self.simulator.invoices.simulate(self.invoice_id, stage)
        return _news(receipt.event_type or "", receipt.resource)


def _news(event_type: str, invoice: Invoice) -> News:
    return News(event_type, invoice)


def as_expired(news: News) -> News:
    """Return the news, which contradicts what was said before, that the invoice has expired."""
    return News("invoice.expired", replace(news.invoice, status=InvoiceStatus.EXPIRED, payment=None))


class Desk:
    """Makes purchases and writes letters about them; nothing that it names was ever named before."""

    def __init__(self, simulator: Simulator, project_id: str) -> None:
        self._simulator = simulator
        self._project = project_id
        self._numbers: Iterator[int] = iter(range(1, 10**9))
        self._run = make_id(simulator.settings.seed, "", 0)[:8]

    async def purchase(self, name: str) -> Purchase:
        """Open an invoice."""
        order = f"check-{self._run}-{name}-{next(self._numbers)}"
        asked = Order(project_id=self._project, external_id=order, amount=AMOUNT, currency=CURRENCY)
        receipt = await self._simulator.invoices.create(asked)
        return Purchase(order, receipt.resource.id, self._simulator)

    def letter(self, news: News, *, ago: Duration = 0, event_id: str | None = None) -> Letter:
        """Write down news of what happened ``ago``, under an id of its own: the copy for one endpoint."""
        # Numbers of the simulator's own events stay below.
        own = make_id(self._simulator.settings.seed, Prefix.EVENT, 10**9 + next(self._numbers))
        return self._write(news, event_id or own, self._simulator.clock.real_now() - ago)

    def _write(self, news: News, event_id: str, at: int) -> Letter:
        event = Event(event_id, news.event_type, at // SECOND * SECOND, news.invoice)
        return Letter(event_id, news.event_type, self._simulator.profile.encode(event))
