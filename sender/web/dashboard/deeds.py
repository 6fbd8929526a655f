"""What the sandbox does to an invoice: the buttons, when each is there, and what it carries out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.domain.invoice import InvoiceStatus
from sender.domain.money import minus
from sender.domain.payment import Payment
from sender.domain.sandbox import Stage
from sender.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.domain.invoice import Invoice
    from sender.invoices import Invoices
    from sender.providers.paymos import Paymos

_CLIENT, _PAYMENT = InvoiceStatus.AWAITING_CLIENT, InvoiceStatus.AWAITING_PAYMENT
_CONFIRMING, _PARTIAL = InvoiceStatus.CONFIRMING, InvoiceStatus.UNDERPAID_WAITING
_UNPAID = frozenset({InvoiceStatus.EXPIRED, InvoiceStatus.CANCELLED, InvoiceStatus.UNDERPAID})


@dataclass(frozen=True, slots=True)
class Deed:
    """One button: its words, and the statuses in which it can be pressed."""

    name: str
    label: str
    says: str
    when: frozenset[InvoiceStatus]


DEEDS = (
    Deed("paid", "Pay in full", "the whole amount arrives and is confirmed",
         frozenset({_CLIENT, _PAYMENT, _CONFIRMING, _PARTIAL})),
    Deed("underpay", "Pay 50 %", "half of it arrives; the rest is waited for", frozenset({_CLIENT, _PAYMENT})),
    Deed("overpaid", "Pay 150 %", "half as much again arrives", frozenset({_CLIENT, _PAYMENT, _CONFIRMING, _PARTIAL})),
    Deed("confirming", "Pay, unconfirmed", "the transfer is seen and waits for confirmations",
         frozenset({_CLIENT, _PAYMENT, _PARTIAL})),
    Deed("confirm", "Confirm", "transfers get their confirmations", frozenset({_CONFIRMING})),
    Deed("reorg", "Reorg", "the chain takes the transfers back", frozenset({_CONFIRMING, _PARTIAL})),
    Deed("cancel", "Cancel", "the merchant gives it up", frozenset({_CLIENT})),
    Deed("expire", "Expire", "the deadline passes now", frozenset({_CLIENT, _PAYMENT, _PARTIAL})),
    Deed("paid_late", "Pay late", "money arrives after the end; nothing is sent for that", _UNPAID),
)  # fmt: skip


def deeds_for(invoice: Invoice) -> list[Deed]:
    """Return what can be done to an invoice as it stands."""
    return [deed for deed in DEEDS if invoice.status in deed.when]


class Doer:
    """Carries deeds out."""

    def __init__(self, invoices: Invoices, profile: Paymos) -> None:
        self._invoices = invoices
        self._profile = profile
        self._rare: dict[str, Callable[[Invoice], Awaitable[object]]] = {
            "confirming": self._pay_unconfirmed,
            "confirm": lambda invoice: invoices.confirm(invoice.id),
            "reorg": lambda invoice: invoices.reorg(invoice.id),
            "expire": lambda invoice: invoices.expire(invoice.id),
        }

    async def do(self, name: str, invoice: Invoice) -> Deed:
        """Carry one out. Raises ``Conflict`` where the status does not allow it, ``NotFound`` for what is none."""
        deed = next((one for one in DEEDS if one.name == name), None)
        if deed is None:
            raise NotFound("there is no such button")
        if name in self._rare:
            await self._rare[name](invoice)
        else:
            await self._invoices.simulate(invoice.id, Stage(name))
        return deed

    async def _pay_unconfirmed(self, invoice: Invoice) -> None:
        payment = invoice.payment or Payment(self._profile.choose(invoice).quote)
        await self._invoices.pay(invoice.id, minus(payment.expected, payment.on_chain), confirm=False)
