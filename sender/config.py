"""What a simulator is told when it is made: one frozen value, checked once, passed down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sender.durations import MILLISECOND, SECOND, Duration, Instant

if TYPE_CHECKING:
    from sender.domain.ladder import Ladder

POOL_SIZE = 5
"""Connections to PostgreSQL: whoever waits for one waits for a transaction to end, never for a receiver."""


@dataclass(frozen=True, slots=True)
class RelaySettings:
    """How a relay sends. Durations are real time."""

    ladder: Ladder
    # The real wait; what is recorded when it runs out is the ladder's own timeout, so the rungs are production's.
    attempt_timeout: Duration = 10 * SECOND
    signature_clock: Literal["real", "virtual"] = "real"
    concurrency: int = 640
    endpoint_concurrency: int = 64
    window: int = 600
    lease: Duration = 30 * SECOND
    # A commit that this relay was not told of (another host, another process) is found after so long.
    poll: Duration = SECOND
    # So many results, or so much waiting for more of them, make a transaction while deliveries go on.
    flush: int = 200
    linger: Duration = 30 * MILLISECOND
    trust_env: bool = False
    # A file of authorities that may vouch for receivers besides those that the system trusts.
    trust: str | None = None
    # In whose name rows are leased; the parent of a child names it, so that it can give a dead child's leases back.
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything one simulator is told; times are virtual unless the name says otherwise."""

    relay: RelaySettings
    database_url: str = "memory"
    seed: int = 1
    clock: str = "manual"
    start: Instant | None = None
    relays: int = 1
    in_process: bool = True
    durable: bool = False
    # Connections of each process to PostgreSQL.
    pool_size: int = POOL_SIZE
    # The only addresses that money may be withdrawn to; without a list every address is allowed.
    withdrawal_whitelist: tuple[str, ...] | None = None
    # The provider's own rule for the URLs of endpoints: https, and public hosts only.
    strict_endpoints: bool = False
    # What stands before ``/invoice/{id}`` in payment URLs; without one, the provider's own address.
    checkout_url: str | None = None
    log_level: str = "warning"
    log_json: bool = False
