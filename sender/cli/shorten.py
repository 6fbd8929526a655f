"""The shortest story that fails in the same way: steps are left out, one after another, as long as it still does.

What is left out are lines of the file, so that layout and comments of the rest stay as they were. It is done without
being asked, because a person who sees a failure wants just that, and it takes a few seconds at most.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from sender.errors import SimError
from sender.scenario.language import load_scenario
from sender.scenario.report_record import Record

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from sender.cli.stories import Story
    from sender.cli.theatre import Theatre

BUDGET_SECONDS = 5.0
"""Real seconds after which nothing more is tried."""

_LONGEST_NAME = 60
_TOP_LEVEL = re.compile(r"[^\s#-]")


@dataclass(frozen=True, slots=True)
class _Text:
    """A file in parts: what stands before its steps, each step with the comments above it, and the rest."""

    before: str
    steps: tuple[str, ...]
    after: str

    def without(self, places: set[int]) -> str:
        """Return the text with some steps left out."""
        kept = (step for place, step in enumerate(self.steps) if place not in places)
        return "".join((self.before, *kept, self.after))


async def shortened(theatre: Theatre, story: Story, failures: frozenset[tuple[str, str, str]]) -> Path | None:
    """Return a new file with the shortened story, or ``None`` where no step can be left out.

    It stays for the reader in the folder for temporary files.
    """
    text = _parts(story)
    if text is None:
        return None
    left_out: set[int] = set()
    with suppress(TimeoutError), tempfile.TemporaryDirectory() as folder:
        candidate = Path(folder) / story.path.name

        async def fails_without(places: set[int]) -> bool:
            candidate.write_text(text.without(places), encoding="utf-8")
            return await _fails_alike(theatre, story, candidate, failures)

        async with asyncio.timeout(BUDGET_SECONDS):
            await _leave_out(range(len(text.steps)), left_out, fails_without)
    return _kept(story, text.without(left_out)) if left_out else None


async def _leave_out(places: range, left_out: set[int], fails_without: Callable[[set[int]], Awaitable[bool]]) -> None:
    """Add to ``left_out`` each place that can be spared, the last first, until none can: one may free another."""
    before = -1
    while before < len(left_out):
        before = len(left_out)
        for place in reversed(places):
            if place not in left_out and await fails_without(left_out | {place}):
                left_out.add(place)


async def _fails_alike(theatre: Theatre, story: Story, path: Path, failures: frozenset[tuple[str, str, str]]) -> bool:
    record = Record("")
    try:
        scenario = load_scenario(path)
        await theatre.play(replace(story, path=path, scenario=scenario), record)
    except SimError:
        return False
    return record.failures == failures


def _parts(story: Story) -> _Text | None:
    lines = story.path.read_text(encoding="utf-8").splitlines(keepends=True)
    starts = [step.line - 1 for step in story.scenario.steps]
    if len(set(starts)) != len(starts) or not all(lines[at].lstrip().startswith("- ") for at in starts):
        return None
    end = next(
        (at for at in range(starts[-1] + 1, len(lines)) if _TOP_LEVEL.match(lines[at])),
        len(lines),
    )
    bounds = [*(_with_comments(lines, at) for at in starts), end]
    steps = tuple(_joined(lines[begin:stop]) for begin, stop in pairwise(bounds))
    return _Text(_joined(lines[: bounds[0]]), steps, _joined(lines[end:]))


def _with_comments(lines: Sequence[str], at: int) -> int:
    """Return where a step begins when the comments right above it are its own."""
    while lines[at - 1].lstrip().startswith("#") and at > 1:
        at -= 1
    return at


def _joined(lines: Sequence[str]) -> str:
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _kept(story: Story, text: str) -> Path:
    with tempfile.NamedTemporaryFile(
        "w", prefix=f"{story.name[:_LONGEST_NAME]}-short-", suffix=".yaml", delete=False, encoding="utf-8"
    ) as file:
        file.write(text)
    return Path(file.name)
