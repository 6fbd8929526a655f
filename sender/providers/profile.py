"""What a provider's contract consists of: data, and three verbs that make and judge a delivery."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from sender.domain.deposit import Deposit
from sender.domain.invoice import Invoice
from sender.domain.withdrawal import Withdrawal
from sender.durations import Duration, Instant

if TYPE_CHECKING:
    from collections.abc import Sequence

Headers = tuple[tuple[str, str], ...]
"""Header names and values in the order in which they go on the wire."""

Resource = Invoice | Withdrawal | Deposit
"""What an event may be about; nothing is ever told about a payment channel itself."""


@dataclass(frozen=True, slots=True)
class Event:
    """One transition as one endpoint is told of it; ``occurred_at`` is when the state changed and never moves."""

    event_id: str
    event_type: str
    occurred_at: Instant
    resource: Resource
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile(ABC):
    """One provider's contract.

    ``timeout`` is for one whole attempt; ``signature_tolerance`` is what the provider's own verifiers allow;
    ``fee_rate`` is the provider's share of what is paid.
    """

    name: str
    event_types: tuple[str, ...]
    categories: tuple[str, ...]
    timeout: Duration
    signature_tolerance: Duration
    rotation_window: Duration
    invoice_lifetime: Duration
    payment_lifetime: Duration
    fee_rate: Decimal
    user_agent: str
    id_header: str
    timestamp_header: str
    signature_header: str

    @abstractmethod
    def encode(self, event: Event) -> bytes:
        """Return the body of a delivery; made once and sent unchanged on every attempt (design §3)."""

    @abstractmethod
    def sign(self, body: bytes, secrets: Sequence[str], timestamp: int, event_id: str) -> Headers:
        """Return the headers of one attempt but ``Host`` and ``Content-Length``.

        ``secrets`` are the endpoint's, current one first; ``timestamp`` is the attempt's, in Unix seconds.
        """

    @abstractmethod
    def accepts(self, status: int) -> bool:
        """Tell whether an answer with this HTTP status ends the ladder as delivered."""
