"""``paymos-sim serve``: the simulator until it is told to stop."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

from sender.cli import readers
from sender.cli.settings import DEFAULT_SEED, database_url, relay_settings
from sender.config import Settings
from sender.domain.ids import Prefix, make_secret
from sender.errors import UsageError
from sender.forks import warm_up
from sender.loops import run

if TYPE_CHECKING:
    from sender.cli.options import Options
    from sender.serve import ServeOptions

_HOST, _PORT = "127.0.0.1", 8080


def main(options: Options) -> int:
    """Serve until told to stop, or print the webhook secret."""
    secret = _secret(options)
    if options.has("print_secret"):
        print(secret)
        return 0
    host = options.text("host") or _HOST
    _require_token(options, host)
    settings = _settings(options)
    # From here on the fork server imports what the relay needs, while this process imports what the API needs.
    warm_up()
    with database_url(options.text("database_url")) as url:
        run(_serve(options, host, secret, _in_database(settings, url)))
    return 0


def _settings(options: Options) -> Settings:
    return Settings(
        relay=relay_settings(options),
        seed=options.read("seed", readers.seed, DEFAULT_SEED),
        clock=options.read("clock", readers.clock_mode, "real"),
        relays=options.read("relays", readers.relays, 1),
        in_process=False,
        durable=options.has("durable"),
        log_level=options.read("log_level", readers.log_level, "warning"),
        log_json=options.has("json"),
    )
