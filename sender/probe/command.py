"""Look by a command: the order's id is one of its arguments and in ``$ORDER``, its output is what is seen.

There is no shell, so an id can never become part of a command.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from sender.durations import SECOND
from sender.errors import NotAvailable, UsageError
from sender.probe.looking import PATIENCE
from sender.probe.values import sighting
from sender.suggest import shown

if TYPE_CHECKING:
    from sender.clock import Clock
    from sender.probe.looking import Sighting

PLACEHOLDER, VARIABLE = "{order}", "ORDER"

_SHAPE = "command:./count.sh {order}"
_SHELL = frozenset(" \t\n;|&$`<>()'\"")


@dataclass(frozen=True, slots=True)
class CommandProbe:
    """Runs ``words``. It prints a count, a count and a status, or ``{"fulfilled": 1, "status": "paid"}``."""

    words: tuple[str, ...]
    clock: Clock

    @classmethod
    def read(cls, text: str, clock: Clock) -> Self:
        """Read words as a shell would part them. Raises ``UsageError``."""
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise UsageError(f"the command cannot be parted into words ({error}); write it as in {_SHAPE}") from None
        if not words:
            raise UsageError(f"no command is named; write it as in {_SHAPE}")
        for word in words:
            if PLACEHOLDER in word and _SHELL & set(word):
                raise UsageError(
                    f"{shown(word)} would make the order's id part of a script; there, use ${VARIABLE}, which holds it"
                )
        return cls(tuple(words), clock)

    async def look(self, order: str) -> Sighting:
        """Run it once."""
        words = [word.replace(PLACEHOLDER, order) for word in self.words]
        asked = f"probe: {shown(shlex.join(words))}"
        code, output, complaint = await self._run(words, order, asked)
        if code != 0:
            last = (complaint.strip().splitlines() or ["it said nothing"])[-1]
            raise NotAvailable(f"{asked} ended with exit code {code}: {shown(last)}")
        return _read(output.strip(), asked)

    async def _run(self, words: list[str], order: str, asked: str) -> tuple[int | None, str, str]:
        pipe = asyncio.subprocess.PIPE
        try:
            child = await asyncio.create_subprocess_exec(
                *words, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe, env={**os.environ, VARIABLE: order}
            )
        except (OSError, ValueError) as error:
            raise NotAvailable(f"{asked} cannot be run: {getattr(error, 'strerror', None) or error}") from None
        try:
            async with self.clock.timeout(PATIENCE / SECOND):
                output, complaint = await child.communicate()
        except TimeoutError:
            raise NotAvailable(f"{asked} took more than {PATIENCE // SECOND} s") from None
        finally:
            if child.returncode is None:
                with suppress(ProcessLookupError):
                    child.kill()
                await child.wait()
        return child.returncode, output.decode("utf-8", "replace"), complaint.decode("utf-8", "replace")

    async def close(self) -> None:
        """Hold nothing."""


def _read(output: str, asked: str) -> Sighting:
    if output.startswith("{"):
        with suppress(ValueError):
            document = json.loads(output)
            return sighting(document.get("fulfilled"), document.get("status"), lambda: asked)
    count, _, status = output.partition(" ")
    return sighting(count, status.strip() or None, lambda: f"{asked} printed {shown(output)}")
