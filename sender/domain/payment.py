"""What an invoice is to be paid with and what has arrived: the quote, the transfers on chain, the sums."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from sender.domain.money import ZERO, minus, plus, scale_of, share
from sender.durations import Duration, Instant

if TYPE_CHECKING:
    from collections.abc import Iterator


class TransferStatus(StrEnum):
    """Whether a transfer has all its confirmations. One that a reorg removed is no longer listed."""

    CONFIRMING = "confirming"
    CONFIRMED = "confirmed"


@dataclass(frozen=True, slots=True)
class Quote:
    """An offer that is locked when the network is chosen: token, rail, rate and address (contract §3.2).

    ``expected`` is in token units, ``exchange_rate`` in units of the invoice's currency per token. ``fee_rate`` is the
    provider's share of what is paid (``0.01``), taken in the token. ``explorer`` is what stands before a transaction
    hash in a link; ``contract_address`` is ``None`` for a native coin.
    """

    currency: str
    network: str
    chain_id: int
    contract_address: str | None
    expected: Decimal
    address: str
    exchange_rate: Decimal
    fee_rate: Decimal
    required_confirmations: int
    confirmation_time: Duration
    explorer: str


@dataclass(frozen=True, slots=True)
class Transfer:
    """One transfer that is on chain. A ``simulated`` one counts and is not shown: sandbox bodies carry no transfers."""

    tx_hash: str
    amount: Decimal
    created_at: Instant
    estimated_confirmation_at: Instant
    status: TransferStatus = TransferStatus.CONFIRMING
    confirmed_at: Instant | None = None
    simulated: bool = False


class Sums(NamedTuple):
    """Money of one payment in token units: paid + remaining reaches the expected amount, fee + net is what is paid.

    ``remaining`` is never below zero, ``fee`` is the provider's and has the token's scale, ``net`` is the merchant's.
    """

    paid: Decimal
    remaining: Decimal
    fee: Decimal
    net: Decimal


@dataclass(frozen=True, slots=True)
class Payment:
    """A quote and the transfers that answer it, in the order in which they were seen.

    Sums are derived, so they cannot disagree with the transfers. Only confirmed transfers are ``paid``: money that a
    reorg can still take back is not called paid (no source says how the provider counts it). ``seen`` counts every
    transfer that was ever seen, also those that a reorg removed.
    """

    quote: Quote
    transfers: tuple[Transfer, ...] = ()
    seen: int = 0

    @property
    def expected(self) -> Decimal:
        """What has to arrive, in token units."""
        return self.quote.expected

    @property
    def paid(self) -> Decimal:
        """What has arrived and is confirmed, in token units."""
        return plus(*(transfer.amount for transfer in self._having(TransferStatus.CONFIRMED)))

    @property
    def on_chain(self) -> Decimal:
        """What has arrived, confirmed or not, in token units."""
        return plus(*(transfer.amount for transfer in self.transfers))

    @property
    def sums(self) -> Sums:
        """What is paid and how it is shared out, computed in one go."""
        paid = self.paid
        fee = share(paid, self.quote.fee_rate, scale_of(self.quote.currency))
        return Sums(paid, max(minus(self.expected, paid), ZERO), fee, minus(paid, fee))

    @property
    def is_confirming(self) -> bool:
        """Whether a transfer still waits for confirmations."""
        return any(self._having(TransferStatus.CONFIRMING))

    @property
    def has_confirmed(self) -> bool:
        """Whether a transfer is confirmed."""
        return any(self._having(TransferStatus.CONFIRMED))

    def _having(self, status: TransferStatus) -> Iterator[Transfer]:
        return (transfer for transfer in self.transfers if transfer.status is status)
