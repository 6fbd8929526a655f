"""Bodies: what is refused, under which code, and how several flaws are told."""

from __future__ import annotations

from typing import Any

import pytest

from sender.providers.paymos import Paymos
from sender.web.merchant.bodies import DepositBody, InvoiceBody, ReasonBody, StageBody, WithdrawalBody
from sender.web.refusals import Invalid
from sender.web.validation import MOST_FLAWS, checked

CATALOGUE = Paymos().catalogue
ORDER = {"project_id": "prj_1", "amount": "11.05", "currency": "USD", "external_order_id": "o1"}
PAYOUT = {"destination_address": "T1", "amount": "1", "currency": "USDT", "network": "TRC20", "external_order_id": "o1"}


def refused(model: type[Any], members: dict[str, Any]) -> Invalid:
    """Return how a body is refused."""
    with pytest.raises(Invalid) as caught:
        checked(model, members, CATALOGUE)
    return caught.value


def test_least_order_is_taken() -> None:
    """The four required members are enough."""
    order = checked(InvoiceBody, ORDER, CATALOGUE)
    assert (order.amount, order.network, order.allow_multiple_payments) == ("11.05", None, None)


def test_null_in_an_optional_member_is_as_good_as_none() -> None:
    """Clients that send every member they know are served too."""
    empty = dict.fromkeys(("network", "allow_multiple_payments", "customer_fee_percent", "client_id"))
    assert checked(InvoiceBody, ORDER | empty, CATALOGUE) == checked(InvoiceBody, ORDER, CATALOGUE)


@pytest.mark.parametrize(
    ("member", "value", "code"),
    [
        ("amount", "0.00", "field_invalid_amount"),
        ("amount", "", "field_invalid_amount"),
        ("amount", "-1", "field_invalid_amount"),
        ("amount", "1e3", "field_invalid_amount"),
        ("amount", "NaN", "field_invalid_amount"),
        ("amount", "Infinity", "field_invalid_amount"),
        ("amount", "1,5", "field_invalid_amount"),
        ("amount", " 1", "field_invalid_amount"),
        ("amount", "\u0661", "field_invalid_amount"),
        ("amount", "9" * 40, "field_invalid_amount"),
        ("amount", "1\0", "field_invalid_amount"),
        ("amount", 11.05, "field_invalid"),
        ("amount", None, "field_invalid"),
        ("amount", ["1"], "field_invalid"),
        ("currency", "usd", "validation_failed"),
        ("currency", "XXX", "validation_failed"),
        ("currency", 840, "field_invalid"),
        ("network", "tron", "validation_failed"),
        ("network", "", "field_invalid"),
        ("external_order_id", "", "field_required"),
        ("external_order_id", "  ", "field_required"),
        ("external_order_id", "x" * 129, "field_invalid"),
        ("external_order_id", "a\0b", "field_invalid"),
        ("external_order_id", "a\ud800b", "field_invalid"),
        ("external_order_id", 5, "field_invalid"),
        ("client_id", "x" * 201, "field_invalid"),
        ("customer_fee_percent", 101, "field_invalid"),
        ("customer_fee_percent", -1, "field_invalid"),
        ("customer_fee_percent", 1.5, "field_invalid"),
        ("customer_fee_percent", float("inf"), "field_invalid"),
        ("customer_fee_percent", "5", "field_invalid"),
        ("customer_fee_percent", True, "field_invalid"),
        ("allow_multiple_payments", "true", "field_invalid"),
        ("allow_multiple_payments", 1, "field_invalid"),
        ("colour", "red", "field_unknown"),
    ],
)
def test_single_flaw_is_told_flat(member: str, value: Any, code: str) -> None:
    """One flaw comes under its own code and names its member (contract §5.6)."""
    invalid = refused(InvoiceBody, ORDER | {member: value})
    assert (invalid.reason_code, invalid.field, list(invalid.flaws)) == (code, member, [])


@pytest.mark.parametrize("member", sorted(ORDER))
def test_missing_member_is_required(member: str) -> None:
    """What has to be there and is not comes as field_required."""
    invalid = refused(InvoiceBody, {name: value for name, value in ORDER.items() if name != member})
    assert (invalid.reason_code, invalid.field, str(invalid)) == ("field_required", member, "Required.")


def test_several_flaws_are_told_together() -> None:
    """More than one flaw comes as validation_failed with a list, each with code, field and message."""
    invalid = refused(InvoiceBody, {"amount": "0", "currency": "xx", "external_order_id": 1, "colour": "red"})
    assert invalid.reason_code == "validation_failed"
    assert invalid.field is None
    assert {(flaw.code, flaw.field) for flaw in invalid.flaws} == {
        ("field_required", "project_id"),
        ("field_invalid_amount", "amount"),
        ("validation_failed", "currency"),
        ("field_invalid", "external_order_id"),
        ("field_unknown", "colour"),
    }


def test_list_of_flaws_ends() -> None:
    """A body of thousands of wrong members is not answered with thousands of flaws."""
    invalid = refused(ReasonBody, {f"member{number}": 1 for number in range(5_000)})
    assert len(invalid.flaws) == MOST_FLAWS


def test_misspelt_member_gets_a_remedy() -> None:
    """An unknown member that is nearly a known one is answered with the known one."""
    invalid = refused(InvoiceBody, ORDER | {"alow_multiple_payments": False})
    assert "did you mean 'allow_multiple_payments'?" in str(invalid)


def test_hostile_member_names_are_made_harmless() -> None:
    """The name of an unknown member is shown cut and without what cannot be written."""
    name = "\ud800\0" + "x" * 500
    invalid = refused(InvoiceBody, ORDER | {name: 1})
    assert invalid.field is not None
    assert invalid.field.isprintable()
    assert len(str(invalid)) < 500


def test_whole_number_with_a_point_is_whole() -> None:
    """JSON has one kind of number, and 5.0 is an integer in it."""
    assert checked(InvoiceBody, ORDER | {"customer_fee_percent": 5.0}, CATALOGUE).customer_fee_percent == 5


@pytest.mark.parametrize("pair", [{"currency": "USD"}, {"network": "BASE"}, {"currency": "TRX", "network": "ERC20"}])
def test_withdrawal_takes_a_token_on_a_network_that_carries_it(pair: dict[str, str]) -> None:
    """A currency that is no token, and a pair that is not offered, are refused with what would be right."""
    invalid = refused(WithdrawalBody, PAYOUT | pair)
    assert invalid.reason_code == "validation_failed"
    assert "TRC20" in str(invalid) or "USDT" in str(invalid)


@pytest.mark.parametrize("stage", [None, "", "paid", "CONFIRMED", 1])
def test_unknown_stage_of_a_deposit_is_refused(stage: object) -> None:
    """Leaving the stage out means confirmed; null and empty are unknown values (contract §4.4)."""
    deposit = {"amount": "5", "currency": "USDT", "network": "TRC20"}
    assert checked(DepositBody, deposit, CATALOGUE).stage == "confirmed"
    assert refused(DepositBody, deposit | {"stage": stage}).field == "stage"


def test_stages_are_words() -> None:
    """A stage of an invoice is read from its word and from nothing else."""
    assert checked(StageBody, {"stage": "paid_late"}).stage == "paid_late"
    assert refused(StageBody, {"stage": "paid_early"}).field == "stage"


@pytest.mark.parametrize("reason", ["", " \n", "x" * 501, None, 7])
def test_cancel_needs_a_reason(reason: object) -> None:
    """A reason has 1 to 500 characters and is not blank (contract §5.3)."""
    assert refused(ReasonBody, {"reason": reason}).field == "reason"
    assert checked(ReasonBody, {"reason": "x" * 500}).reason == "x" * 500
