"""What a caller may write into an invoice: lengths, ranges and characters (contract §5.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.domain.money import require_amount
from sender.errors import RequestRefused

if TYPE_CHECKING:
    from sender.domain.invoice_commands import CreateInvoice

EXTERNAL_ID_MAX = 128
CLIENT_ID_MAX = 200
REASON_MAX = 500
PERCENT_MAX = 100


def check_order(command: CreateInvoice) -> None:
    """Raise ``RequestRefused``, naming the member of the request, for an order that cannot be taken."""
    require_amount(command.amount, command.currency)
    check_text(command.external_id, "external_order_id", EXTERNAL_ID_MAX)
    if command.client_id is not None:
        check_text(command.client_id, "client_id", CLIENT_ID_MAX)
    percent = command.customer_fee_percent
    if percent is not None and not 0 <= percent <= PERCENT_MAX:
        raise _refusal(f"customer_fee_percent is {percent}; it goes from 0 to {PERCENT_MAX}", "customer_fee_percent")


def check_reason(reason: str) -> None:
    """Raise ``RequestRefused`` for a cancel reason that is blank or longer than 500 characters."""
    check_text(reason, "reason", REASON_MAX)


def check_text(text: str, field: str, longest: int) -> None:
    """Raise ``RequestRefused`` for text that is blank, too long, or that no database and no body can carry."""
    if not text.strip():
        raise _refusal(f"{field} is empty; it needs 1 to {longest} characters", field, "field_required")
    if len(text) > longest:
        raise _refusal(f"{field} has {len(text)} characters; it may have {longest}", field)
    if any(_cannot_travel(character) for character in text):
        raise _refusal(f"{field} holds a NUL or half a surrogate pair; neither is text", field)


def _cannot_travel(character: str) -> bool:
    return character == "\0" or "\ud800" <= character <= "\udfff"


def _refusal(message: str, field: str, code: str = "validation_failed") -> RequestRefused:
    return RequestRefused(message, code=code, field=field)
