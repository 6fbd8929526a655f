"""What can be done to invoices: each call is one or more commands, each command one transaction of the dispatcher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.domain.ids import Prefix
from sender.domain.invoice import Invoice
from sender.domain.invoice_commands import (
    CancelInvoice,
    ConfirmTransfers,
    CreateInvoice,
    ExpireInvoice,
    ReorgTransfers,
)
from sender.domain.invoice_transitions import Transition, transition
from sender.domain.resource import Wanted
from sender.domain.sandbox import Stage, pay_commands, stage_commands

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    from sender.dispatcher import Dispatcher, Place, Receipt
    from sender.domain.invoice_commands import InvoiceCommand
    from sender.providers.paymos import Paymos


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a merchant asks for when it creates an invoice (contract §5.3)."""

    project_id: str
    external_id: str
    amount: Decimal
    currency: str
    is_test: bool = True
    client_id: str | None = None
    network: str | None = None
    allow_multiple_payments: bool = True
    customer_fee_percent: int | None = None


class Invoices:
    """The invoice commands of one simulator. Every call raises ``RequestRefused`` where the contract refuses."""

    def __init__(self, dispatcher: Dispatcher, profile: Paymos) -> None:
        self._dispatcher = dispatcher
        self._profile = profile

    async def create(self, order: Order) -> Receipt:
        """Create an invoice, or return the one that was made under the same external id.

        Raises ``Conflict`` (``invoice_idempotency_conflict``) when that was in the other environment.
        """

        def decide(place: Place) -> Transition:
            command = CreateInvoice(
                id=place.new_id(Prefix.INVOICE),
                project_id=order.project_id,
                external_id=order.external_id,
                amount=order.amount,
                currency=order.currency,
                is_test=order.is_test,
                client_id=order.client_id,
                network=order.network,
                allow_multiple_payments=order.allow_multiple_payments,
                customer_fee_percent=order.customer_fee_percent,
            )
            return transition(None, self._profile.priced(command), place.now)

        wanted = Wanted(Invoice.kind, order.project_id, order.external_id, order.is_test)
        return await self._dispatcher.create(wanted, decide)

    async def choose_network(self, invoice_id: str, currency: str, network: str) -> Receipt:
        """Lock token and network: ``confirm-payment``."""
        return await self._change(invoice_id, lambda invoice: self._profile.choose(invoice, currency, network))

    async def simulate(self, invoice_id: str, stage: Stage) -> Receipt:
        """Drive an invoice to a stage of the sandbox."""
        return await self._follow(
            invoice_id, lambda invoice: stage_commands(invoice, stage, self._profile.choose(invoice))
        )

    async def pay(self, invoice_id: str, amount: Decimal, *, confirm: bool = True, simulated: bool = True) -> Receipt:
        """Pay an amount in token units; without ``confirm`` the transfer is left confirming.

        Bodies list a transfer that is not ``simulated``, as they do in production.
        """
        return await self._follow(
            invoice_id,
            lambda invoice: pay_commands(
                invoice, amount, self._profile.choose(invoice), confirm=confirm, simulated=simulated
            ),
        )

    async def confirm(self, invoice_id: str, tx_hashes: tuple[str, ...] | None = None) -> Receipt:
        """Let transfers have their confirmations: the named ones, or every one that is on chain."""
        return await self._change(invoice_id, lambda _: ConfirmTransfers(tx_hashes))

    async def reorg(self, invoice_id: str, tx_hashes: tuple[str, ...] | None = None) -> Receipt:
        """Take transfers off the chain again: the named ones, or every one."""
        return await self._change(invoice_id, lambda _: ReorgTransfers(tx_hashes))

    async def cancel(self, invoice_id: str, reason: str) -> Receipt:
        """Cancel an invoice that waits for the client."""
        return await self._change(invoice_id, lambda _: CancelInvoice(reason))

    async def expire(self, invoice_id: str) -> Receipt:
        """End an invoice as its deadline would, now."""
        return await self._change(invoice_id, lambda _: ExpireInvoice(early=True))

    async def expire_if_due(self, invoice_id: str) -> Receipt:
        """End an invoice whose deadline has passed; one that was paid meanwhile is left alone."""

        def decide(invoice: Invoice, place: Place) -> Transition | None:
            if invoice.deadline_at is None or invoice.deadline_at > place.now:
                return None
            return transition(invoice, ExpireInvoice(), place.now)

        return await self._dispatcher.change(Invoice.kind, invoice_id, decide)

    async def _change(self, invoice_id: str, command_for: Callable[[Invoice], InvoiceCommand]) -> Receipt:
        def decide(invoice: Invoice, place: Place) -> Transition:
            return transition(invoice, command_for(invoice), place.now)

        return await self._dispatcher.change(Invoice.kind, invoice_id, decide)

    async def _follow(self, invoice_id: str, plan: Callable[[Invoice], list[InvoiceCommand]]) -> Receipt:
        """Carry out a plan made from the invoice as it stands, one transaction for each command."""
        steps: list[InvoiceCommand] = []

        def first(invoice: Invoice, place: Place) -> Transition:
            steps.extend(plan(invoice))
            return transition(invoice, steps[0], place.now)

        receipt = await self._dispatcher.change(Invoice.kind, invoice_id, first)
        for command in steps[1:]:
            receipt = await self._change(invoice_id, lambda _, command=command: command)  # type: ignore[misc]
        return receipt
