"""The report as a stream: one JSON object a line, while the checks run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sender.check.outcome import Verdict
from sender.check.report_files import as_json
from sender.durations import MILLISECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.check.check import Check
    from sender.check.events import Plan, Verdicts
    from sender.check.outcome import Result


class JsonReport:
    """Writes with ``write``; ``kind`` says what a line is about."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write

    def planned(self, plan: Plan) -> None:
        """Write what will be run."""
        settle = plan.settle // MILLISECOND
        self._line("planned", {"target": plan.target, "seed": plan.seed, "checks": plan.checks, "settle_ms": settle})

    def started(self, check: Check, number: int) -> None:
        """Write which check begins."""
        self._line("started", {"id": check.id, "number": number})

    def finished(self, result: Result) -> None:
        """Write one result."""
        self._line("finished", as_json(result))

    def ended(self, verdicts: Verdicts) -> None:
        """Write what it all comes to."""
        counts = {verdict.value: verdicts.counts[verdict] for verdict in Verdict}
        seconds = round(verdicts.seconds, 3)
        self._line(
            "ended",
            {"counts": counts, "blind": verdicts.blind, "exit_code": verdicts.exit_code, "seconds": seconds},
        )

    def _line(self, kind: str, values: dict[str, object]) -> None:
        self._write(json.dumps({"kind": kind, **values}, ensure_ascii=False) + "\n")
