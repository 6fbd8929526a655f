"""The page of results: what was run, what was killed, what came of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sender.durations import SECOND
from tests.storm.figures import SHARES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sender.durations import Instant
    from tests.storm.figures import Figures

KINDS = {
    "relay": "one of the relays that the parent has started",
    "parent": "`paymos-sim serve` itself, started again on its port and its database; its children have to end alone",
    "host": "parent and relays at once",
    "receiver": "the reference receiver, started again at its address with its ledger",
    "elsewhere": "`paymos-sim relay` of another host, whose leases run out in real time",
    "postgresql": "the database server, stopped at once (`immediate`) and started again on its data",
    "blackout": "the parent, while there is no database server",
}

HEAD = """\
# Results of the long proofs

Written by `make soak`, last on {date}, with storms from seed {seed} on.

## Kill storms

Four merchants buy over HTTP with signed requests, and ask again after a connection that broke or a 503. The receiver
misbehaves. A second endpoint comes and goes. Everything that runs is killed (`kill -9`) at seeded instants. Then all is
left in peace, and: every event is final; what counts as delivered was received and applied exactly once; nothing went
out or moved once it was settled; what came twice was in flight when somebody died; every answer that a merchant got is
still true in history, which the API and the events repeat; no child of a dead parent lives on; every law holds.

**{kills} kills in {runs} storms; every guarantee held.**

| killed | how often | what it is |
| --- | --- | --- |
{kinds}

| database | seed | kills | calls answered | broken off | 503 | delivered | failed | cancelled | attempts | received | \
in flight at deaths | sent and not recorded | last child gone after | took |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{rows}

"Sent and not recorded" is what the receiver got more often than attempts are on record; it may be at most what was in
flight at deaths.

What the receiver did wrong on the way: {mischief}.

## Lives of arbitrary steps

{lives}
"""


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
        events, refused = one.events, one.refused
        told = (self.database, one.seed, one.kills.total(), one.answered, refused["cut"], refused["503"],
                events["delivered"], events["failed"], events["cancelled"], one.attempts, one.received, one.in_flight,
                one.unrecorded, f"{one.farewell:.1f} s", f"{self.seconds:.0f} s")  # fmt: skip
        return f"| {' | '.join(map(str, told))} |"


def kills_in(runs: Iterable[Run]) -> int:
    """Return how many kills there were."""
    return sum(run.figures.kills.total() for run in runs)


def page(runs: Sequence[Run], lives: str, now: Instant) -> str:
    """Return the page."""
    kills = _sum(run.figures.kills for run in runs)
    mischief = _sum(run.figures.mischief for run in runs)
    return HEAD.format(
        date=datetime.fromtimestamp(now / SECOND, UTC).strftime("%Y-%m-%d %H:%M UTC"),
        seed=runs[0].figures.seed if runs else "none",
        kills=kills.total(),
        runs=len(runs),
        kinds="\n".join(f"| {kind} | {kills[kind]} | {KINDS[kind]} |" for kind in SHARES),
        rows="\n".join(run.line for run in runs),
        mischief=", ".join(f"{name} ({times})" for name, times in sorted(mischief.items())) or "nothing",
        lives=lives,
    )


def _sum(counters: Iterable[Counter[str]]) -> Counter[str]:
    return sum(counters, Counter())
