"""Who may call the API: projects, and keys with their secrets (contract §5.1).

One simulator plays the provider for one merchant. Its first project and its four first keys follow from the seed alone,
so that configuration written once stays right; whoever knows the seed knows the secrets, which suits a local fake.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from sender.domain.ids import Prefix, make_id, make_secret

FIRST_PROJECT = "Default project"


class KeyKind(StrEnum):
    """What a key is for: invoices, channels and deposits, or withdrawals and balances."""

    PAYMENT = "payment"
    PAYOUT = "payout"


@dataclass(frozen=True, slots=True)
class Project:
    """One project of the merchant."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One key pair: the id goes over the wire, the secret signs."""

    id: str
    secret: str = field(repr=False)
    kind: KeyKind
    is_test: bool


_ID_PREFIXES = {
    (KeyKind.PAYMENT, True): Prefix.PAYMENT_KEY_TEST,
    (KeyKind.PAYMENT, False): Prefix.PAYMENT_KEY_LIVE,
    (KeyKind.PAYOUT, True): Prefix.PAYOUT_KEY_TEST,
    (KeyKind.PAYOUT, False): Prefix.PAYOUT_KEY_LIVE,
}


def make_project(seed: int, number: int, name: str = FIRST_PROJECT) -> Project:
    """Return the ``number``-th project of a seed."""
    return Project(make_id(seed, Prefix.PROJECT, number), name)


def make_key(seed: int, number: int, kind: KeyKind, *, is_test: bool) -> ApiKey:
    """Return the ``number``-th key of a kind and an environment."""
    prefix = Prefix.API_SECRET_TEST if is_test else Prefix.API_SECRET_LIVE
    # Both kinds draw secrets from one sequence, so each number has two places in it.
    place = 2 * number + (kind is KeyKind.PAYOUT)
    return ApiKey(make_id(seed, _ID_PREFIXES[kind, is_test], number), make_secret(seed, prefix, place), kind, is_test)


def first_keys(seed: int) -> list[ApiKey]:
    """Return the keys that are there from the start: payment and payout, sandbox and production."""
    return [make_key(seed, 0, kind, is_test=is_test) for is_test in (True, False) for kind in KeyKind]
