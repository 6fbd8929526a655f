"""The reference receiver as a child process, started early so that it imports while the simulator does.

It shares no code with the sender, so it runs in an interpreter of its own. It holds the other end of a pipe and ends
when that does, so that even a killed parent leaves none behind.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, cast

from sender.errors import NotAvailable

if TYPE_CHECKING:
    from types import TracebackType
    from typing import IO, Self

START_PATIENCE = 30.0
"""Real seconds until a receiver that does not come up is given up; a cold machine imports slowly."""

_BOOT = """
import os, runpy, sys, threading
def leave_with_parent():
    sys.stdin.buffer.read()
    os._exit(0)
threading.Thread(target=leave_with_parent, daemon=True).start()
runpy.run_module("receiver_fixture", run_name="__main__", alter_sys=True)
"""


class ReceiverProcess:
    """A receiver that runs until this is closed. Its secrets are told to it later (``ReceiverClient.trust``)."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and script
            [sys.executable, "-c", _BOOT, "--port", "0"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Nobody knows this one, so nothing is believed before the story's own secrets are known.
            env={**os.environ, "RECEIVER_SECRET": os.urandom(16).hex()},
            start_new_session=True,  # a Ctrl-C in the terminal is for us; it is told what follows from that
        )

    async def ready(self) -> str:
        """Return the URL of its webhook once it listens. Raises ``NotAvailable`` when it does not come up."""
        reading = asyncio.get_running_loop().run_in_executor(None, cast("IO[str]", self._process.stdout).readline)
        try:
            async with asyncio.timeout(START_PATIENCE):
                line = await reading
        except TimeoutError:
            line = ""
        found = re.search(r"url=(\S+)", line)
        if found is None:
            self.close()
            message = "the reference receiver did not start; its own message stands above"
            raise NotAvailable(message)
        return found[1]

    def close(self) -> None:
        """End it at once: what it holds is in memory, and has been read."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
