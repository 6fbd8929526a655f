"""A withdrawal in the JSON of Paymos; webhook and API show the same (contract §3.3).

The order of the keys is that of the provider's TypeScript types; no sample of a whole body is published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.domain.money import format_token
from sender.durations import SECOND
from sender.providers.paymos_json import Json, put, put_instant

if TYPE_CHECKING:
    from sender.domain.withdrawal import Withdrawal


def withdrawal_resource(withdrawal: Withdrawal) -> Json:
    """Return a withdrawal; ``tx_hash`` and ``explorer_url`` are there from the broadcast on."""
    document = _head(withdrawal)
    if withdrawal.tx_hash is not None:
        document["tx_hash"] = withdrawal.tx_hash
        document["explorer_url"] = withdrawal.explorer + withdrawal.tx_hash
    _put_instants(document, withdrawal)
    return document


def withdrawal_item(withdrawal: Withdrawal) -> Json:
    """Return a withdrawal as an item of a list, which has neither ``tx_hash`` nor ``explorer_url``."""
    document = _head(withdrawal)
    _put_instants(document, withdrawal)
    return document


def _head(withdrawal: Withdrawal) -> Json:
    document: Json = {
        "withdrawal_id": withdrawal.id,
        "external_order_id": withdrawal.external_id,
        "status": withdrawal.status.value,
        "is_final": withdrawal.is_final,
        "is_test": withdrawal.is_test,
        "amount": format_token(withdrawal.amount),
    }
    put(document, "fee", None if withdrawal.fee is None else format_token(withdrawal.fee))
    document["currency"] = withdrawal.currency
    document["network"] = withdrawal.network
    document["destination_address"] = withdrawal.destination_address
    return document


def _put_instants(document: Json, withdrawal: Withdrawal) -> None:
    document["created_at"] = withdrawal.created_at // SECOND
    put_instant(document, "completed_at", withdrawal.completed_at)
    put_instant(document, "failed_at", withdrawal.failed_at)
    put_instant(document, "cancelled_at", withdrawal.cancelled_at)
