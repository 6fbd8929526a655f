"""The matrix: each wrong receiver is caught by the checks that name its flaw and by no other, the right by none."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from receiver_fixture.flaws import Flaw
from sender.check.checks import CHECKS
from sender.check.outcome import Verdict
from sender.durations import MILLISECOND
from tests.checking import QUICK, complaints, reference, verdicts_on
from tests.matrix import CAUGHT, as_markdown

if TYPE_CHECKING:
    from sender.check.events import Verdicts

README = Path(__file__).parents[2] / "README.md"
INFORMATIVE = {"re-read"}
TOGETHER = 5
"""Receivers that are checked side by side: a check mostly waits."""

ALONE = (Flaw.ACK_BEFORE_STORE, Flaw.SLOW_HANDLER)
"""What shows by time alone stays undisturbed."""

_OTHERS = [flaw for flaw in Flaw if flaw not in ALONE]
BATCHES = [[flaw] for flaw in ALONE] + [_OTHERS[at : at + TOGETHER] for at in range(0, len(_OTHERS), TOGETHER)]


@pytest.mark.parametrize("flaws", BATCHES, ids="+".join)
async def test_wrong_receivers(flaws: list[Flaw], tmp_path: Path) -> None:
    """A flaw is caught by exactly the checks that the table names, and every check has an opinion."""
    found = await asyncio.gather(*(_checked(flaw, str(tmp_path / f"{flaw}.db")) for flaw in flaws))
    for flaw, verdicts in zip(flaws, found, strict=True):
        assert set(complaints(verdicts)) == set(CAUGHT[flaw]), (flaw, complaints(verdicts))
        assert verdicts.of(Verdict.NOT_CHECKED) == []


async def _checked(flaw: Flaw, database: str) -> Verdicts:
    pace = replace(QUICK, slow=60 * MILLISECOND) if flaw is Flaw.SLOW_HANDLER else QUICK
    async with reference(database, flaw) as means:
        return await verdicts_on(means, pace=pace)


async def test_right_receiver(database_url: str, tmp_path: Path) -> None:
    """The reference receiver passes every check, on SQLite and on PostgreSQL."""
    database = database_url if database_url.startswith("postgresql") else str(tmp_path / "shop.db")
    async with reference(database) as means:
        verdicts = await verdicts_on(means)
    assert complaints(verdicts) == {}
    assert {one.id for one in verdicts.results if one.verdict is not Verdict.PASSED} == INFORMATIVE
    assert verdicts.exit_code == 0


def test_every_check_catches_something() -> None:
    """A check that no wrong receiver fails could be left out; only the informative one says nothing bad."""
    assert {check.id for check in CHECKS} - {check for caught in CAUGHT.values() for check in caught} == INFORMATIVE


def test_readme_shows_the_matrix() -> None:
    """The table in the README is the one that is tested."""
    (shown,) = re.findall("<!-- matrix -->\n(.*)\n<!-- end of matrix -->", README.read_text(), re.DOTALL)
    assert shown == as_markdown()
