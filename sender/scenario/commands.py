"""Commands on single transfers, withdrawals, channels and deposits, asked again when the API dies in one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sender.dispatch_child import Call
from sender.domain.deposit import Deposit, DepositStatus
from sender.domain.withdrawal import WithdrawalStatus
from sender.scenario.api import transfers_seen
from sender.store import resources

if TYPE_CHECKING:
    from decimal import Decimal

    from sender.scenario.api import Api
    from sender.withdrawals import WithdrawalRequest


async def see_transfer(api: Api, invoice_id: str, amount: Decimal) -> str:
    """Let a transfer be seen, which bodies list; return its transaction."""
    before = transfers_seen(await api.invoice(invoice_id))
    call = Call("pay", (invoice_id, amount), {"confirm": False, "simulated": False})

    async def again() -> Call | None:
        return call if transfers_seen(await api.invoice(invoice_id)) == before else None

    await api.ask(call, again)
    payment = (await api.invoice(invoice_id)).payment
    if payment is None:
        raise AssertionError(f"invoice {invoice_id} took a transfer and has no payment")
    return payment.transfers[-1].tx_hash


async def confirm(api: Api, invoice_id: str, tx_hashes: tuple[str, ...] | None = None) -> None:
    """Give transfers of an invoice their confirmations."""
    await change(api, Call("confirm", (invoice_id, tx_hashes)), invoice_id)


async def reorg(api: Api, invoice_id: str, tx_hashes: tuple[str, ...] | None = None) -> None:
    """Take transfers of an invoice off the chain."""
    await change(api, Call("reorg", (invoice_id, tx_hashes)), invoice_id)


async def create_withdrawal(api: Api, request: WithdrawalRequest) -> str:
    """Create a withdrawal and return its id; the same external id again finds it."""
    return await _create(api, Call("create", (request,), service="withdrawals"))


async def open_channel(api: Api, project_id: str, external_id: str, customer_fee_percent: int) -> str:
    """Open a channel and return its id; the same external id again finds it."""
    named = {"customer_fee_percent": customer_fee_percent}
    return await _create(api, Call("open", (project_id, external_id), named, service="channels"))


async def move_withdrawal(api: Api, method: str, withdrawal_id: str) -> None:
    """Let one of ``review``, ``process``, ``complete`` and ``fail`` happen to a withdrawal."""
    await change(api, Call(method, (withdrawal_id,), service="withdrawals"), withdrawal_id)


async def cancel_withdrawal(api: Api, withdrawal_id: str, reason: str) -> None:
    """Call a withdrawal back; one whose call back was cut short is called back again."""
    call = Call("cancel", (withdrawal_id, reason), service="withdrawals")

    async def again() -> Call | None:
        return None if (await load(api, withdrawal_id)).status is WithdrawalStatus.CANCELLED else call

    await api.ask(call, again)


async def move_channel(api: Api, method: str, channel_id: str) -> None:
    """Let ``block`` or ``unblock`` happen to a channel; nobody is told, so no crash point is met."""
    await getattr(api.simulator.channels, method)(channel_id)


async def deposit(api: Api, channel_id: str, amount: Decimal, currency: str, network: str, stage: DepositStatus) -> str:
    """Let money arrive in a channel, seen first and then as the stage says; return the deposit's id."""
    given = (channel_id, amount, currency, network, DepositStatus.CONFIRMING)
    call, before = Call("deposit", given, service="channels"), await _newest_deposit(api)

    async def again() -> Call | None:
        return call if await _newest_deposit(api) == before else None

    receipt = await api.ask(call, again)
    deposit_id = str(receipt.resource.id if receipt is not None else await _newest_deposit(api))
    if stage is not DepositStatus.CONFIRMING:
        await api.simulator.conductor.quiet()
        await move_deposit(api, "confirm" if stage is DepositStatus.CONFIRMED else "reorg", deposit_id)
    return deposit_id


async def move_deposit(api: Api, method: str, deposit_id: str) -> None:
    """Let ``confirm`` or ``reorg`` happen to a deposit."""
    await change(api, Call(method, (deposit_id,), service="channels"), deposit_id)


async def change(api: Api, call: Call, resource_id: str) -> None:
    """Ask for a change until the resource has changed."""
    before = await load(api, resource_id)

    async def again() -> Call | None:
        return call if await load(api, resource_id) == before else None

    await api.ask(call, again)


async def load(api: Api, resource_id: str) -> Any:
    """Return a resource of any kind as it stands."""
    async with api.simulator.database.read() as session:
        return await resources.load(session, resource_id)


async def _create(api: Api, call: Call) -> str:
    async def again() -> Call:
        return call

    receipt = await api.ask(call, again)
    if receipt is None:
        raise AssertionError(f"{call.method} is asked for until it answers")
    return str(receipt.resource.id)


async def _newest_deposit(api: Api) -> str | None:
    async with api.simulator.database.read() as session:
        return await resources.newest(session, Deposit.kind)
