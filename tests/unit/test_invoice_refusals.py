"""Every way an invoice cannot go: the code, the sentence and the member at fault (contract §4.1, §5.3, §5.6)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from sender.domain.invoice import InvoiceStatus
from sender.domain.invoice_commands import (
    CancelInvoice,
    ConfirmTransfers,
    ExpireInvoice,
    InvoiceCommand,
    PayLate,
    ReorgTransfers,
    SeeTransfer,
)
from sender.domain.invoice_transitions import transition
from sender.durations import MINUTE
from sender.errors import Conflict, NotFound, RequestRefused
from tests.invoices import CHOOSE, CONFIRM, CREATE, DEADLINE, START, invoice_in, see

S = InvoiceStatus
LATER = START + 20 * MINUTE
CANCEL = CancelInvoice("out of stock")
EXPIRE = ExpireInvoice()

ALLOWED: dict[type, set[InvoiceStatus]] = {
    type(CHOOSE): {S.AWAITING_CLIENT},
    SeeTransfer: {S.AWAITING_PAYMENT, S.CONFIRMING, S.UNDERPAID_WAITING},
    ConfirmTransfers: {S.CONFIRMING},
    ReorgTransfers: {S.CONFIRMING, S.UNDERPAID_WAITING},
    CancelInvoice: {S.AWAITING_CLIENT},
    ExpireInvoice: {S.AWAITING_CLIENT, S.AWAITING_PAYMENT, S.UNDERPAID_WAITING},
    PayLate: {S.EXPIRED, S.UNDERPAID, S.CANCELLED},
}
COMMANDS = (CHOOSE, see("1", "cc"), CONFIRM, ReorgTransfers(), CANCEL, EXPIRE, PayLate())


@pytest.mark.parametrize("status", list(S))
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: type(command).__name__)
def test_each_command_is_taken_in_its_statuses_and_refused_in_the_others(
    command: InvoiceCommand, status: InvoiceStatus
) -> None:
    """Nine statuses times seven commands: what is not in the table is a conflict with a code and a sentence."""
    invoice = invoice_in(status)
    if status in ALLOWED[type(command)]:
        transition(invoice, command, DEADLINE)
        return
    with pytest.raises(Conflict, match=invoice.id) as refused:
        transition(invoice, command, DEADLINE)
    assert status.value in str(refused.value)
    assert refused.value.reason_code


@pytest.mark.parametrize("status", [status for status in S if status is not S.AWAITING_CLIENT])
def test_a_refused_cancel_has_the_providers_code(status: InvoiceStatus) -> None:
    """Only ``awaiting_client`` can be cancelled; everything else is 409 ``invoice_cannot_be_cancelled``."""
    with pytest.raises(Conflict) as refused:
        transition(invoice_in(status), CANCEL, LATER)
    assert (refused.value.reason_code, refused.value.status) == ("invoice_cannot_be_cancelled", 409)


def test_confirm_payment_on_a_chosen_network_is_a_plain_conflict() -> None:
    """A second choice of a network is 409 with the code of the conflict family."""
    with pytest.raises(Conflict) as refused:
        transition(invoice_in(S.AWAITING_PAYMENT), CHOOSE, LATER)
    assert refused.value.reason_code == "conflict"


def test_a_locked_network_cannot_be_swapped() -> None:
    """An order that names a network is paid on that network."""
    locked = transition(None, replace(CREATE, network="ERC20"), START).resource
    with pytest.raises(RequestRefused, match="locked to ERC20") as refused:
        transition(locked, CHOOSE, LATER)
    assert refused.value.field == "network"


def test_an_invoice_is_created_once_and_must_exist_for_the_rest() -> None:
    """Creating over an invoice is a conflict; any other command without one finds nothing."""
    with pytest.raises(Conflict):
        transition(invoice_in(S.AWAITING_CLIENT), CREATE, LATER)
    with pytest.raises(NotFound) as missing:
        transition(None, CANCEL, LATER)
    assert missing.value.reason_code == "invoice_not_found"


def test_one_payment_only_refuses_the_top_up() -> None:
    """Without ``allow_multiple_payments`` a short payment waits for the deadline and a second one is refused."""
    waiting = invoice_in(S.UNDERPAID_WAITING, single_payment=True)
    with pytest.raises(Conflict) as refused:
        transition(waiting, see("30", "bb"), LATER)
    assert refused.value.reason_code == "multiple_payments_not_allowed"
    assert transition(waiting, EXPIRE, DEADLINE).event_type == "invoice.underpaid"


@pytest.mark.parametrize("command", [ConfirmTransfers(("zz",)), ReorgTransfers(("aa", "zz")), ReorgTransfers(())])
def test_transfers_that_are_not_there_are_a_conflict(command: InvoiceCommand) -> None:
    """Naming an unknown transfer, or none, changes nothing."""
    with pytest.raises(Conflict) as refused:
        transition(invoice_in(S.CONFIRMING), command, LATER)
    assert refused.value.reason_code == "transfer_not_found"


def test_a_transfer_is_seen_once() -> None:
    """The same hash twice is one transfer."""
    with pytest.raises(Conflict) as refused:
        transition(invoice_in(S.CONFIRMING), see("50"), LATER)
    assert refused.value.reason_code == "transfer_already_seen"


@pytest.mark.parametrize(
    ("change", "field", "code"),
    [
        ({"amount": Decimal("0.00")}, "amount", "field_invalid_amount"),
        ({"amount": Decimal("NaN")}, "amount", "field_invalid_amount"),
        ({"amount": Decimal("1E+38")}, "amount", "field_invalid_amount"),
        ({"amount": Decimal("1.001")}, "amount", "field_invalid_amount"),
        ({"currency": "usd"}, "currency", "validation_failed"),
        ({"external_id": " "}, "external_order_id", "field_required"),
        ({"external_id": "x" * 129}, "external_order_id", "validation_failed"),
        ({"external_id": "a\0b"}, "external_order_id", "validation_failed"),
        ({"client_id": "x" * 201}, "client_id", "validation_failed"),
        ({"client_id": "\ud800"}, "client_id", "validation_failed"),
        ({"customer_fee_percent": 101}, "customer_fee_percent", "validation_failed"),
        ({"customer_fee_percent": -1}, "customer_fee_percent", "validation_failed"),
    ],
)
def test_an_order_that_cannot_be_taken_names_its_member(change: dict, field: str, code: str) -> None:
    """Each rule of contract §5.3 is refused under the name that the request uses."""
    with pytest.raises(RequestRefused) as refused:
        transition(None, replace(CREATE, **change), START)
    assert (refused.value.field, refused.value.reason_code) == (field, code)


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501])
def test_a_cancel_needs_a_reason(reason: str) -> None:
    """A reason is 1 to 500 characters and not blank; the one that is taken is kept."""
    with pytest.raises(RequestRefused) as refused:
        transition(invoice_in(S.AWAITING_CLIENT), CancelInvoice(reason), LATER)
    assert refused.value.field == "reason"
    assert transition(invoice_in(S.AWAITING_CLIENT), CANCEL, LATER).resource.cancel_reason == "out of stock"


@pytest.mark.parametrize("amount", ["0", "0.0000001"])
def test_a_transfer_moves_whole_units_of_its_token(amount: str) -> None:
    """A transfer of nothing, or finer than the token, cannot be on chain."""
    with pytest.raises(RequestRefused):
        transition(invoice_in(S.AWAITING_PAYMENT), see(amount), LATER)
