"""``paymos-sim serve``: the simulator until it is told to stop."""

from __future__ import annotations

from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import TYPE_CHECKING

from sender.cli import readers
from sender.cli.banner import banner, banner_as_json
from sender.cli.settings import DEFAULT_SEED, database_url, relay_settings
from sender.config import POOL_SIZE, Settings
from sender.domain.ids import Prefix, make_secret
from sender.errors import UsageError
from sender.forks import warm_up
from sender.loops import run

if TYPE_CHECKING:
    from sender.cli.options import Options
    from sender.traffic.flow import Flow

_HOST, _PORT = "127.0.0.1", 8080


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What was read of a command line."""

    settings: Settings
    host: str
    port: int
    endpoint: str | None
    secret: str
    rate_limit: int | None
    traffic: tuple[Flow, ...]


def main(options: Options) -> int:
    """Serve until told to stop, or print the webhook secret."""
    secret = _secret(options)
    if options.has("print_secret"):
        print(secret)
        return 0
    told = _read(options, secret)
    # From here on the fork server imports what the relay needs, while this process imports what the API needs.
    warm_up(options.text("database_url"))
    with database_url(options.text("database_url")) as url:
        run(_serve(options, replace(told, settings=replace(told.settings, database_url=url))))
    return 0


def _read(options: Options, secret: str) -> _Told:
    """Read everything that can be wrong with the command line, before anything is started."""
    host = options.text("host") or _HOST
    if options.read("database_url", readers.database, None) == "memory":
        raise UsageError("--database-url: memory is within one process, and the relay is another; leave it out")
    _require_token(options, host)
    return _Told(
        settings=_settings(options),
        host=host,
        port=options.read("port", readers.port, _PORT),
        endpoint=options.read("endpoint", readers.url, None),
        secret=secret,
        rate_limit=options.read("rate_limit", readers.rate, None),
        traffic=options.read("traffic", _flows, ()),
    )


def _settings(options: Options) -> Settings:
    return Settings(
        relay=relay_settings(options),
        seed=options.read("seed", readers.seed, DEFAULT_SEED),
        clock=options.read("clock", readers.clock_mode, "real"),
        relays=options.read("relays", readers.relays, 1),
        in_process=False,
        durable=options.has("durable"),
        pool_size=options.read("pool_size", readers.pool_size, POOL_SIZE),
        log_level=options.read("log_level", readers.log_level, "info"),
        log_json=options.has("json"),
        strict_endpoints=options.has("strict_endpoints"),
    )


async def _serve(options: Options, told: _Told) -> None:
    from sender.serve import ServeOptions, serve  # noqa: PLC0415 - a web server, only where the options are good
    from sender.signals import stop_signal  # noqa: PLC0415
    from sender.web.parts import ApiOptions  # noqa: PLC0415

    wanted = ServeOptions(
        settings=told.settings,
        host=told.host,
        port=told.port,
        endpoint=told.endpoint,
        secret=told.secret,
        secret_given=options.has("secret"),
        clock_given=options.has("clock"),
        tls=options.has("tls"),
        traffic=told.traffic,
        api=ApiOptions(
            authenticate=not options.has("no_auth"),
            rate_limit=told.rate_limit,
            names=(told.host, *_names(options)),
            control_token=options.text("token"),
        ),
    )
    show = banner_as_json if options.has("json") else banner
    await serve(wanted, stop_signal(), lambda ready: print(show(ready, wanted), flush=True))


def _secret(options: Options) -> str:
    made = make_secret(options.read("seed", readers.seed, DEFAULT_SEED), Prefix.WEBHOOK_SECRET_TEST, 0)
    return options.read("secret", readers.secret, made)


def _flows(text: str) -> tuple[Flow, ...]:
    from sender.traffic.flowfile import load_flow  # noqa: PLC0415 - only where traffic is wanted

    return tuple(load_flow(word.strip()) for word in text.split(","))


def _names(options: Options) -> list[str]:
    return [name for name in (options.text("names") or "").replace(" ", "").split(",") if name]


def _require_token(options: Options, host: str) -> None:
    """Whoever reaches the control API can move money and time, so beyond this machine it takes a token."""
    if not options.text("token") and not _is_loopback(host):
        raise UsageError(f"--host: {host} is within reach of other machines; choose a --token for the control API")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
