"""The short form of the kill storm; ``make soak`` runs the long one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.storm import Storm

if TYPE_CHECKING:
    from pathlib import Path

KILLS = 18


@pytest.mark.slow
async def test_no_kill_loses_or_doubles_anything(database_url: str, tmp_path: Path) -> None:
    """Relays and receiver are killed while merchants buy: everything ends, once, and as the API shows it."""
    figures = await Storm(database_url, tmp_path, seed=7, kills=KILLS).rage()
    assert figures.kills.total() == KILLS
    assert figures.events["delivered"] > 0
