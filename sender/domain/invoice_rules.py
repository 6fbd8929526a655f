"""What a caller may write into an invoice, and into what shares its members (contract §5.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.domain.money import require_amount
from sender.domain.text import check_text, refusal

if TYPE_CHECKING:
    from sender.domain.invoice_commands import CreateInvoice

EXTERNAL_ID_MAX = 128
CLIENT_ID_MAX = 200
REASON_MAX = 500
PERCENT_MAX = 100


def check_order(command: CreateInvoice) -> None:
    """Raise ``RequestRefused``, naming the member of the request, for an order that cannot be taken."""
    require_amount(command.amount, command.currency)
    check_external_id(command.external_id)
    if command.client_id is not None:
        check_text(command.client_id, "client_id", CLIENT_ID_MAX)
    if command.customer_fee_percent is not None:
        check_percent(command.customer_fee_percent)


def check_external_id(text: str, field: str = "external_order_id") -> None:
    """Raise ``RequestRefused`` for a merchant's own id that has not 1 to 128 characters."""
    check_text(text, field, EXTERNAL_ID_MAX)


def check_reason(reason: str) -> None:
    """Raise ``RequestRefused`` for a cancel reason that is blank or longer than 500 characters."""
    check_text(reason, "reason", REASON_MAX)


def check_percent(percent: int) -> None:
    """Raise ``RequestRefused`` for a customer's share of the fee that is not within 0 and 100."""
    if not 0 <= percent <= PERCENT_MAX:
        raise refusal(f"customer_fee_percent is {percent}; it goes from 0 to {PERCENT_MAX}", "customer_fee_percent")
