"""Right receivers that somebody else wrote, with the provider's own SDK, are accused of nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sender.check.outcome import Verdict
from tests.checking import complaints, verdicts_on
from tests.merchants import FastApiServer, FlaskServer, merchant

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("server", [FlaskServer, FastApiServer])
async def test_right_merchants(server: type[FlaskServer | FastApiServer], tmp_path: Path) -> None:
    """A receiver of fifty lines with the official SDK passes every check, on Flask and on FastAPI."""
    async with merchant(server, tmp_path / "shop.db") as means:
        verdicts = await verdicts_on(means)
    assert complaints(verdicts) == {}
    assert [one.id for one in verdicts.results if one.verdict is not Verdict.PASSED] == ["re-read"]
