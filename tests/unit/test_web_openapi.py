"""The description of the merchant API: complete, and saying what the validation does."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sender.domain.money import parse_amount, scale_of
from sender.errors import RequestRefused
from sender.web.openapi.requests import amount_pattern
from tests.described import Validator, document

OPERATIONS = {
    ("get", "/v1/time", "any key."),
    ("post", "/v1/invoices", "a payment key."),
    ("get", "/v1/invoices/{id}", "a payment key."),
    ("get", "/v1/invoices", "a payment key."),
    ("post", "/v1/invoices/{id}/cancel", "a payment key."),
    ("post", "/v1/invoices/{id}/confirm-payment", "a payment key."),
    ("post", "/v1/sandbox/invoices/{id}/simulate-payment", "a payment key of the sandbox."),
    ("post", "/v1/withdrawals", "a payout key."),
    ("get", "/v1/withdrawals/{id}", "a payout key."),
    ("get", "/v1/withdrawals", "a payout key."),
    ("post", "/v1/withdrawals/{id}/cancel", "a payout key."),
    ("post", "/v1/sandbox/withdrawals/{id}/simulate-completion", "a payout key of the sandbox."),
    ("get", "/v1/balances", "a payout key."),
    ("post", "/v1/payment-channels", "a payment key."),
    ("get", "/v1/payment-channels/{id}", "a payment key."),
    ("get", "/v1/payment-channels", "a payment key."),
    ("post", "/v1/payment-channels/{id}/block", "a payment key."),
    ("post", "/v1/payment-channels/{id}/unblock", "a payment key."),
    ("post", "/v1/sandbox/payment-channels/{id}/simulate-deposit", "a payment key of the sandbox."),
    ("get", "/v1/payment-channel-deposits", "a payment key."),
    ("get", "/v1/payment-channel-deposits/{id}", "a payment key."),
}
"""Contract §5.2, with the key that each takes."""

CREATING = {"/v1/invoices", "/v1/withdrawals", "/v1/payment-channels"}


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    """Return every described operation with its method and path."""
    return [(method, path, one) for path, item in document()["paths"].items() for method, one in item.items()]


def test_every_operation_of_the_contract_is_there_and_no_other() -> None:
    """The 21 operations, each with the key that it takes."""
    described = {(method, path, one["description"].removeprefix("Takes ")) for method, path, one in operations()}
    assert described == OPERATIONS
    assert len({one["operationId"] for _, _, one in operations()}) == len(OPERATIONS)


def test_only_what_creates_answers_201() -> None:
    """Creating answers 201 and a replay 200; everything else answers 200 alone (contract §5.2)."""
    for method, path, one in operations():
        statuses = {status for status in one["responses"] if status < "3"}
        assert statuses == ({"200", "201"} if method == "post" and path in CREATING else {"200"})


def test_every_reference_leads_somewhere() -> None:
    """No schema refers to one that is not there."""
    references = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document())))
    assert references <= set(document()["components"]["schemas"])


def test_every_schema_is_one() -> None:
    """Each component is a valid JSON Schema of the dialect that OpenAPI 3.1 has."""
    components = document()["components"]
    for schema in components["schemas"].values():
        Validator({**schema, "components": components})


@given(st.text("0123456789.", max_size=45), st.sampled_from(["JPY", "USD", "KWD", "USDT"]))
def test_described_amounts_are_the_ones_that_are_taken(text: str, currency: str) -> None:
    """An amount fits the pattern of its currency exactly when it is accepted."""
    fits = re.fullmatch(amount_pattern(scale_of(currency)), text) is not None
    try:
        parse_amount(text, currency)
    except RequestRefused:
        assert not fits
    else:
        assert fits


@pytest.mark.parametrize(
    ("amount", "currency", "fits"),
    [("2500", "JPY", True), ("2500.0", "JPY", True), ("2500.5", "JPY", False), ("1.500", "KWD", True),
     ("1.0005", "KWD", False), ("0.00", "USD", False), ("0.01", "USD", True), ("9" * 38, "USD", True),
     ("9" * 39, "USD", False), ("1e3", "USD", False), ("-1", "USD", False)],
)  # fmt: skip
def test_amounts_by_currency(amount: str, currency: str, fits: bool) -> None:  # noqa: FBT001 - a row of a table
    """Yen have no decimals, dollars two, dinars three; the document says so of a whole order."""
    order = {"project_id": "prj_1", "amount": amount, "currency": currency, "external_order_id": "1"}
    components = document()["components"]
    schema = {"$ref": "#/components/schemas/InvoiceBody", "components": components}
    assert Validator(schema).is_valid(order) is fits
