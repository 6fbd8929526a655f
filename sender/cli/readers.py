"""From what was typed behind an option to the value that is meant; each raises ``ValueError`` with a sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, cast
from urllib.parse import urlsplit

from sender.durations import format_duration, parse_duration

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.durations import Duration

EMBEDDED = "embedded-postgres"
"""The database URL that stands for a server of our own."""

DATABASES = frozenset({"sqlite", "postgresql", "postgres", "postgresql+psycopg"})
"""What a database URL can begin with."""

HIGHEST_PORT = 65_535
MOST_RELAYS = 64
MOST_CONNECTIONS = 100
MAX_SEED = 2**63 - 1
SHORTEST_TIMEOUT, LONGEST_TIMEOUT = 1_000, 3_600_000_000
"""A millisecond and an hour of real time."""


def whole(lowest: int, highest: int, what: str) -> Callable[[str], int]:
    """Return the reader of a whole number between two others."""

    def read(text: str) -> int:
        if not re.fullmatch("[0-9]{1,19}", text) or not lowest <= int(text) <= highest:
            raise ValueError(f"{text!r} is not {what}; write a whole number from {lowest} to {highest}")
        return int(text)

    return read


port = whole(0, HIGHEST_PORT, "a port")
relays = whole(1, MOST_RELAYS, "a number of relays")
pool_size = whole(1, MOST_CONNECTIONS, "a number of connections")
rate = whole(1, 1_000_000, "a rate of requests")
seed = whole(0, MAX_SEED, "a seed")


def timeout(text: str) -> Duration:
    """Read how long an attempt waits in real time."""
    value = parse_duration(text)
    if not SHORTEST_TIMEOUT <= value <= LONGEST_TIMEOUT:
        shortest, longest = format_duration(SHORTEST_TIMEOUT), format_duration(LONGEST_TIMEOUT)
        raise ValueError(f"{text!r} is no time to wait for an answer; write from {shortest} to {longest}")
    return value


def signature_clock(text: str) -> Literal["real", "virtual"]:
    """Read which clock signs."""
    if text not in {"real", "virtual"}:
        raise ValueError(f"{text!r} is no clock of signatures; write real or virtual")
    return cast('Literal["real", "virtual"]', text)


def log_level(text: str) -> str:
    """Read how much is logged."""
    if text not in {"info", "warning"}:
        raise ValueError(f"{text!r} is not a log level; write info or warning")
    return text


def clock_mode(text: str) -> str:
    """Read a clock mode and hand it on as it is written."""
    from sender.clock import parse_mode  # noqa: PLC0415 - asyncio comes with it

    parse_mode(text)
    return text


def url(text: str) -> str:
    """Read the address of a receiver."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or re.search(r"[\s\x00-\x1f\x7f]", text):
        raise ValueError(
            f"{text!r} is not an address; write http or https, host and path: http://127.0.0.1:8000/webhook"
        )
    return text


def trust(text: str) -> str:
    """Read the path of a file of certificates; children may stand in another folder, so it becomes absolute."""
    from pathlib import Path  # noqa: PLC0415 - only where one is named

    from sender.errors import NotAvailable  # noqa: PLC0415
    from sender.transport.trust import trusting  # noqa: PLC0415 - a cryptography library comes with it

    try:
        trusting(text)
    except NotAvailable as error:
        raise ValueError(str(error)) from None
    return str(Path(text).absolute())


def database(text: str) -> str:
    """Read a database URL. No message shows it: it may hold a password."""
    known = text in {"memory", EMBEDDED} or text.partition(":")[0] in DATABASES
    if not known:
        raise ValueError(
            "this is no database; write sqlite:///FILE, memory, postgresql://USER:PASSWORD@HOST/NAME, embedded-postgres"
        )
    return text


def secret(text: str) -> str:
    """Read a secret. No message shows it."""
    if not re.fullmatch(r"[\x21-\x7e]{1,256}", text):
        raise ValueError("this is not a secret; it is 1 to 256 ASCII characters without blanks, as in whsec_…")
    return text
