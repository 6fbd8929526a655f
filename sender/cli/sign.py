"""``paymos-sim sign``: the provider's signature of a body, without a simulator."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sender.cli import readers
from sender.domain.signature import webhook_header
from sender.durations import SECOND
from sender.errors import UsageError

if TYPE_CHECKING:
    from sender.cli.options import Options

_LATEST = 10**11
_STDIN = "-"


def main(options: Options) -> int:
    """Print the value of the signature's header."""
    secret = secret_of(options)
    print(webhook_header(body_of(options), [secret], unix_seconds(options, "timestamp")))
    return 0


def secret_of(options: Options) -> str:
    """Return the secret. Raises ``UsageError`` where none was given."""
    secret = options.text("secret")
    if secret is None:
        raise UsageError("--secret is missing; 'paymos-sim serve --print-secret' prints the one of a seed")
    return secret


def body_of(options: Options) -> bytes:
    """Return the body, byte for byte. Raises ``UsageError`` for a file that cannot be read."""
    name = options.text("body") or _STDIN
    try:
        return sys.stdin.buffer.read() if name == _STDIN else Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"--body: {name!r} cannot be read: {error.strerror}") from None


def unix_seconds(options: Options, name: str) -> int:
    """Return the Unix seconds that an option names, or those of the real clock."""
    from sender.clock import Clock  # noqa: PLC0415 - asyncio comes with it

    now = Clock().real_now() // SECOND
    return options.read(name, readers.whole(0, _LATEST, "a time in Unix seconds"), now)
