"""Kills and restarts the receiver, by whatever command its owner gives, and waits until it answers again."""

from __future__ import annotations

import asyncio
import shlex
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

from sender.check.alive import runs_steadily
from sender.durations import SECOND
from sender.errors import NotAvailable, UsageError
from sender.suggest import shown

if TYPE_CHECKING:
    from sender.check.volley import Target
    from sender.clock import Clock
    from sender.durations import Duration

PATIENCE: Duration = 30 * SECOND
"""Real time that a command, and after it the receiver, may take."""


class Restart(Protocol):
    """A death of the receiver, and its return."""

    async def __call__(self) -> None:
        """Kill it, start it, and return once it answers. Raises ``NotAvailable``."""


@dataclass(frozen=True, slots=True)
class RestartCommand:
    """Runs ``words``, which must kill the receiver as a power cut would (SIGKILL) and start it again in the background.

    There is no shell; a script is a fine command.
    """

    words: tuple[str, ...]
    target: Target
    clock: Clock

    @classmethod
    def read(cls, text: str, target: Target, clock: Clock) -> Self:
        """Read words as a shell would part them. Raises ``UsageError``."""
        try:
            words = tuple(shlex.split(text))
        except ValueError as error:
            raise UsageError(
                f"the command cannot be parted into words ({error}); write it as in ./restart.sh"
            ) from None
        if not words:
            raise UsageError("no command is named; write one that kills and restarts the receiver, as in ./restart.sh")
        return cls(words, target, clock)

    async def __call__(self) -> None:
        """Run the command, then wait until the receiver answers."""
        await self._run()
        if not await runs_steadily(self.target, self.clock, PATIENCE):
            raise NotAvailable("--restart-cmd: the receiver did not answer within 30 s after it")

    async def _run(self) -> None:
        asked = f"--restart-cmd: {shown(shlex.join(self.words))}"
        quiet = asyncio.subprocess.DEVNULL
        try:
            # What it starts in the background may keep its output open, so nobody waits for that.
            child = await asyncio.create_subprocess_exec(*self.words, stdin=quiet, stdout=quiet, stderr=quiet)
        except (OSError, ValueError) as error:
            raise NotAvailable(f"{asked} cannot be run: {getattr(error, 'strerror', None) or error}") from None
        try:
            async with self.clock.timeout(PATIENCE / SECOND):
                code = await child.wait()
        except TimeoutError:
            raise NotAvailable(
                f"{asked} did not end within 30 s; let it start the receiver in the background"
            ) from None
        finally:
            if child.returncode is None:
                with suppress(ProcessLookupError):
                    child.kill()
        if code != 0:
            raise NotAvailable(f"{asked} ended with exit code {code}")
