"""What the steps of the chain, of withdrawals and of channels do: they move money, and the endpoint learns of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sender.providers.paymos_addresses import address_for
from sender.scenario import commands
from sender.scenario.play import Seen
from sender.withdrawals import WithdrawalRequest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.scenario.language import chain, channels, resources, withdrawals
    from sender.scenario.play import Play


async def transfer(play: Play, step: chain.Transfer) -> None:
    """Let a transfer be seen, and confirmed at once when it has its confirmations."""
    invoice_id = play.id_of(step.invoice)
    tx_hash = await commands.see_transfer(play.api, invoice_id, step.amount)
    if step.name is not None:
        play.transfers[step.name] = Seen(invoice_id, tx_hash)
    payment = (await play.api.invoice(invoice_id)).payment
    if payment is not None and step.confirmations >= payment.quote.required_confirmations:
        # It is news for the receiver first, as on a chain that takes minutes.
        await play.simulator.conductor.quiet()
        await commands.confirm(play.api, invoice_id, (tx_hash,))


async def confirm(play: Play, step: chain.Confirm) -> None:
    """Confirm a transfer, a deposit, or all that an invoice has on chain."""
    if step.deposit is not None:
        await commands.move_deposit(play.api, "confirm", play.id_of(step.deposit))
    else:
        await commands.confirm(play.api, *_on_chain(play, step))


async def reorg(play: Play, step: chain.Reorg) -> None:
    """Take a transfer, a deposit, or all that an invoice has on chain off it."""
    if step.deposit is not None:
        await commands.move_deposit(play.api, "reorg", play.id_of(step.deposit))
    else:
        await commands.reorg(play.api, *_on_chain(play, step))


def _on_chain(play: Play, step: chain.Confirm | chain.Reorg) -> tuple[str, tuple[str, ...] | None]:
    if step.transfer is not None:
        seen = play.transfers[step.transfer]
        return seen.invoice_id, (seen.tx_hash,)
    return play.id_of(step.name_of_chosen), None


async def cancel(play: Play, step: resources.Cancel) -> None:
    """Cancel an invoice, or call back a withdrawal."""
    resource_id = play.id_of(step.name_of_chosen)
    if step.chosen == "invoice":
        await play.api.cancel(resource_id, step.reason)
    else:
        await commands.cancel_withdrawal(play.api, resource_id, step.reason)


async def create_withdrawal(play: Play, step: withdrawals.CreateWithdrawal) -> None:
    """Create a withdrawal under its name."""
    rail = play.simulator.profile.catalogue.rail(step.currency, step.network)
    request = WithdrawalRequest(
        external_id=step.order_id,
        amount=step.amount,
        currency=step.currency,
        network=step.network,
        destination_address=step.address or address_for(rail.family, f"{step.name}/destination"),
    )
    withdrawal_id = await commands.create_withdrawal(play.api, request)
    play.add(step.name, "withdrawal", withdrawal_id, step.order_id)


async def create_channel(play: Play, step: channels.CreateChannel) -> None:
    """Open a channel under its name."""
    project_id = step.project or play.project_id
    channel_id = await commands.open_channel(play.api, project_id, step.own_id, step.customer_fee_percent)
    play.add(step.name, "channel", channel_id, step.own_id)


async def deposit(play: Play, step: channels.Deposit) -> None:
    """Let money arrive in a channel, under the name of the deposit."""
    channel_id = play.id_of(step.channel)
    deposit_id = await commands.deposit(play.api, channel_id, step.amount, step.currency, step.network, step.stage)
    play.add(step.name, "deposit", deposit_id, deposit_id)


async def _move_withdrawal(method: str, play: Play, step: Any) -> None:
    await commands.move_withdrawal(play.api, method, play.id_of(step.withdrawal))


async def _move_channel(method: str, play: Play, step: Any) -> None:
    await commands.move_channel(play.api, method, play.id_of(step.channel))


MONEY_ACTIONS: dict[str, Callable[[Play, Any], Awaitable[None]]] = {
    "transfer": transfer,
    "confirm": confirm,
    "reorg": reorg,
    "cancel": cancel,
    "create_withdrawal": create_withdrawal,
    **{verb: partial(_move_withdrawal, verb) for verb in ("review", "process", "complete", "fail")},
    "create_channel": create_channel,
    **{verb: partial(_move_channel, verb) for verb in ("block", "unblock")},
    "deposit": deposit,
}
