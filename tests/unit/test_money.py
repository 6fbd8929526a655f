"""Money: what may be written, how it is counted, how it is shown."""

from __future__ import annotations

from decimal import Decimal

import pytest

from sender.domain import money
from sender.errors import RequestRefused


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            ".",
            "1.",
            ".5",
            "-1",
            "+1",
            "1e3",
            "1E3",
            "1_000",
            "1,000.00",
            " 1",
            "1 ",
            "1\n",
            "0x1",
            "NaN",
            "Infinity",
        ),
        *("\N{ARABIC-INDIC DIGIT ONE}", "\N{FULLWIDTH DIGIT ONE}", "1.2.3", "1" * 39, "0." + "1" * 38),
    ],
)
def test_only_plain_decimals_are_amounts(text: str) -> None:
    """Whatever is not ASCII digits with at most one dot is refused under the provider's code and field."""
    with pytest.raises(RequestRefused) as refused:
        money.parse_decimal(text)
    assert refused.value.reason_code == "field_invalid_amount"
    assert refused.value.field == "amount"


def test_a_refusal_does_not_repeat_a_huge_text() -> None:
    """A megabyte of rubbish does not come back as a megabyte of error message."""
    with pytest.raises(RequestRefused) as refused:
        money.parse_decimal("x" * 1_000_000)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("text", "currency"),
    [("0", "USD"), ("0.00", "USD"), ("10.005", "USD"), ("2500.5", "JPY"), ("1.0005", "KWD"), ("0.0000001", "USDT")],
)
def test_an_amount_is_more_than_zero_and_no_finer_than_its_currency(text: str, currency: str) -> None:
    """An amount that the currency cannot express is refused instead of rounded."""
    with pytest.raises(RequestRefused) as refused:
        money.parse_amount(text, currency)
    assert refused.value.reason_code == "field_invalid_amount"


@pytest.mark.parametrize("currency", ["usd", "", "DOGE", "US", "ÄÖÜ", "USDD"])
def test_what_is_no_currency_is_refused_as_the_provider_does(currency: str) -> None:
    """An unknown currency is named in ``field`` with the provider's sentence."""
    with pytest.raises(RequestRefused, match=r"^Currency is not supported\.$") as refused:
        money.parse_amount("1", currency)
    assert refused.value.field == "currency"


@pytest.mark.parametrize(
    ("text", "currency", "shown"),
    [
        ("100", "USD", "100.00"),
        ("100.000", "USD", "100.00"),
        ("2500", "JPY", "2500"),
        ("1.5", "KWD", "1.500"),
        ("50", "USDT", "50.00"),
        ("0.5", "USDT", "0.50"),
        ("33.333334", "USDT", "33.333334"),
        ("33.300000", "USDC", "33.30"),
        ("100", "TRX", "100.00"),
        ("1" * 38, "USD", "1" * 38 + ".00"),
    ],
)
def test_amounts_are_written_at_their_currencys_scale(text: str, currency: str, shown: str) -> None:
    """Fiat has exactly its decimals; a token at least two, without needless zeros."""
    assert money.format_money(money.parse_amount(text, currency), currency) == shown


def test_nothing_left_is_written_as_a_bare_zero() -> None:
    """A token amount of nothing is ``0``, as in the provider's sample, however many decimals it was counted with."""
    assert money.format_token(Decimal("0.000000")) == "0"


@pytest.mark.parametrize(
    ("rate", "shown"), [("2", "2.00"), ("0.25", "0.25"), ("0.12345678", "0.12345678"), ("1E+2", "100.00")]
)
def test_rates_have_at_least_two_decimals(rate: str, shown: str) -> None:
    """An exchange rate is never written with an exponent and never shorter than two decimals."""
    assert money.format_rate(Decimal(rate)) == shown


def test_sums_of_long_amounts_stay_exact() -> None:
    """Thirty-eight digits are added and subtracted without losing the last one."""
    long = Decimal("1234567890123456789012345678901234567.8")
    total = money.plus(long, Decimal("0.000001"))
    assert str(total) == "1234567890123456789012345678901234567.800001"
    assert money.minus(total, long) == Decimal("0.000001")


def test_a_conversion_never_asks_for_too_little() -> None:
    """A token amount is rounded up, so that amount times rate reaches the order."""
    expected = money.converted(Decimal("100.00"), Decimal(3), 6)
    assert expected == Decimal("33.333334")
    assert expected * 3 >= 100


def test_a_fee_is_rounded_to_the_tokens_scale() -> None:
    """One per cent of an odd amount has no more decimals than the token."""
    assert money.share(Decimal("33.333350"), Decimal("0.01"), 6) == Decimal("0.333334")


def test_a_rate_is_never_zero() -> None:
    """Even the most lopsided pair of currencies has a rate that can be divided by."""
    assert money.ratio(Decimal("0.0000001"), Decimal(1000)) == Decimal("0.00000001")
