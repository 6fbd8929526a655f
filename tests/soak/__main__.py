"""Run the long proofs and write down what they were: kill storms on both databases, then lives of arbitrary steps.

``PAYMOS_SIM_SOAK_KILLS`` (600) are the kills in all, ``PAYMOS_SIM_SOAK_SEED`` (1) is the first storm's seed, and
``PAYMOS_SIM_SOAK_LIVES`` (1000) the lives on each database; 0 leaves them out.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from sender.clock import Clock
from sender.durations import SECOND
from sender.store.embedded import start
from sender.store.scratch import scratch
from tests.postgres import find_binaries
from tests.storm import Figures, Storm

RESULTS = Path(__file__).parents[1] / "RESULTS.md"
KILLS_OF_A_STORM = 60


@dataclass(frozen=True)
class Run:
    """One storm that held: on which database, its figures, and how long it took."""

    database: str
    figures: Figures
    seconds: float

    @property
    def line(self) -> str:
        """Return its row of the table."""
        one = self.figures
        kills, events = one.kills, one.events
        told = (self.database, one.seed, kills["relay"], kills["receiver"], one.commands, events["delivered"],
                events["failed"], one.attempts, one.received, one.given_back, one.unrecorded,
                f"{self.seconds:.0f} s")  # fmt: skip
        return f"| {' | '.join(map(str, told))} |"


HEAD = """\
# Results of the long proofs

Written by `make soak`, last on {date}. Each storm: four merchants buy, the receiver misbehaves, three relays and the
receiver are killed (`kill -9`) at seeded instants; then every law holds, nothing is lost, what came twice was in flight
when a relay died, the API shows what the events announce, and the reference receiver has applied each event once.

{kills} kills in {runs} storms; every guarantee held.

| database | seed | relay kills | receiver kills | commands | delivered | failed | attempts | received | given back | \
sent and not recorded | took |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{rows}

"Sent and not recorded" is what the receiver got more often than attempts are on record; it may be at most "given back".

{lives}
"""


async def storms(kills: int, seed: int, postgres: str) -> list[Run]:
    """Rage on both databases in turn until there were so many kills."""
    runs: list[Run] = []
    while (left := kills - sum(run.figures.kills.total() for run in runs)) > 0:
        kind = ("sqlite", "postgresql")[len(runs) % 2]
        run = await _storm(kind, postgres, seed + len(runs), min(left, KILLS_OF_A_STORM))
        sys.stdout.write(f"{run.line}\n")
        sys.stdout.flush()
        runs.append(run)
    return runs


async def _storm(kind: str, postgres: str, seed: int, kills: int) -> Run:
    clock = Clock()
    began = clock.monotonic()
    with TemporaryDirectory() as folder:
        base = postgres if kind == "postgresql" else f"sqlite:///{Path(folder) / 'storm'}"
        async with scratch(base) as url:
            figures = await Storm(url, Path(folder), seed, kills).rage()
    return Run(kind, figures, (clock.monotonic() - began) / SECOND)


def lives(number: int) -> str:
    """Run the property test of the guarantees with so many lives, and say so. Raises where it fails."""
    if not number:
        return "Lives of arbitrary steps were left out."
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
    with ExitStack() as stack:
        server = start(binaries=find_binaries())
        stack.callback(server.stop)
        runs = asyncio.run(storms(kills, seed, server.url()))
    said = lives(number)
    done = sum(run.figures.kills.total() for run in runs)
    date = datetime.fromtimestamp(Clock().real_now() / SECOND, UTC).strftime("%Y-%m-%d %H:%M UTC")
    rows = "\n".join(run.line for run in runs)
    RESULTS.write_text(HEAD.format(date=date, kills=done, runs=len(runs), rows=rows, lives=said), encoding="utf-8")


if __name__ == "__main__":
    main()
