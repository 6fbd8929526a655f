"""What can be done to withdrawals: each command is one transaction of the dispatcher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.domain.ids import Prefix
from sender.domain.resource import Transition, Wanted
from sender.domain.sandbox import transaction_hash
from sender.domain.withdrawal import Withdrawal, WithdrawalStatus
from sender.domain.withdrawal_commands import (
    CompleteWithdrawal,
    CreateWithdrawal,
    FailWithdrawal,
    FinishCancel,
    ReviewWithdrawal,
    SignWithdrawal,
    StartCancel,
)
from sender.domain.withdrawal_transitions import transition
from sender.errors import Forbidden

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from decimal import Decimal

    from sender.dispatcher import Dispatcher, Place, Receipt
    from sender.domain.withdrawal_commands import WithdrawalCommand
    from sender.providers.paymos import Paymos


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawalRequest:
    """What a merchant asks for when it withdraws (contract §5.3); ``amount`` is in token units."""

    external_id: str
    amount: Decimal
    currency: str
    network: str
    destination_address: str
    is_test: bool = True


class Withdrawals:
    """The withdrawal commands of one simulator. Every call raises ``RequestRefused`` where the contract refuses.

    ``whitelist`` holds the addresses that money may go to. The provider asks for such a list (contract §5.3); here
    every address is allowed unless one is given.
    """

    def __init__(self, dispatcher: Dispatcher, profile: Paymos, whitelist: Collection[str] | None = None) -> None:
        self._dispatcher = dispatcher
        self._profile = profile
        self._whitelist = None if whitelist is None else frozenset(whitelist)

    async def create(self, request: WithdrawalRequest) -> Receipt:
        """Create a withdrawal and take its money from the balance, or return the one made under the same external id.

        Raises ``Conflict`` (``insufficient_balance``; ``conflict`` for an id of the other environment) and
        ``Forbidden`` (``whitelist_required``).
        """

        def decide(place: Place) -> Transition[Withdrawal]:
            self._require_listed(request.destination_address)
            command = self._command(request, place.new_id(Prefix.WITHDRAWAL))
            return transition(None, command, place.now)

        wanted = Wanted(Withdrawal.kind, "", request.external_id, request.is_test)
        return await self._dispatcher.create(wanted, decide)

    async def review(self, withdrawal_id: str) -> Receipt:
        """Hold a withdrawal for review; the provider sends nothing for that."""
        return await self._change(withdrawal_id, lambda _: ReviewWithdrawal())

    async def process(self, withdrawal_id: str) -> Receipt:
        """Sign and broadcast a withdrawal."""
        return await self._change(withdrawal_id, lambda one: SignWithdrawal(transaction_hash(one.id, 0)))

    async def complete(self, withdrawal_id: str) -> Receipt:
        """Let a withdrawal arrive: ``simulate-completion`` of the sandbox, broadcast before or not."""
        return await self._change(withdrawal_id, lambda one: CompleteWithdrawal(transaction_hash(one.id, 0)))

    async def fail(self, withdrawal_id: str) -> Receipt:
        """Let a withdrawal fail; its money returns to the balance."""
        return await self._change(withdrawal_id, lambda _: FailWithdrawal())

    async def cancel(self, withdrawal_id: str, reason: str, *, finish: bool = True) -> Receipt:
        """Call a withdrawal back before it is broadcast; without ``finish`` it is left ``cancelling``.

        One that is ``cancelling`` already is finished, so that a call cut short by a crash can be made again.
        """

        def start(withdrawal: Withdrawal, place: Place) -> Transition[Withdrawal] | None:
            if withdrawal.status is WithdrawalStatus.CANCELLING:
                return None
            return transition(withdrawal, StartCancel(reason), place.now)

        receipt = await self._dispatcher.change(Withdrawal.kind, withdrawal_id, start)
        return await self._change(withdrawal_id, lambda _: FinishCancel()) if finish else receipt

    async def _change(self, withdrawal_id: str, command_for: Callable[[Withdrawal], WithdrawalCommand]) -> Receipt:
        def decide(withdrawal: Withdrawal, place: Place) -> Transition[Withdrawal]:
            return transition(withdrawal, command_for(withdrawal), place.now)

        return await self._dispatcher.change(Withdrawal.kind, withdrawal_id, decide)

    def _command(self, request: WithdrawalRequest, withdrawal_id: str) -> CreateWithdrawal:
        return CreateWithdrawal(
            id=withdrawal_id,
            external_id=request.external_id,
            amount=request.amount,
            currency=request.currency,
            network=request.network,
            destination_address=request.destination_address,
            explorer=self._profile.catalogue.rail(request.currency, request.network).explorer,
            is_test=request.is_test,
            fee=self._profile.withdrawal_fee,
        )

    def _require_listed(self, address: str) -> None:
        if self._whitelist is not None and address not in self._whitelist:
            message = "the destination address is not on the whitelist"
            raise Forbidden(message, code="whitelist_required", field="destination_address")
