"""``paymos-sim relay``: one more relay for a simulator that runs elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from sender.cli import readers
from sender.cli.settings import relay_settings, without_password
from sender.config import POOL_SIZE, Settings
from sender.errors import UsageError
from sender.loops import run
from sender.paths import exists

if TYPE_CHECKING:
    from sender.cli.options import Options

_WANTED = "give the database of the simulator, as in --database-url postgresql://HOST/NAME"


def main(options: Options) -> int:
    """Deliver until told to stop."""
    settings = Settings(
        relay=relay_settings(options),
        database_url=_database(options.read("database_url", readers.database, None)),
        durable=options.has("durable"),
        pool_size=options.read("pool_size", readers.pool_size, POOL_SIZE),
        log_level=options.read("log_level", readers.log_level, "info"),
        log_json=options.has("json"),
    )
    run(_deliver(settings))
    return 0


async def _deliver(settings: Settings) -> None:
    from sender.remote_relay import RemoteRelay  # noqa: PLC0415 - an HTTP client, only where the options are good
    from sender.signals import stop_signal  # noqa: PLC0415

    def announce() -> None:
        print(f"ready relay database={without_password(settings.database_url)}", flush=True)

    await RemoteRelay(settings).run(stop_signal(), announce)


def _database(url: str | None) -> str:
    if url is None:
        raise UsageError(f"--database-url is missing; {_WANTED}")
    if url in {"memory", readers.EMBEDDED}:
        raise UsageError(f"--database-url: {url} is within one simulator; {_WANTED}")
    if url.startswith("sqlite:///") and not exists(unquote(url.removeprefix("sqlite:///"))):
        raise UsageError(f"--database-url: there is no file {url.removeprefix('sqlite:///')}; {_WANTED}")
    return url
