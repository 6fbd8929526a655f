"""What may be asked of a withdrawal, as values. What becomes of it is decided in ``withdrawal_transitions``."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateWithdrawal:
    """Take money from the balance and send it to an address; ``explorer`` stands before the hash in a link."""

    id: str
    external_id: str
    amount: Decimal
    currency: str
    network: str
    destination_address: str
    explorer: str
    is_test: bool = True
    fee: Decimal | None = None


@dataclass(frozen=True, slots=True)
class ReviewWithdrawal:
    """A person at the provider shall look at it first."""


@dataclass(frozen=True, slots=True)
class SignWithdrawal:
    """The transaction is signed and broadcast."""

    tx_hash: str


@dataclass(frozen=True, slots=True)
class CompleteWithdrawal:
    """The money arrived; ``tx_hash`` is used if it was never broadcast before, which only a sandbox can skip."""

    tx_hash: str


@dataclass(frozen=True, slots=True)
class FailWithdrawal:
    """It cannot be carried out; the money returns."""


@dataclass(frozen=True, slots=True)
class StartCancel:
    """The merchant calls it back."""

    reason: str


@dataclass(frozen=True, slots=True)
class FinishCancel:
    """It was called back in time; the money returns."""


WithdrawalCommand = (
    CreateWithdrawal
    | ReviewWithdrawal
    | SignWithdrawal
    | CompleteWithdrawal
    | FailWithdrawal
    | StartCancel
    | FinishCancel
)
