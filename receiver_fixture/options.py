"""The command line: options first, environment second, and secrets never repeated in a message."""

from __future__ import annotations

import argparse
import difflib
import os
from typing import TYPE_CHECKING

from receiver_fixture.delays import parse_delay
from receiver_fixture.errors import CannotStart
from receiver_fixture.flaws import Flaw
from receiver_fixture.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SECRET_VARIABLE = "RECEIVER_SECRET"  # noqa: S105 (the name of a variable)


def read_options(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> Settings:
    """Read command line and environment; raises ``CannotStart`` or ``Refused``, exits for ``--help``."""
    try:
        options, rest = _parser().parse_known_args(arguments)
    except argparse.ArgumentError as error:
        raise CannotStart(str(error)) from error
    if rest:
        # Only names of options: a secret behind a misspelt one must not end up in a log.
        names = [word.partition("=")[0] for word in rest if word.startswith("-")]
        raise CannotStart(f"unknown option {names[0]}; see --help" if names else "an argument is left over; see --help")
    secrets = options.secret or [part for part in environment.get(SECRET_VARIABLE, "").split(",") if part]
    return Settings(
        secrets=tuple(secrets),
        host=options.host,
        port=options.port,
        path=options.path,
        database=options.database,
        tolerance=options.tolerance,
        apply_delay=parse_delay(options.apply_delay),
        flaws=frozenset() if options.flaw is None else frozenset({_flaw(options.flaw)}),
        flaw_delay=None if options.flaw_delay is None else parse_delay(options.flaw_delay),
        retired=tuple(options.retired_secret or ()),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m receiver_fixture",
        description="The reference merchant receiver.",
        allow_abbrev=False,
        exit_on_error=False,
    )
    add = parser.add_argument
    add("--secret", action="append", metavar="S", help=f"webhook secret, repeatable; also {SECRET_VARIABLE}=S1,S2")
    add("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
    add("--port", type=int, default=0, help="port to listen on, 0 for a free one (default)")
    add("--path", default="/webhook", help="path of the webhook (default %(default)s)")
    add("--database", default=":memory:", help="file, :memory: (default) or postgresql://…")
    add("--tolerance", type=int, default=300, metavar="SECONDS", help="age of a signature (default %(default)s)")
    add("--apply-delay", default="0s", metavar="DELAY", help="hold back each application, such as 5s (default none)")
    add("--flaw", metavar="NAME", help=f"be wrong in one way: {', '.join(sorted(Flaw))}")
    add("--flaw-delay", metavar="DELAY", help="how long the flaw keeps a gap open, such as 60ms")
    add("--retired-secret", action="append", metavar="S", help="secret that only the flaw retired-secret believes")
    return parser


def _flaw(name: str) -> Flaw:
    try:
        return Flaw(name)
    except ValueError:
        near = difflib.get_close_matches(name, list(Flaw), n=1)
        remedy = f"did you mean {near[0]}?" if near else "see --help"
        raise CannotStart(f"{name!r} is no flaw; {remedy}") from None
