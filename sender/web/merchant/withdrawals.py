"""The operations on withdrawals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.domain.money import parse_amount
from sender.web.merchant.bodies import ReasonBody, WithdrawalBody
from sender.web.merchant.operation import Nothing, Operation, Reply
from sender.web.merchant.queries import WithdrawalQuery
from sender.withdrawals import WithdrawalRequest

if TYPE_CHECKING:
    from sender.dispatcher import Receipt
    from sender.providers.paymos import Paymos
    from sender.web.merchant.operation import Ask
    from sender.web.merchant.shelf import Shelf
    from sender.withdrawals import Withdrawals


class WithdrawalApi:
    """Create, get, list, cancel, simulate."""

    def __init__(self, withdrawals: Withdrawals, shelf: Shelf, profile: Paymos) -> None:
        self._withdrawals = withdrawals
        self._shelf = shelf
        self._profile = profile

    def operations(self) -> tuple[Operation, ...]:
        """Return the operations, in the order of contract §5.2."""
        one = "/v1/withdrawals/{id}"
        return (
            Operation(name="createWithdrawal", method="POST", path="/v1/withdrawals", key="payout", handle=self.create,
                      summary="Pay out, or get the withdrawal made under the same external_order_id",
                      body=WithdrawalBody, answer="Withdrawal", creates=True, refusals=(409,)),
            Operation(name="getWithdrawal", method="GET", path=one, key="payout", handle=self.get,
                      summary="Get a withdrawal", answer="Withdrawal"),
            Operation(name="listWithdrawals", method="GET", path="/v1/withdrawals", key="payout", handle=self.list,
                      summary="List withdrawals, newest first", query=WithdrawalQuery, answer="WithdrawalPage"),
            Operation(name="cancelWithdrawal", method="POST", path=f"{one}/cancel", key="payout", handle=self.cancel,
                      summary="Call a withdrawal back", body=ReasonBody, answer="Withdrawal", refusals=(409,)),
            Operation(name="simulateCompletion", method="POST",
                      path="/v1/sandbox/withdrawals/{id}/simulate-completion", key="payout", sandbox=True,
                      handle=self.simulate, summary="Complete a sandbox withdrawal", answer="Withdrawal",
                      refusals=(409,)),
        )  # fmt: skip

    async def create(self, ask: Ask[WithdrawalBody, Nothing]) -> Reply:
        """Create a withdrawal; one that is there already is returned as it stands."""
        wish = ask.body
        request = WithdrawalRequest(
            external_id=wish.external_order_id,
            amount=parse_amount(wish.amount, wish.currency),
            currency=wish.currency,
            network=wish.network,
            destination_address=wish.destination_address,
            is_test=ask.caller.is_test,
        )
        return self._reply(await self._withdrawals.create(request))

    async def get(self, ask: Ask[Nothing, Nothing]) -> Reply:
        """Get a withdrawal."""
        return Reply(await self._shelf.show("withdrawal", ask.id, ask.caller))

    async def list(self, ask: Ask[Nothing, WithdrawalQuery]) -> Reply:
        """List withdrawals."""
        return Reply(await self._shelf.page(ask.query.listed("withdrawal", is_test=ask.caller.is_test)))

    async def cancel(self, ask: Ask[ReasonBody, Nothing]) -> Reply:
        """Call a withdrawal back."""
        await self._shelf.require("withdrawal", ask.id, ask.caller)
        return self._reply(await self._withdrawals.cancel(ask.id, ask.body.reason))

    async def simulate(self, ask: Ask[Nothing, Nothing]) -> Reply:
        """Complete a withdrawal."""
        await self._shelf.require("withdrawal", ask.id, ask.caller)
        return self._reply(await self._withdrawals.complete(ask.id))

    def _reply(self, receipt: Receipt) -> Reply:
        return Reply(self._profile.resource(receipt.resource), created=receipt.created)
