"""The report as text, written while the checks run: a line for each, and the whole story of each that is not well."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import TYPE_CHECKING, Protocol

from sender.check.events import BAD, UNCLEAR
from sender.check.outcome import Verdict
from sender.durations import MILLISECOND, format_duration
from sender.report.html import shown_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sender.check.check import Check
    from sender.check.events import Plan, Verdicts
    from sender.check.outcome import Exchange, Result

_WIDTH = 110
_INDENT = " " * 8
MOST_SHOWN = 6
"""Requests that are printed for one check; of more, the first ones."""
_LONGEST_BODY = 300


class Ink(Protocol):
    """Colours, or none."""

    def green(self, text: str) -> str:
        """Return good news."""

    def red(self, text: str) -> str:
        """Return bad news."""

    def yellow(self, text: str) -> str:
        """Return what is neither."""

    def dim(self, text: str) -> str:
        """Return what is only there for completeness."""

    def bold(self, text: str) -> str:
        """Return a heading."""


class TextReport:
    """Writes with ``write``. With ``live`` the check that runs shows in a line that its result overwrites."""

    def __init__(self, write: Callable[[str], object], ink: Ink, *, live: bool = False) -> None:
        self._write = write
        self._ink = ink
        self._live = live
        self._total = 0
        self._group = ""

    def planned(self, plan: Plan) -> None:
        """Write what will be done, and every wait that is not the provider's."""
        self._total = plan.checks
        pace = plan.pace
        self._line(f"checking {plan.target}")
        self._line(
            f"seed {plan.seed}; it answers within {_brief(plan.rhythm.answer)} and fulfils "
            f"{_brief(plan.rhythm.fulfilment)} later, so {_brief(plan.settle)} without a change count as none"
        )
        self._line(
            f"an order that is to be fulfilled gets {_brief(pace.patience)}, an answer {_brief(pace.timeout)}; what "
            "the provider repeats after a minute or more is repeated at once"
        )

    def started(self, check: Check, number: int) -> None:
        """Show which check runs."""
        if self._live:
            self._write(f"\r\x1b[K  ..  {number} of {self._total}: {check.id}")

    def finished(self, result: Result) -> None:
        """Write one result."""
        if self._live:
            self._write("\r\x1b[K")
        if result.group != self._group:
            self._group = result.group
            self._line(f"\n{self._ink.bold(result.group)}")
        self._line(f"  {self._mark(result.verdict)}  {result.id:25} {result.title}")
        for line in self._story(result):
            self._line(line)

    def ended(self, verdicts: Verdicts) -> None:
        """Write what it all comes to."""
        if verdicts.blind is not None:
            self._line("")
            self._line(self._ink.red(_filled("The probe cannot be relied on: ", f"{verdicts.blind}.", "")))
        counts = verdicts.counts
        parts = [f"{counts[verdict]} {name}" for verdict, name in _NAMES.items() if counts[verdict]]
        colour = {BAD: self._ink.red, UNCLEAR: self._ink.yellow}.get(verdicts.exit_code, self._ink.green)
        self._line(f"\n{colour(', '.join(parts))}; {verdicts.seconds:.1f} s")
        for sentence, count in _unchecked(verdicts).items():
            self._line(f"not checked, {one_line(sentence)}: {count}")

    def _mark(self, verdict: Verdict) -> str:
        ink = self._ink
        return {
            Verdict.PASSED: ink.green("ok  "),
            Verdict.WARNED: ink.yellow("warn"),
            Verdict.FAILED: ink.red("FAIL"),
            Verdict.NOT_CHECKED: ink.dim("--  "),
            Verdict.NOTED: ink.dim("note"),
        }[verdict]

    def _story(self, result: Result) -> Iterator[str]:
        if result.verdict is Verdict.NOT_CHECKED:
            yield f"{_INDENT}not checked: {one_line('; '.join(result.findings))}"
            return
        for finding in result.findings:
            yield _filled("What happened: " if result.cost else "", finding)
        if result.cost:
            yield _filled("What it costs: ", result.cost)
            yield _filled("What to change: ", result.mend)
            yield f"{_INDENT}The requests, in order:"
            for number, exchange in enumerate(result.exchanges[:MOST_SHOWN], start=1):
                yield from (self._ink.dim(f"{_INDENT}{line}") for line in request_lines(number, exchange))
            if len(result.exchanges) > MOST_SHOWN:
                yield f"{_INDENT}and {len(result.exchanges) - MOST_SHOWN} more"

    def _line(self, text: str) -> None:
        self._write(f"{text}\n")


_NAMES = {
    Verdict.FAILED: "failed",
    Verdict.WARNED: "with warnings",
    Verdict.PASSED: "passed",
    Verdict.NOTED: "noted",
    Verdict.NOT_CHECKED: "not checked",
}


def request_lines(number: int, exchange: Exchange) -> Iterator[str]:
    """Give one request and its answer as a person would read them out; hostile text is made harmless."""
    yield f"{number:>3}. {exchange.note}: {one_line(exchange.outcome)} after {_brief(exchange.elapsed)}"
    yield f"     {exchange.method} {one_line(exchange.url)}"
    for name, value in exchange.headers:
        if name.lower().startswith("x-webhook-"):
            yield f"     {name}: {one_line(value)}"
    if exchange.body:
        yield f"     {one_line(exchange.body)}"
    if exchange.status is not None and exchange.answer:
        yield f"     <- {one_line(exchange.answer)}"


def one_line(text: str | bytes) -> str:
    """Return hostile text on one line, cut."""
    return " ".join(shown_text(text, _LONGEST_BODY).split())


def _filled(begin: str, text: str, indent: str = _INDENT) -> str:
    harmless = shown_text(text)
    return textwrap.fill(f"{begin}{harmless}", _WIDTH, initial_indent=indent, subsequent_indent=indent)


def _brief(value: int) -> str:
    return format_duration(value // MILLISECOND * MILLISECOND) if value >= MILLISECOND else "1ms"


def _unchecked(verdicts: Verdicts) -> Counter[str]:
    return Counter("; ".join(one.findings) for one in verdicts.of(Verdict.NOT_CHECKED))
