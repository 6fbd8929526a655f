"""Schemas of what the merchant API answers, member by member (contract §3, §5.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sender.domain.channel import ChannelStatus, RailStatus
from sender.domain.deposit import DepositStatus
from sender.domain.invoice import InvoiceStatus
from sender.domain.payment import TransferStatus
from sender.domain.withdrawal import WithdrawalStatus

if TYPE_CHECKING:
    from enum import EnumMeta

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FILLED: Schema = {"type": "string", "minLength": 1}
BOOL: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
SECOND: Schema = {"type": "integer", "minimum": 0, "description": "Unix seconds"}
MONEY: Schema = {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?$"}
PERCENT: Schema = {"type": "number", "minimum": 0, "maximum": 100}
WHOLE_PERCENT: Schema = {"type": "integer", "minimum": 0, "maximum": 100}
LINK: Schema = {"type": "string", "format": "uri"}


def reference(name: str) -> Schema:
    """Return a reference to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def _id(prefix: str) -> Schema:
    return {"type": "string", "pattern": f"^{prefix}_[0-9A-Za-z]{{22}}$"}


def one_of(words: EnumMeta) -> Schema:
    """Return the schema of one of the words of an enumeration."""
    return {"type": "string", "enum": [word.value for word in words]}  # type: ignore[var-annotated]


def list_of(item: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": item}


def record(required: Schema, optional: Schema | None = None) -> Schema:
    """Return the schema of an object with exactly these members."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def _page(item: str, cursor: Schema) -> Schema:
    return record({"items": list_of(reference(item)), "next_cursor": cursor})


_LAST_IS_NULL: Schema = {"type": ["string", "null"], "description": "null on the last page"}
_WITHDRAWAL_REQUIRED: Schema = {
    "withdrawal_id": _id("wdr"),
    "external_order_id": FILLED,
    "status": one_of(WithdrawalStatus),
    "is_final": BOOL,
    "is_test": BOOL,
    "amount": MONEY,
    "currency": FILLED,
    "network": FILLED,
    "destination_address": FILLED,
    "created_at": SECOND,
}
_WITHDRAWAL_OPTIONAL: Schema = {
    "fee": MONEY,
    "completed_at": SECOND,
    "failed_at": SECOND,
    "cancelled_at": SECOND,
}
_INVOICE_ENDS: Schema = {"expires_at": SECOND, "completed_at": SECOND, "paid_late_at": SECOND}

ANSWERS: dict[str, Schema] = {
    "ServerTime": record({"server_time": SECOND}),
    "Balance": record({"currency": FILLED, "available": MONEY}),
    "Balances": list_of(reference("Balance")),
    "Order": record(
        {"external_id": FILLED, "amount": MONEY, "currency": FILLED}, {"client_id": FILLED, "network": FILLED}
    ),
    "Transfer": record(
        {"tx_hash": FILLED, "amount": MONEY, "status": one_of(TransferStatus), "created_at": SECOND},
        {
            "confirmed_at": SECOND,
            "required_confirmations": COUNT,
            "estimated_confirmation_at": SECOND,
            "explorer_url": LINK,
        },
    ),
    "Payment": record(
        {"currency": FILLED, "network": FILLED, "chain_id": COUNT, "expected": MONEY},
        {
            "contract_address": FILLED,
            "address": FILLED,
            "exchange_rate": MONEY,
            "paid": MONEY,
            "remaining": MONEY,
            "fee": MONEY,
            "net": MONEY,
            "transfers": list_of(reference("Transfer")),
        },
    ),
    "Invoice": record(
        {
            "invoice_id": _id("inv"),
            "project_id": _id("prj"),
            "status": one_of(InvoiceStatus),
            "is_final": BOOL,
            "is_test": BOOL,
            "payment_url": LINK,
            "order": reference("Order"),
            "created_at": SECOND,
            "updated_at": SECOND,
        },
        {"payment": reference("Payment"), **_INVOICE_ENDS},
    ),
    "InvoiceItem": record(
        {
            "invoice_id": _id("inv"),
            "project_id": _id("prj"),
            "external_order_id": FILLED,
            "status": one_of(InvoiceStatus),
            "is_final": BOOL,
            "is_test": BOOL,
            "amount": MONEY,
            "currency": FILLED,
            "created_at": SECOND,
        },
        {"client_id": FILLED, "network": FILLED, **_INVOICE_ENDS},
    ),
    "InvoicePage": _page("InvoiceItem", _LAST_IS_NULL),
    "Withdrawal": record(_WITHDRAWAL_REQUIRED, {**_WITHDRAWAL_OPTIONAL, "tx_hash": FILLED, "explorer_url": LINK}),
    "WithdrawalItem": record(_WITHDRAWAL_REQUIRED, _WITHDRAWAL_OPTIONAL),
    "WithdrawalPage": _page("WithdrawalItem", _LAST_IS_NULL),
    "Token": record({"symbol": FILLED}, {"minimum_deposit": MONEY}),
    "Rail": record(
        {"network": FILLED, "status": one_of(RailStatus), "tokens": list_of(reference("Token"))}, {"address": FILLED}
    ),
    "PaymentChannel": record(
        {
            "id": _id("pc"),
            "project_id": _id("prj"),
            "external_id": FILLED,
            "status": one_of(ChannelStatus),
            "is_accepting_payments": BOOL,
            "is_fully_provisioned": BOOL,
            "is_test": BOOL,
            "applied_fee_percent": PERCENT,
            "customer_fee_percent": WHOLE_PERCENT,
            "networks": list_of(reference("Rail")),
            "created_at": SECOND,
            "updated_at": SECOND,
        }
    ),
    "PaymentChannelPage": _page("PaymentChannel", _LAST_IS_NULL),
    "Deposit": record(
        {
            "id": _id("pcd"),
            "payment_channel_id": _id("pc"),
            "project_id": _id("prj"),
            "payment_channel_external_id": FILLED,
            "status": one_of(DepositStatus),
            "is_final": BOOL,
            "is_test": BOOL,
            "currency": FILLED,
            "network": FILLED,
            "chain_id": COUNT,
            "gross": MONEY,
            "fee": MONEY,
            "net": MONEY,
            "applied_fee_percent": PERCENT,
            "customer_fee_percent": WHOLE_PERCENT,
            "tx_hash": FILLED,
            "transfer_id": _id("trf"),
            "destination_address": FILLED,
            "block_height": COUNT,
            "created_at": SECOND,
            "updated_at": SECOND,
        },
        {
            "contract_address": FILLED,
            "source_address": FILLED,
            "first_included_block_timestamp": SECOND,
            "explorer_url": LINK,
            "confirmed_at": SECOND,
        },
    ),
    "DepositFeedPage": record(
        {"items": list_of(reference("Deposit")), "next_cursor": FILLED},
        {"blocked": record({"deposit_id": _id("pcd"), "reason": FILLED})},
    ),
    "Flaw": record({"code": FILLED, "field": TEXT, "message": FILLED}),
    "Problem": record(
        {
            "type": LINK,
            "title": FILLED,
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "detail": FILLED,
            "code": FILLED,
        },
        {"field": FILLED, "errors": list_of(reference("Flaw")), "trace_id": FILLED},
    ),
}
