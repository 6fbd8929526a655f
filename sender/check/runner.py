"""Runs checks one after another, each on purchases of its own, and never lets one that could not be made pass."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sender.check.alive import runs_steadily
from sender.check.events import Plan, Verdicts
from sender.check.need import Need
from sender.check.outcome import Failed, Result, Unjudged, Verdict
from sender.check.selftest import selftest
from sender.durations import SECOND
from sender.errors import NotAvailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.check.bench import Bench
    from sender.check.check import Check
    from sender.check.events import Listener


async def run_checks(bench: Bench, checks: Sequence[Check], listener: Listener) -> Verdicts:
    """Test the probe, run every check, and return what it all comes to.

    Raises ``NotAvailable`` where the receiver is not there, or its probe or its restart does not work.
    """
    started = bench.simulator.clock.monotonic()
    tested = await selftest(bench)
    bench.rhythm = tested.rhythm
    settle = bench.rhythm.settle(bench.pace)
    seed = bench.simulator.settings.seed
    listener.planned(Plan(bench.means.url, seed, len(checks), bench.pace, bench.rhythm, settle))
    results: list[Result] = []
    if tested.refused is not None:
        results.append(tested.refused)
        listener.finished(tested.refused)
    reason = _reason_for_all(tested.refused is not None)
    if tested.blind is not None:
        bench.means = replace(bench.means, probe=None)
    for number, check in enumerate(checks, start=1):
        listener.started(check, number)
        result = _unjudged(check, reason) if reason else await _run_one(bench, check, tested.blind)
        reason = reason or await _reason_for_the_rest(bench, check)
        results.append(result)
        listener.finished(result)
    verdicts = Verdicts(tuple(results), (bench.simulator.clock.monotonic() - started) / SECOND, tested.blind)
    listener.ended(verdicts)
    return verdicts


def _reason_for_all(refused: bool) -> str | None:  # noqa: FBT001 - one flag, one sentence
    return "needs a receiver that takes a genuine delivery" if refused else None


async def _reason_for_the_rest(bench: Bench, check: Check) -> str | None:
    """Return why nothing more can be checked, where a check left a receiver behind that does not answer."""
    if all(one.status is not None for one in bench.exchanges[-1:]):
        return None
    if await runs_steadily(bench.means.target, bench.simulator.clock, bench.pace.patience):
        return None
    return f"needs a receiver that answers; it does not since {check.id}"


async def _run_one(bench: Bench, check: Check, blind: str | None) -> Result:
    missing = bench.means.missing(check.needs)
    if Need.PROBE in missing and blind is not None:
        return _unjudged(check, "needs a probe that sees a change")
    if missing:
        return _unjudged(check, f"needs {' and '.join(missing)}")
    bench.begin()
    started = bench.simulator.clock.monotonic()
    verdict, findings = await _find_out(bench, check)
    told = verdict in {Verdict.FAILED, Verdict.WARNED}
    return Result(
        check.id,
        check.group,
        check.title,
        verdict,
        findings,
        check.matters if told else "",
        check.mend if told else "",
        tuple(replace(one, answer=bench.means.masked(one.answer)) for one in bench.exchanges),
        (bench.simulator.clock.monotonic() - started) / SECOND,
    )


async def _find_out(bench: Bench, check: Check) -> tuple[Verdict, tuple[str, ...]]:
    try:
        await check.run(bench)
    except Failed as failure:
        return Verdict.FAILED, (str(failure), *bench.warnings)
    except Unjudged as missing:
        return Verdict.NOT_CHECKED, (str(missing), *bench.warnings)
    except NotAvailable as error:
        raise NotAvailable(f"{check.id}: {error}") from None
    if bench.remarks:
        return Verdict.NOTED, tuple(bench.remarks)
    return (Verdict.WARNED, tuple(bench.warnings)) if bench.warnings else (Verdict.PASSED, ())


def _unjudged(check: Check, reason: str) -> Result:
    return Result(check.id, check.group, check.title, Verdict.NOT_CHECKED, (reason,))
