"""Identifiers and secrets drawn from a seed and a counter, so that the same run gives the same ones again."""

from __future__ import annotations

import hashlib
from enum import StrEnum

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ID_LENGTH = 22
"""Characters after the prefix; every full-length sample has exactly these (contract §3.1)."""
SECRET_LENGTH = 32
"""Characters after the prefix of a secret; no source gives the length (contract §1.3)."""

# Two digits at a time, the lower one first: an id is made in half the divisions.
_PAIRS = [low + high for high in ALPHABET for low in ALPHABET]


class Prefix(StrEnum):
    """What stands before the random part (contract §3.1); ``whe_`` is ours, endpoints have no id on the real wire."""

    EVENT = "evt_"
    INVOICE = "inv_"
    PROJECT = "prj_"
    WITHDRAWAL = "wdr_"
    PAYMENT_CHANNEL = "pc_"
    DEPOSIT = "pcd_"
    TRANSFER = "trf_"
    ENDPOINT = "whe_"
    PAYMENT_KEY_TEST = "pk_test_"
    PAYMENT_KEY_LIVE = "pk_live_"
    PAYOUT_KEY_TEST = "rk_test_"
    PAYOUT_KEY_LIVE = "rk_live_"
    API_SECRET_TEST = "sk_test_"  # noqa: S105 - the public beginning of a secret, not one
    API_SECRET_LIVE = "sk_live_"  # noqa: S105
    WEBHOOK_SECRET_TEST = "whsec_test_"  # noqa: S105
    WEBHOOK_SECRET_LIVE = "whsec_live_"  # noqa: S105


def make_id(seed: int, prefix: str, number: int) -> str:
    """Return the ``number``-th identifier of a seed: the prefix and 22 base62 characters.

    Each prefix has its own sequence. 131 bits of SHA-256 make a collision a theoretical matter.
    """
    return prefix + _base62(f"id/{seed}/{prefix}/{number}", ID_LENGTH)


def make_secret(seed: int, prefix: str, number: int) -> str:
    """Return the ``number``-th secret of a seed: the prefix and 32 base62 characters.

    Reproducible on purpose: whoever knows the seed knows the secret, which suits test credentials and nothing else.
    """
    return prefix + _base62(f"secret/{seed}/{prefix}/{number}", SECRET_LENGTH)


def _base62(source: str, length: int) -> str:
    # 256 bits against 62**32 < 2**191: the remainder favours no character by more than 2**-65.
    value = int.from_bytes(hashlib.sha256(source.encode()).digest(), "big")
    pairs = []
    for _ in range(0, length, 2):
        value, pair = divmod(value, len(_PAIRS))
        pairs.append(_PAIRS[pair])
    return "".join(pairs)
