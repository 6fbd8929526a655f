"""The short form of the kill storm; ``make soak`` runs the long one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.storm.figures import OF_A_SERVER, SHARES
from tests.storm.storm import rage

if TYPE_CHECKING:
    from pathlib import Path

STORMS = {"sqlite": (18, 15), "postgresql": (108, 16)}
"""Seed and kills; of the seeds those that kill what comes back fast more often than what has to be imported first."""


@pytest.mark.slow
@pytest.mark.timeout(300)  # some thirty processes, each of which has to import first
@pytest.mark.parametrize("kind", STORMS)
async def test_no_kill_loses_or_doubles_anything(kind: str, tmp_path: Path) -> None:
    """Everything is killed while merchants buy: all that was answered is there, and ends once, as the API shows it."""
    seed, kills = STORMS[kind]
    figures = await rage(kind, tmp_path, seed, kills)
    assert figures.kills.total() >= kills
    assert set(figures.kills) == {each for each in SHARES if kind == "postgresql" or each not in OF_A_SERVER}
    assert figures.events["delivered"] > 0
