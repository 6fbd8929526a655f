"""A relay inside this process: what the library and the pytest plugin use, where a child would only cost time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.relay import Relay
from sender.relay_host import InProcessHost
from sender.transport.client import Transport
from sender.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.config import Settings
    from sender.providers.profile import Profile
    from sender.runtime import Runtime
    from sender.store.engine import Database


def in_process_host(
    runtime: Runtime, database: Database, profile: Profile, settings: Settings, settled: Callable[[], None]
) -> InProcessHost:
    """Return a host whose relay runs in this loop."""

    def make() -> Relay:
        transport = Transport(runtime.clock, trust_env=settings.relay.trust_env, ca_file=settings.relay.trust)
        wire = Wire(transport, runtime.clock)
        return Relay(runtime, database, profile, wire, settings.relay, settled)

    return InProcessHost(runtime, database, make, settled)
