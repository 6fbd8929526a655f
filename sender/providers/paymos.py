"""The contract of Paymos as a profile: its data, its three verbs, and the commands that need its prices.

Every value names where it comes from; ``verified`` says that a public source of the provider states it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from sender.domain.endpoint import CATEGORIES, ROTATION_WINDOW
from sender.domain.invoice_commands import INVOICE_LIFETIME, PAYMENT_LIFETIME, ChooseNetwork, CreateInvoice
from sender.domain.signature import webhook_header
from sender.durations import MINUTE, SECOND, Duration
from sender.providers.paymos_channels import rails_of
from sender.providers.paymos_json import Json
from sender.providers.paymos_networks import Catalogue, Priced, load_catalogue
from sender.providers.paymos_wire import answer, envelope, item, to_bytes
from sender.providers.profile import Event, Headers, Profile, Resource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.domain.channel import Channel, Rail
    from sender.domain.invoice import Invoice
    from sender.domain.payment import Quote

EVENT_TYPES = (
    "invoice.awaiting_payment",
    "invoice.confirming",
    "invoice.underpaid_waiting",
    "invoice.paid",
    "invoice.paid_over",
    "invoice.underpaid",
    "invoice.expired",
    "invoice.cancelled",
    "withdrawal.created",
    "withdrawal.processing",
    "withdrawal.completed",
    "withdrawal.failed",
    "withdrawal.cancelled",
    "payment_channel.deposit.confirming",
    "payment_channel.deposit.reorged",
    "payment_channel.deposit.confirmed",
)
"""Verified: contract §2.2, §2.3, §2.4; there are no others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paymos(Profile):
    """Paymos as of 2026-10.

    ``timeout``: verified, contract §1.5. ``signature_tolerance``: verified, §1.4. ``rotation_window``: verified, §1.3.
    ``invoice_lifetime``, ``payment_lifetime``: sources disagree or are silent, design §4. ``fee_rate``: the sample's
    1 %, §3.2. ``withdrawal_fee``: optional in the bodies, §3.3, and no source says how much, so there is none.
    ``minimum_deposit``: the fixture's, §3.4, here every token's. ``user_agent``: no source, §9. Header names: verified,
    §1.1. ``checkout_url`` stands before ``/invoice/{id}`` in ``payment_url``: verified, §3.2.
    """

    name: str = "paymos"
    event_types: tuple[str, ...] = EVENT_TYPES
    categories: tuple[str, ...] = CATEGORIES
    timeout: Duration = 10 * SECOND
    signature_tolerance: Duration = 5 * MINUTE
    rotation_window: Duration = ROTATION_WINDOW
    invoice_lifetime: Duration = INVOICE_LIFETIME
    payment_lifetime: Duration = PAYMENT_LIFETIME
    fee_rate: Decimal = Decimal("0.01")
    withdrawal_fee: Decimal | None = None
    minimum_deposit: Decimal = Decimal("1.00")
    user_agent: str = "Paymos-Webhook/1.0"
    id_header: str = "X-Webhook-Id"
    timestamp_header: str = "X-Webhook-Timestamp"
    signature_header: str = "X-Webhook-Signature"
    checkout_url: str = "https://checkout.paymos.io"
    catalogue: Catalogue = field(default_factory=load_catalogue)

    def encode(self, event: Event) -> bytes:
        """Return the envelope with the resource's snapshot as compact JSON (contract §2.1, §3.2)."""
        return to_bytes(envelope(event, self.checkout_url))

    def sign(self, body: bytes, secrets: Sequence[str], timestamp: int, event_id: str) -> Headers:
        """Return the headers of contract §1.1 in its order, with a ``v1`` for each secret."""
        return (
            ("Content-Type", "application/json; charset=utf-8"),
            ("User-Agent", self.user_agent),
            (self.id_header, event_id),
            (self.timestamp_header, str(timestamp)),
            (self.signature_header, webhook_header(body, secrets, timestamp)),
        )

    def accepts(self, status: int) -> bool:
        """Tell whether the status is 2xx; nothing else counts (contract §1.5)."""
        return 200 <= status <= 299  # noqa: PLR2004 - the class of successes, known by its numbers

    def resource(self, resource: Resource | Channel) -> Json:
        """Return a resource as the Merchant API answers it."""
        return answer(resource, self.checkout_url)

    def item(self, resource: Resource | Channel) -> Json:
        """Return a resource as an item of a list."""
        return item(resource)

    def rails(self, channel_id: str) -> tuple[Rail, ...]:
        """Return the rails of a new payment channel: every network with every token, provisioned at once."""
        return rails_of(self.catalogue, channel_id, self.minimum_deposit)

    def quote(self, order: Priced, currency: str, network: str) -> Quote:
        """Return what an invoice costs in ``currency`` on ``network``; ``RequestRefused`` where that is not offered."""
        return self.catalogue.quote(order, currency, network, self.fee_rate)

    def priced(self, command: CreateInvoice) -> CreateInvoice:
        """Return the command with the lifetime, and the quote if it locks a token to a network (contract §4.1, §5.3).

        A fiat order may name a network too: the buyer's token stays open, so it waits for the client. Raises
        ``RequestRefused`` for a currency or a network that is not offered.
        """
        pair = self.catalogue.pair_for(command.currency, command.network)
        if command.network is None or not self.catalogue.is_token(command.currency):
            return replace(command, lifetime=self.invoice_lifetime)
        return replace(command, quote=self.quote(command, *pair), lifetime=self.payment_lifetime)

    def choose(self, invoice: Invoice, currency: str | None = None, network: str | None = None) -> ChooseNetwork:
        """Return the choice of a network; what is not named is the preferred one for the invoice.

        Raises ``RequestRefused`` where that is not offered.
        """
        token, rail = self.catalogue.pair_for(currency or invoice.currency, network or invoice.network)
        return ChooseNetwork(self.quote(invoice, currency or token, rail), self.payment_lifetime)


def paymos(checkout_url: str | None = None) -> Paymos:
    """Return the profile; ``checkout_url`` is where payers go instead of the provider's own pages."""
    return Paymos() if checkout_url is None else Paymos(checkout_url=checkout_url)
