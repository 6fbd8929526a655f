"""What several commands share: how relays send, which database is meant, where messages go."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sender.cli import readers
from sender.config import RelaySettings
from sender.durations import SECOND
from sender.ladderfile import load_ladder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sender.cli.options import Options

DEFAULT_SEED = 1
_ATTEMPT_TIMEOUT = 10 * SECOND


def relay_settings(options: Options) -> RelaySettings:
    """Return how relays send. Raises ``UsageError``."""
    return RelaySettings(
        ladder=options.read("ladder", load_ladder, None) or load_ladder("paymos"),
        attempt_timeout=options.read("attempt_timeout", readers.timeout, _ATTEMPT_TIMEOUT),
        signature_clock=options.read("signature_clock", readers.signature_clock, "real"),
        trust_env=options.has("trust_env"),
        trust=options.read("trust", readers.trust, None),
    )


@contextmanager
def database_url(given: str | None) -> Iterator[str]:
    """Give the URL of the database: the one that was given, or one that is gone afterwards.

    Raises ``NotAvailable`` where a server of our own cannot be had.
    """
    if given is None:
        with _temporary_file() as url:
            yield url
    elif given == readers.EMBEDDED:
        with _embedded_server() as url:
            yield url
    else:
        yield given


@contextmanager
def _temporary_file() -> Iterator[str]:
    import tempfile  # noqa: PLC0415 - only where no database is named
    from pathlib import Path  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="paymos-sim-", ignore_cleanup_errors=True) as folder:
        yield f"sqlite:///{Path(folder) / 'paymos-sim.sqlite3'}"


@contextmanager
def _embedded_server() -> Iterator[str]:
    from sender.store.embedded import start  # noqa: PLC0415 - subprocesses and threads for one kind of database

    server = start()
    try:
        yield server.url()
    finally:
        server.stop()


def without_password(url: str) -> str:
    """Return a database URL as it may be shown."""
    return re.sub(
        r"(//[^/@:]*:)[^/@]*@|([?&]password=)[^&]*",
        lambda found: f"{found[1]}***@" if found[1] else f"{found[2]}***",
        url,
    )
