"""Receivers under check: started in this loop, killed and restarted in it, and what the checks say about them."""

from __future__ import annotations

import secrets
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from receiver_fixture.clock import MILLISECOND
from receiver_fixture.flaws import Flaw
from receiver_fixture.receiver import Receiver
from receiver_fixture.settings import Settings
from sender.check.choice import chosen
from sender.check.means import Means
from sender.check.opening import bench_for
from sender.check.outcome import Verdict
from sender.check.pace import Pace
from sender.check.runner import run_checks
from sender.clock import Clock
from sender.durations import SECOND
from sender.probe.spec import make_probe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sender.check.check import Check
    from sender.check.events import Plan, Verdicts
    from sender.check.outcome import Result
    from sender.probe.looking import Probe

SECRET, RETIRED = "whsec_test_under_check", "whsec_test_of_last_year"
QUICK = Pace(patience=SECOND, least_settle=SECOND // 50, most_settle=SECOND // 12, rounds=2, burst=12)
"""Waits that are long enough for a receiver in the same loop."""

_GAPS = {
    Flaw.ACK_BEFORE_STORE: 100 * MILLISECOND,
    Flaw.SLOW_HANDLER: 90 * MILLISECOND,
    # A third of it is what a busy machine may take away before a repeat meets the insert of a request given up.
    Flaw.CHECK_THEN_INSERT: 120 * MILLISECOND,
    Flaw.FULFIL_BEFORE_RECORD: 60 * MILLISECOND,
    Flaw.RECORD_THEN_LOSE: 60 * MILLISECOND,
}
_GAP = 30 * MILLISECOND


@dataclass
class Told:
    """Keeps what a run tells."""

    plans: list[Plan] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    verdicts: list[Verdicts] = field(default_factory=list)

    def planned(self, plan: Plan) -> None:
        """Keep it."""
        self.plans.append(plan)

    def started(self, check: Check, number: int) -> None:
        """Keep it."""
        self.names.append(f"{number} {check.id}")

    def finished(self, result: Result) -> None:
        """Keep it."""
        self.results.append(result)

    def ended(self, verdicts: Verdicts) -> None:
        """Keep it."""
        self.verdicts.append(verdicts)


@dataclass
class Reborn:
    """A reference receiver that can die and come back at the same address, with the same database."""

    settings: Settings
    receiver: Receiver

    async def __call__(self) -> None:
        """Let it die and come back."""
        port = urlsplit(self.receiver.url).port or 0
        await self.receiver.stop()
        self.receiver = Receiver(replace(self.settings, port=port))
        await self.receiver.start()


@asynccontextmanager
async def reference(database: str, flaw: Flaw | None = None) -> AsyncIterator[Means]:
    """Run the reference receiver, right or wrong in one way; give everything that a check can need."""
    flaws = frozenset() if flaw is None else frozenset({flaw})
    gap = _GAP if flaw is None else _GAPS.get(flaw, _GAP)
    settings = Settings(secrets=(SECRET,), retired=(RETIRED,), database=database, flaws=flaws, flaw_delay=gap)
    reborn = Reborn(settings, Receiver(settings))
    url = await reborn.receiver.start()
    probe = make_probe(f"orders:{url.removesuffix('/webhook')}", Clock())
    try:
        yield Means(url=url, secret=SECRET, probe=probe, restart=reborn, retired=RETIRED, asked=[])
    finally:
        await probe.close()
        await reborn.receiver.stop()


async def verdicts_on(
    means: Means, only: str | None = None, *, pace: Pace = QUICK, probe: Probe | None = None
) -> Verdicts:
    """Run the checks, all or some."""
    if probe is not None:
        means = replace(means, probe=probe)
    async with bench_for(means, secrets.randbits(60), pace=pace) as bench:
        return await run_checks(bench, chosen(only, None), Told())


def complaints(verdicts: Verdicts) -> dict[str, tuple[str, ...]]:
    """Return what was failed or warned of, with what was said."""
    return {one.id: one.findings for one in verdicts.of(Verdict.FAILED) + verdicts.of(Verdict.WARNED)}
