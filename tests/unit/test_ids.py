"""Identifiers and secrets: their shape, their reproducibility, their spread."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from sender.domain.ids import ALPHABET, Prefix, make_id, make_secret


@pytest.mark.parametrize("prefix", list(Prefix))
def test_an_id_is_its_prefix_and_22_base62_characters(prefix: Prefix) -> None:
    """Every id has the shape of the provider's samples, whatever its prefix."""
    assert re.fullmatch(re.escape(prefix) + "[0-9A-Za-z]{22}", make_id(1, prefix, 7))


def test_a_secret_is_its_prefix_and_32_base62_characters() -> None:
    """A secret is longer than an id and keeps the prefix that tells test from live."""
    assert re.fullmatch("whsec_test_[0-9A-Za-z]{32}", make_secret(1, Prefix.WEBHOOK_SECRET_TEST, 1))


def test_ids_never_change_between_releases() -> None:
    """A seed that somebody wrote into a test gives the same ids in every release."""
    assert make_id(42, "inv_", 1) == "inv_5zFxCw73oqa0lXG6W5U49a"
    assert make_secret(42, "whsec_test_", 1) == "whsec_test_60srt6dnUzo7DutS19IRvsyclyBtgGb5"


def test_the_seed_the_prefix_and_the_number_all_count() -> None:
    """Two ids that differ in any of the three inputs differ, also where their digits run together."""
    ids = {make_id(seed, prefix, n)[4:] for seed in (1, 11, -1) for prefix in ("inv_", "evt_") for n in (1, 11, 111)}
    assert len(ids) == 18


def test_a_hundred_thousand_ids_do_not_collide() -> None:
    """A long soak run sees no id twice."""
    assert len({make_id(1, Prefix.EVENT, number) for number in range(100_000)}) == 100_000


def test_characters_are_spread_evenly() -> None:
    """Each of the 62 characters comes up about as often as the others, in the first place and the last."""
    ids = [make_id(3, "evt_", number) for number in range(20_000)]
    for place in (4, -1):
        counts = Counter(text[place] for text in ids)
        assert set(counts) == set(ALPHABET)
        assert max(counts.values()) < 1.3 * 20_000 / 62
        assert min(counts.values()) > 0.7 * 20_000 / 62


def test_an_id_and_a_secret_of_one_counter_share_nothing() -> None:
    """Who sees an id learns nothing about the secret of the same seed, prefix and number."""
    assert make_secret(1, "x_", 1)[2:24] != make_id(1, "x_", 1)[2:]
