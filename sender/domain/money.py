"""Money as exact decimals: how it is read, counted and written.

Outside, an amount is a string such as ``100.00`` (contract §3); inside it is a ``Decimal`` that is never rounded
except where this module says so. How it is written follows the wire samples of contract §3.2, on which sources
disagree; receivers must compare numerically, and ours is one reading of the samples:

* a fiat amount has exactly the decimals of its currency: ``100.00`` USD, ``2500`` JPY, ``1.500`` KWD;
* a token amount and an exchange rate have at least two decimals and no needless zeros behind them: ``50.00``,
  ``0.50``, ``33.333334``;
* a token amount of nothing is ``0``, as ``remaining`` is in the sample.
"""

from __future__ import annotations

import re
from decimal import ROUND_DOWN, ROUND_HALF_UP, ROUND_UP, Context, Decimal

from sender.errors import RequestRefused

ZERO = Decimal(0)
MAX_DIGITS = 38
RATE_SCALE = 8
TOKEN_SCALES = {"USDT": 6, "USDC": 6, "TRX": 6}
"""Decimals of the tokens; 6 is what the tokens have on their main chains and is used on all of them."""
FIAT_SCALES = {"CLP": 0, "ISK": 0, "JPY": 0, "KRW": 0, "VND": 0, "BHD": 3, "JOD": 3, "KWD": 3, "OMR": 3, "TND": 3}
"""Decimals of the fiat currencies that do not have two (ISO 4217)."""

# The default context keeps 28 digits and rounds the rest away in silence; sums of 38-digit amounts must stay exact.
_EXACT = Context(prec=120)
_AMOUNT = re.compile(r"[0-9]+(\.[0-9]+)?")
_FIAT = re.compile(r"[A-Z]{3}")


def parse_decimal(text: str, field: str = "amount") -> Decimal:
    """Read a plain dot-decimal number: digits, and at most one dot with digits on both sides.

    Raises ``RequestRefused`` (``field_invalid_amount``, contract §5.6) for a sign, an exponent, blanks, other digits
    than ASCII ones, or more than 38 digits.
    """
    if not _AMOUNT.fullmatch(text):
        raise refusal(f"{_shown(text)} is not an amount; write digits with at most one dot, as in 11.05", field)
    if len(text.replace(".", "")) > MAX_DIGITS:
        raise refusal(f"an amount has at most {MAX_DIGITS} digits", field)
    return Decimal(text)


def parse_amount(text: str, currency: str, field: str = "amount") -> Decimal:
    """Read an amount of money in a currency: more than zero and no finer than the currency (contract §5.3).

    Raises ``RequestRefused`` (``field_invalid_amount``), also for a currency that has no scale.
    """
    return require_amount(parse_decimal(text, field), currency, field)


def require_amount(amount: Decimal, currency: str, field: str = "amount") -> Decimal:
    """Return ``amount`` if it can be paid in ``currency``; raise ``RequestRefused`` if it cannot."""
    scale = scale_of(currency)
    if not amount.is_finite() or amount <= ZERO:
        raise refusal("an amount must be more than zero", field)
    if amount.adjusted() >= MAX_DIGITS:
        raise refusal(f"an amount has at most {MAX_DIGITS} digits", field)
    if rounded(amount, scale) != amount:
        raise refusal(f"{amount:f} is too fine for {currency}, which has {scale} decimals", field)
    return amount


def refusal(message: str, field: str) -> RequestRefused:
    """Return the refusal of an amount under the provider's own code."""
    return RequestRefused(message, code="field_invalid_amount", field=field)


def scale_of(currency: str) -> int:
    """Return the number of decimals of a currency.

    Raises ``RequestRefused`` for what is neither a known token nor shaped like a fiat code.
    """
    scale = TOKEN_SCALES.get(currency, FIAT_SCALES.get(currency))
    if scale is not None:
        return scale
    if not _FIAT.fullmatch(currency):
        message = "Currency is not supported."
        raise RequestRefused(message, code="validation_failed", field="currency")
    return 2


def plus(*amounts: Decimal) -> Decimal:
    """Return the exact sum."""
    total = ZERO
    for amount in amounts:
        total = _EXACT.add(total, amount)
    return total


def minus(amount: Decimal, other: Decimal) -> Decimal:
    """Return the exact difference."""
    return _EXACT.subtract(amount, other)


def share(amount: Decimal, factor: Decimal, scale: int, rounding: str = ROUND_HALF_UP) -> Decimal:
    """Return ``amount`` times ``factor`` at a scale; a fee of 1 % is the factor ``0.01``."""
    return rounded(_EXACT.multiply(amount, factor), scale, rounding)


def converted(amount: Decimal, rate: Decimal, scale: int) -> Decimal:
    """Return ``amount / rate`` rounded up, so that a merchant never gets less than what was ordered."""
    return rounded(_EXACT.divide(amount, rate), scale, ROUND_UP)


def ratio(numerator: Decimal, denominator: Decimal) -> Decimal:
    """Return an exchange rate: the quotient at eight decimals, never zero."""
    quotient = rounded(_EXACT.divide(numerator, denominator), RATE_SCALE)
    return max(quotient, Decimal(1).scaleb(-RATE_SCALE))


def rounded(amount: Decimal, scale: int, rounding: str = ROUND_HALF_UP) -> Decimal:
    """Return the amount with exactly ``scale`` decimals."""
    return amount.quantize(Decimal(1).scaleb(-scale), rounding, _EXACT)


def rounded_down(amount: Decimal, scale: int) -> Decimal:
    """Return the amount with what is finer than ``scale`` decimals cut off."""
    return rounded(amount, scale, ROUND_DOWN)


def format_money(amount: Decimal, currency: str) -> str:
    """Write an amount for the wire: fiat at its own scale, a token as ``format_token`` does."""
    if currency in TOKEN_SCALES:
        return format_token(amount)
    return f"{rounded(amount, scale_of(currency)):f}"


def format_token(amount: Decimal) -> str:
    """Write a token amount: ``0``, or at least two decimals without needless zeros."""
    return format_rate(amount) if amount else "0"


def format_rate(rate: Decimal) -> str:
    """Write an exchange rate: at least two decimals without needless zeros."""
    whole, _, fraction = f"{rate:f}".partition(".")
    return f"{whole}.{fraction.rstrip('0').ljust(2, '0')}"


def _shown(text: str) -> str:
    return repr(text if len(text) <= MAX_DIGITS + 2 else f"{text[:MAX_DIGITS]}…")
