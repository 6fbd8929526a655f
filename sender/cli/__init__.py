"""The command ``paymos-sim``: what was typed is read, the command's own module is imported, and its exit code returned.

Exit codes: 0 holds, 1 an expectation or a law failed, 2 could not run (one clear message on standard error). Nothing
heavy is imported before a command is known, so ``--help`` and ``--version`` answer at once.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from sender.errors import FileRefused, SimError, StoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

COULD_NOT_RUN = 2
INTERRUPTED = 130
NOBODY_READS = 141
"""128 + SIGINT and 128 + SIGPIPE: what shells expect of a command that one of the two has ended."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command line; return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _dispatch(words)
    except SimError as error:
        complain(error)
        return COULD_NOT_RUN
    except KeyboardInterrupt:
        _leave_nobody_behind()
        return INTERRUPTED
    except BrokenPipeError:
        # What is still buffered would fail once more when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOBODY_READS


def _dispatch(words: list[str]) -> int:
    first = words[0] if words else ""
    if first in {"-h", "--help", "help"}:
        return _overview()
    if first in {"-V", "--version"}:
        from sender import __version__  # noqa: PLC0415

        print(f"paymos-sim {__version__}")
        return 0
    from sender.cli.commands import command_named  # noqa: PLC0415
    from sender.cli.options import read_options  # noqa: PLC0415

    if not first:
        raise UsageError("a command is missing; see paymos-sim --help")
    command = command_named(first)
    options = read_options(command, words[1:], os.environ)
    code: int = import_module(f"sender.cli.{command.name}").main(options)
    return code


def _leave_nobody_behind() -> None:
    """Kill children that are still there: a second Ctrl-C has ended even the orderly stop."""
    if "sender.forks" in sys.modules:
        sys.modules["sender.forks"].kill_children()


def complain(error: SimError) -> None:
    """Say on standard error what is wrong; names of files, and what others answered, are in it."""
    from sender.harmless import plain_text  # noqa: PLC0415 - only to complain

    for sentence in _sentences(error):
        print(f"paymos-sim: {plain_text(sentence)}", file=sys.stderr)


def _sentences(error: SimError) -> list[str]:
    if isinstance(error, FileRefused):
        return error.problems
    if isinstance(error, StoreError):
        # What a database says comes in several lines, and without a word on what to do.
        return [f"{' '.join(str(error).split())}; check --database-url"]
    return [str(error)]


def _overview() -> int:
    from sender.cli.commands import overview  # noqa: PLC0415

    print(overview())
    return 0
