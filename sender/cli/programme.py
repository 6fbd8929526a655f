"""Plays the stories of one ``run``, side by side where that was asked for, and tells of them in their order."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sender.cli.settings import without_password
from sender.cli.shorten import shortened
from sender.errors import NotAvailable, SimError, StoreError
from sender.harmless import plain
from sender.scenario.report_ink import Ink
from sender.scenario.report_json import JsonReport
from sender.scenario.report_record import Record
from sender.scenario.report_text import TextReport

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sender.cli.options import Options
    from sender.cli.stories import Story
    from sender.cli.theatre import Theatre
    from sender.scenario.events import Listener, RunEvent

SHOWN_AGAIN = (
    "in_process",
    "database_url",
    "ladder",
    "attempt_timeout",
    "signature_clock",
    "relays",
    "target",
    "probe",
)
"""The options that a run has to be given again to go the same way; a secret is never written anywhere."""


@dataclass(slots=True)
class Programme:
    """The stories that are played, and what became of them.

    ``theatres`` play at the same time; what a story tells is written when those before it are over. ``troubles`` are
    why stories could not be played. One that cannot is no reason to leave out the others, unless what is missing is
    missing for them too.
    """

    options: Options
    stories: Sequence[Story]
    theatres: Sequence[Theatre]
    fail_fast: bool = False
    keep: bool = False
    records: dict[int, Record] = field(default_factory=dict)
    troubles: list[SimError] = field(default_factory=list)
    _next: int = 0
    _written: int = 0
    _texts: dict[int, list[str]] = field(default_factory=dict)

    async def play(self) -> None:
        """Play every story."""
        playing = [asyncio.create_task(self._keep_playing(theatre)) for theatre in self.theatres]
        try:
            await asyncio.gather(*playing)
        finally:
            for one in playing:
                one.cancel()
            await asyncio.wait(playing)
        self._progress(over=True)
        self._sum_up()

    async def _keep_playing(self, theatre: Theatre) -> None:
        while self._next < len(self.stories) and not self._stopped:
            number, self._next = self._next, self._next + 1
            await self._play(theatre, number)
            self._progress()

    @property
    def _stopped(self) -> bool:
        if any(isinstance(trouble, NotAvailable | StoreError) for trouble in self.troubles):
            return True
        return self.fail_fast and any(not record.passed for record in self.records.values())

    async def _play(self, theatre: Theatre, number: int) -> None:
        story = self.stories[number]
        record = _record(self.options, story)
        write = self._writer(number)
        listener = self._report(write)

        def tell(event: RunEvent) -> None:
            record(event)
            listener(event)

        try:
            await theatre.play(story, tell, keep_exchanges=self.keep)
        except SimError as trouble:
            self.troubles.append(trouble)
            record.trouble = str(trouble)
        self.records[number] = record
        if not record.passed and not self.options.has("json"):
            await self._explain(theatre, story, record, write)
        self._give_way()

    async def _explain(self, theatre: Theatre, story: Story, record: Record, write: Callable[[str], object]) -> None:
        if record.trouble:
            write(f"NOT RUN  {story.name}\n\n" if len(self.stories) > 1 else "")
            return
        write(f"again: {record.command}\n")
        await self._shorten(theatre, story, record, write)

    async def _shorten(self, theatre: Theatre, story: Story, record: Record, write: Callable[[str], object]) -> None:
        # Somebody's own receiver remembers what it was told, so that no second run is like the first.
        if self.options.has("target") or self.options.has("no_shorten"):
            return
        path = await shortened(theatre, story, record.failures)
        if path is not None:
            write(f"shorter, and fails in the same way: {again(self.options, story, path)}\n")

    def _report(self, write: Callable[[str], object]) -> Listener:
        return JsonReport(write) if self.options.has("json") else TextReport(write, Ink(_has_colours()))

    def _writer(self, number: int) -> Callable[[str], object]:
        """Return what writes at once for the story whose turn it is, and keeps what the others say."""

        def write(text: str) -> None:
            if number == self._written:
                _write("".join(self._texts.pop(number, ())) + text)
            else:
                self._texts.setdefault(number, []).append(text)

        return write

    def _give_way(self) -> None:
        """Let the next story have its say once this one's turn is over."""
        while self._written in self.records:
            _write("".join(self._texts.pop(self._written, ())))
            self._written += 1
        if self._texts.get(self._written):
            _write("".join(self._texts.pop(self._written)))

    def _sum_up(self) -> None:
        if len(self.stories) == 1 or self.options.has("json"):
            return
        records = [record for _, record in sorted(self.records.items())]
        passed, left = sum(record.passed for record in records), len(self.stories) - len(records)
        rest = ""
        for verdict, said in (("failed", "failed"), ("not run", "could not run")):
            names = [record.story for record in records if record.verdict == verdict]
            rest += f", {len(names)} {said}: {', '.join(names)}" if names else ""
        rest += f", {left} not played" if left else ""
        _write(f"{len(self.stories)} stories: {passed} passed{rest}\n")

    def _progress(self, *, over: bool = False) -> None:
        """Show how far it is on a terminal that does not show the stories themselves."""
        if len(self.stories) == 1 or not sys.stderr.isatty() or sys.stdout.isatty():
            return
        failed = sum(not record.passed for record in self.records.values())
        said = f"{len(self.records)} of {len(self.stories)} stories, {failed} failed"
        sys.stderr.write("\r\x1b[K" if over else f"\r\x1b[K{said}")
        sys.stderr.flush()


def _record(options: Options, story: Story) -> Record:
    from sender.cli.theatre import settings_of  # noqa: PLC0415 - as below

    return Record(
        again(options, story),
        story=story.name,
        name=story.scenario.name,
        seed=settings_of(options, story).seed,
        about=" ".join((story.scenario.about or "").split()),
        file=str(story.path),
    )


def again(options: Options, story: Story, path: Path | None = None) -> str:
    """Return the command that shows a story again: its file or name, the seed, and what else decides its course."""
    from sender.cli.theatre import settings_of  # noqa: PLC0415 - a circle otherwise: the theatre is told what to play

    word = str(path or (story.name if story.ships else story.path))
    words = ["paymos-sim", "run", word, "--seed", str(settings_of(options, story).seed)]
    for name in SHOWN_AGAIN:
        flag, text = f"--{name.replace('_', '-')}", options.text(name)
        words += [] if text is None else [flag] if name == "in_process" else [flag, without_password(text)]
    return plain(shlex.join(words)) + (" --secret …" if options.has("secret") else "")


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _has_colours() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
