"""The JSON of Paymos: envelope, webhook snapshot, API resource and list item, key by key (contract §2.1, §3.2).

The order of the keys is that of the provider's samples, which differs between webhook and API. A member without a value
is left out, never ``null``. Money is text, an instant whole Unix seconds. ``paid``, ``remaining``, ``fee`` and ``net``
are shown once something is confirmed; ``transfers`` only if real ones, not simulated ones, are on chain.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sender.domain.channel import Channel
from sender.domain.deposit import Deposit
from sender.domain.money import format_money, format_rate, format_token
from sender.domain.withdrawal import Withdrawal
from sender.durations import SECOND
from sender.providers.paymos_channels import channel_resource, deposit_resource
from sender.providers.paymos_json import Json, put, put_instant
from sender.providers.paymos_withdrawals import withdrawal_item, withdrawal_resource

if TYPE_CHECKING:
    from sender.domain.invoice import Invoice
    from sender.domain.payment import Payment, Transfer
    from sender.providers.profile import Event, Resource

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def to_bytes(document: Json) -> bytes:
    """Return compact UTF-8 JSON, characters beyond ASCII as themselves."""
    return _ENCODER.encode(document).encode()


def envelope(event: Event, checkout_url: str) -> Json:
    """Return the body of a webhook: the event around the snapshot of its resource."""
    return {
        "event_id": event.event_id,
        "event_type": event.event_type,
        "version": event.version,
        "occurred_at": event.occurred_at // SECOND,
        "data": snapshot(event.resource, checkout_url),
    }


def snapshot(resource: Resource, checkout_url: str) -> Json:
    """Return what a webhook shows of a resource."""
    match resource:
        case Withdrawal():
            return withdrawal_resource(resource)
        case Deposit():
            return deposit_resource(resource)
        case _:
            return invoice_snapshot(resource, checkout_url)


def answer(resource: Resource | Channel, checkout_url: str) -> Json:
    """Return what the Merchant API answers for a resource."""
    match resource:
        case Withdrawal():
            return withdrawal_resource(resource)
        case Deposit():
            return deposit_resource(resource)
        case Channel():
            return channel_resource(resource)
        case _:
            return invoice_resource(resource, checkout_url)


def item(resource: Resource | Channel) -> Json:
    """Return a resource as an item of its list."""
    match resource:
        case Withdrawal():
            return withdrawal_item(resource)
        case Deposit():
            return deposit_resource(resource)
        case Channel():
            return channel_resource(resource)
        case _:
            return invoice_item(resource)


def invoice_snapshot(invoice: Invoice, checkout_url: str) -> Json:
    """Return an invoice in the order of the webhook sample."""
    document = _head(invoice, checkout_url)
    _put_payment(document, invoice)
    _put_ends(document, invoice)
    _put_changes(document, invoice)
    return document


def invoice_resource(invoice: Invoice, checkout_url: str) -> Json:
    """Return an invoice in the order of the API sample."""
    document = _head(invoice, checkout_url)
    _put_payment(document, invoice)
    _put_changes(document, invoice)
    _put_ends(document, invoice)
    return document


def invoice_item(invoice: Invoice) -> Json:
    """Return an invoice as an item of a list: flat, with neither ``order`` nor ``payment``."""
    document: Json = {
        "invoice_id": invoice.id,
        "project_id": invoice.project_id,
        "external_order_id": invoice.external_id,
        "status": invoice.status.value,
        "is_final": invoice.is_final,
        "is_test": invoice.is_test,
        "amount": format_money(invoice.amount, invoice.currency),
        "currency": invoice.currency,
        "created_at": invoice.created_at // SECOND,
    }
    put(document, "client_id", invoice.client_id)
    put(document, "network", invoice.network)
    _put_ends(document, invoice)
    return document


def _head(invoice: Invoice, checkout_url: str) -> Json:
    return {
        "invoice_id": invoice.id,
        "project_id": invoice.project_id,
        "status": invoice.status.value,
        "is_final": invoice.is_final,
        "is_test": invoice.is_test,
        "payment_url": f"{checkout_url}/invoice/{invoice.id}",
        "order": _order(invoice),
    }


def _order(invoice: Invoice) -> Json:
    document: Json = {"external_id": invoice.external_id}
    put(document, "client_id", invoice.client_id)
    document["amount"] = format_money(invoice.amount, invoice.currency)
    document["currency"] = invoice.currency
    put(document, "network", invoice.network)
    return document


def _put_payment(document: Json, invoice: Invoice) -> None:
    if invoice.payment is not None:
        document["payment"] = _payment(invoice.payment)


def _payment(payment: Payment) -> Json:
    quote = payment.quote
    document: Json = {"currency": quote.currency, "network": quote.network, "chain_id": quote.chain_id}
    put(document, "contract_address", quote.contract_address)
    document["expected"] = format_token(quote.expected)
    document["address"] = quote.address
    document["exchange_rate"] = format_rate(quote.exchange_rate)
    if payment.has_confirmed:
        document |= {name: format_token(amount) for name, amount in payment.sums._asdict().items()}
    shown = [_transfer(transfer, payment) for transfer in payment.transfers if not transfer.simulated]
    if shown:
        document["transfers"] = shown
    return document


def _transfer(transfer: Transfer, payment: Payment) -> Json:
    document: Json = {
        "tx_hash": transfer.tx_hash,
        "amount": format_token(transfer.amount),
        "status": transfer.status.value,
        "created_at": transfer.created_at // SECOND,
    }
    put_instant(document, "confirmed_at", transfer.confirmed_at)
    document["required_confirmations"] = payment.quote.required_confirmations
    document["estimated_confirmation_at"] = transfer.estimated_confirmation_at // SECOND
    document["explorer_url"] = payment.quote.explorer + transfer.tx_hash
    return document


def _put_ends(document: Json, invoice: Invoice) -> None:
    document["expires_at"] = invoice.expires_at // SECOND
    put_instant(document, "completed_at", invoice.completed_at)
    put_instant(document, "paid_late_at", invoice.paid_late_at)


def _put_changes(document: Json, invoice: Invoice) -> None:
    document["created_at"] = invoice.created_at // SECOND
    document["updated_at"] = invoice.updated_at // SECOND
