"""Run the long proofs and write down what they were: kill storms on both databases, then lives of arbitrary steps.

``PAYMOS_SIM_SOAK_KILLS`` (600) are the kills in all, ``PAYMOS_SIM_SOAK_SEED`` (1) is the first storm's seed, and
``PAYMOS_SIM_SOAK_LIVES`` (1000) the lives on each database; 0 leaves them out. ``PAYMOS_SIM_SOAK_PAGE`` names the file
that is written, tests/RESULTS.md where it is left out.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sender.clock import Clock
from sender.durations import SECOND
from tests.soak.results import Run, kills_in, page
from tests.storm.storm import rage

RESULTS = Path(__file__).parents[1] / "RESULTS.md"
KILLS_OF_A_STORM = 50
FEWEST = 10
"""Kills that a storm has at the least, so that there can be one of each kind."""


async def storms(kills: int, seed: int) -> list[Run]:
    """Rage on both databases in turn until there were so many kills."""
    runs: list[Run] = []
    while (left := kills - kills_in(runs)) > 0:
        kind = ("sqlite", "postgresql")[len(runs) % 2]
        run = await _storm(kind, seed + len(runs), max(FEWEST, min(left, KILLS_OF_A_STORM)))
        sys.stdout.write(f"{run.line}\n")
        sys.stdout.flush()
        runs.append(run)
    return runs


async def _storm(kind: str, seed: int, kills: int) -> Run:
    clock = Clock()
    began = clock.monotonic()
    with TemporaryDirectory() as folder:
        figures = await rage(kind, Path(folder), seed, kills)
    return Run(kind, figures, (clock.monotonic() - began) / SECOND)


def lives(number: int) -> str:
    """Run the property test of the guarantees with so many lives, and say so. Raises where it fails."""
    if not number:
        return "Left out."
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "2", "--timeout", "0", "tests/property/test_guarantees.py"],
        env={**os.environ, "PAYMOS_SIM_TEST_RUNS": str(number)},
        check=True,
    )
    return f"{number} lives of fifty arbitrary steps on each database (tests/property/test_guarantees.py) broke no law."


def main() -> None:
    """Run everything and write the page."""
    kills, seed, number = (
        int(os.environ.get(f"PAYMOS_SIM_SOAK_{name}", default))
        for name, default in (("KILLS", "600"), ("SEED", "1"), ("LIVES", "1000"))
    )
    runs = asyncio.run(storms(kills, seed))
    said = lives(number)
    where = Path(os.environ.get("PAYMOS_SIM_SOAK_PAGE", RESULTS))
    where.write_text(page(runs, said, Clock().real_now()), encoding="utf-8")


if __name__ == "__main__":
    main()
