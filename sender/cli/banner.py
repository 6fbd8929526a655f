"""What ``serve`` prints once it works: for people a block to copy from and a ready line, for programs one object."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sender import __version__
from sender.cli.settings import without_password
from sender.domain.access import KeyKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sender.domain.access import ApiKey
    from sender.serve import Ready, ServeOptions


def banner(ready: Ready, options: ServeOptions) -> str:
    """Return the lines; the last one begins with ``ready``."""
    rows = [*_places(ready, options), *_credentials(ready, options)]
    width = max(len(name) for name, _ in rows)
    lines = [f"  {name:{width}}  {value}" for name, value in rows]
    loud = [] if options.api.authenticate else ["", "  WITHOUT AUTHENTICATION: every request is believed (--no-auth)"]
    return "\n".join([f"paymos-sim {__version__}", "", *lines, *loud, "", f"ready url={ready.url}"])


def _places(ready: Ready, options: ServeOptions) -> Iterator[tuple[str, str]]:
    settings = options.settings
    yield "merchant API", f"{ready.url}/v1"
    yield "control API", f"{ready.url}/_sim/v1"
    if ready.trust is not None:
        yield "trust this file", str(ready.trust)
    yield "webhooks go to", ready.endpoint.url if ready.endpoint else "nobody yet; --endpoint URL subscribes one"
    yield "database", without_password(settings.database_url)
    yield "clock", settings.clock
    yield "ladder", f"{settings.relay.ladder.name}, {settings.relay.ladder.attempts} attempts"
    for flow in options.traffic:
        yield "traffic", f"{flow.name}, {flow.rhythm}"


def _credentials(ready: Ready, options: ServeOptions) -> Iterator[tuple[str, str]]:
    yield "project", ready.projects[0].id
    for key in _test_keys(ready):
        yield f"{key.kind} key", f"{key.id} with secret {key.secret}"
    yield "webhook secret", ready.endpoint.secret if ready.endpoint else options.secret


def banner_as_json(ready: Ready, options: ServeOptions) -> str:
    """Return the same as one JSON object."""
    return json.dumps({
        "kind": "ready",
        "version": __version__,
        "url": ready.url,
        "merchant_api": f"{ready.url}/v1",
        "control_api": f"{ready.url}/_sim/v1",
        "trust": None if ready.trust is None else str(ready.trust),
        "endpoint": ready.endpoint.url if ready.endpoint else None,
        "database": without_password(options.settings.database_url),
        "clock": options.settings.clock,
        "traffic": [flow.name for flow in options.traffic],
        "project": ready.projects[0].id,
        "keys": [{"kind": key.kind, "id": key.id, "secret": key.secret} for key in _test_keys(ready)],
        "webhook_secret": ready.endpoint.secret if ready.endpoint else options.secret,
    })  # fmt: skip


def _test_keys(ready: Ready) -> list[ApiKey]:
    return [key for key in ready.keys if key.is_test and key.kind in set(KeyKind)]
