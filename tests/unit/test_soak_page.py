"""The page that the long proofs write."""

from __future__ import annotations

from collections import Counter

from sender.durations import SECOND
from tests.soak.results import KINDS, Run, kills_in, page
from tests.storm.figures import SHARES, Figures


def test_every_kind_of_kill_is_explained() -> None:
    """No kind is dealt that the page does not tell of."""
    assert set(KINDS) == set(SHARES)


def test_the_page_adds_up_what_storms_were() -> None:
    """Kills and mischief are summed over all storms, each of which has a row of its own."""
    storms = [
        Run("sqlite", Figures(4, kills=Counter(relay=20, parent=3), mischief=Counter(garbage=2)), 61.0),
        Run("postgresql", Figures(5, kills=Counter(relay=10, postgresql=7), mischief=Counter(garbage=1)), 70.0),
    ]
    assert kills_in(storms) == 40
    text = page(storms, "Left out.", 1_767_225_600 * SECOND)
    assert "last on 2026-01-01 00:00 UTC, with storms from seed 4 on" in text
    assert "**40 kills in 2 storms; every guarantee held.**" in text
    assert "| relay | 30 |" in text
    assert "garbage (3)" in text
    assert "| sqlite | 4 | 23 |" in text
    assert "| postgresql | 5 | 17 |" in text
    assert "Left out." in text
