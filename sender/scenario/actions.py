"""What each step does to the simulator and to the receiver; the step ``expect`` is in ``expectations``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sender.domain.fault import Fault, FaultMatch
from sender.durations import SECOND
from sender.invoices import Order
from sender.scenario.language.moves import Until
from sender.scenario.money_actions import MONEY_ACTIONS
from sender.store import reads
from sender.subscriptions import NewEndpoint

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.scenario.language import endpoints, faults, moves, resources
    from sender.scenario.language.wire import Wire
    from sender.scenario.play import Play
    from sender.store.engine import Session
    from sender.store.reads import EventView


async def create_invoice(play: Play, step: resources.CreateInvoice) -> None:
    """Create an invoice under its name."""
    order = Order(
        project_id=step.project or play.project_id,
        external_id=step.order_id,
        amount=step.amount,
        currency=step.currency,
        client_id=step.client_id,
        network=step.network,
        allow_multiple_payments=step.allow_multiple_payments,
    )
    receipt = await play.api.create(order)
    play.add(step.name, "invoice", receipt.resource.id, step.order_id)


async def confirm_payment(play: Play, step: resources.ConfirmPayment) -> None:
    """Choose token and network for the buyer."""
    await play.api.choose_network(play.id_of(step.invoice), step.currency, step.network)


async def pay(play: Play, step: resources.Pay) -> None:
    """Pay an amount, or drive the invoice to its outcome."""
    invoice_id = play.id_of(step.invoice)
    if step.outcome is not None:
        await play.api.reach(invoice_id, step.outcome)
    elif step.amount is not None:
        await play.api.pay(invoice_id, step.amount)


async def expire(play: Play, step: resources.Expire) -> None:
    """End an invoice as its deadline would."""
    await play.api.expire(play.id_of(step.invoice))


async def add_endpoint(play: Play, step: endpoints.Endpoint) -> None:
    """Subscribe an address; where none is given, the receiver under test, which is told the secret."""
    secret = step.secret.get_secret_value() if step.secret else None
    leads_to_receiver = step.url in {None, play.target.url}
    if leads_to_receiver and play.receiver is None:
        secret = secret or play.target.secret
    wanted = NewEndpoint(url=step.url or play.target.url, secret=secret, project_id=step.project)
    if step.categories is not None:
        wanted = NewEndpoint(url=wanted.url, secret=secret, project_id=step.project, categories=tuple(step.categories))
    added = await play.simulator.subscriptions.add(wanted)
    play.endpoints[step.name] = added.id
    if leads_to_receiver and play.receiver is not None:
        play.believed.append(added.secret)
        await play.receiver.trust(play.believed)


async def edit(play: Play, step: endpoints.Edit) -> None:
    """Change what is given of an endpoint."""
    changes: dict[str, Any] = {"url": step.url, "categories": step.categories, "project_id": step.project}
    given = {name: value for name, value in changes.items() if value is not None}
    await play.simulator.subscriptions.edit(play.endpoint_id(step.endpoint), **given)


async def suspend(play: Play, step: endpoints.Suspend) -> None:
    """Suspend an endpoint."""
    await play.simulator.subscriptions.suspend(play.endpoint_id(step.endpoint))


async def resume(play: Play, step: endpoints.Resume) -> None:
    """Resume an endpoint."""
    await play.simulator.subscriptions.resume(play.endpoint_id(step.endpoint))


async def delete(play: Play, step: endpoints.Delete) -> None:
    """Delete an endpoint."""
    await play.simulator.subscriptions.delete(play.endpoint_id(step.endpoint))


async def rotate_secret(play: Play, step: endpoints.RotateSecret) -> None:
    """Give an endpoint a new secret; the receiver goes on with the one it was configured with."""
    await play.simulator.subscriptions.rotate(play.endpoint_id(step.endpoint))


async def resend(play: Play, step: endpoints.Resend) -> None:
    """Resend the last event of a type, for one endpoint or for each."""
    async with play.simulator.database.read() as session:
        about = play.subject(step)
        every = await reads.events(session, about.id if about else None)
    wanted = [one for one in every if one.event_type == step.event]
    if step.endpoint is not None:
        wanted = [one for one in wanted if one.endpoint_id == play.endpoints[step.endpoint]]
    latest = {one.endpoint_id: one for one in wanted}
    for one in latest.values():
        await play.simulator.subscriptions.resend(one.event_id)


async def advance(play: Play, step: moves.Advance) -> None:
    """Move time by, to, or until."""
    conductor = play.simulator.conductor
    if step.until is not None:
        done = _all_settled(play, step)
        move = conductor.advance_until_idle if step.until is Until.IDLE else partial(conductor.advance_until, done)
    else:
        # To an instant in each case: a move that is interrupted goes on from where it stands.
        target = step.to.at(play.start) if step.to else await conductor.now() + (step.by or 0)
        move = partial(conductor.advance_to, target)
    await play.through_deaths(move)


def _all_settled(play: Play, step: moves.Advance) -> Callable[[Session], Awaitable[bool]]:
    resource_id = play.id_of(step.subject.name) if step.subject else None

    def waited_for(one: EventView) -> bool:
        named = one.event_type == (step.event or one.event_type)
        return named and one.state == "pending" and one.attempts < (step.attempt or one.attempts + 1)

    async def done(session: Session) -> bool:
        return not any(map(waited_for, await reads.events(session, resource_id)))

    return done


async def crash(play: Play, step: faults.Crash) -> None:
    """Arm a crash point."""
    await play.simulator.subscriptions.arm(Fault("crash", step.at.value, _match(play, step.on), {}, step.times))


async def wire(play: Play, step: Wire) -> None:
    """Arm a wire fault."""
    play.copies = max(play.copies, step.copies or 1)
    fault = Fault("wire", step.fault.value, _match(play, step.on), step.params, step.times)
    await play.simulator.subscriptions.arm(fault)


def _match(play: Play, on: faults.On) -> FaultMatch:
    return FaultMatch(on.event, None, play.endpoints[on.endpoint] if on.endpoint else None, on.attempt)


async def restart(play: Play, _step: faults.Restart) -> None:
    """Kill the relays; others take over."""
    await play.simulator.relays.restart()


async def receiver(play: Play, step: faults.Receiver) -> None:
    """Script the reference receiver, or let it forget its scripts."""
    reference = play.reference()
    if step.forgets:
        await reference.forget_scripts()
        return
    script = {
        "status": step.status,
        "delay": None if step.delay is None else step.delay / SECOND,
        "fault": None if step.fault is None else step.fault.value,
        "times": step.times,
        "event_type": step.event,
        "process": step.handled,
    }
    await reference.script({name: value for name, value in script.items() if value is not None})


ACTIONS: dict[str, Callable[[Play, Any], Awaitable[None]]] = {
    "create_invoice": create_invoice,
    "confirm_payment": confirm_payment,
    "pay": pay,
    "expire": expire,
    **MONEY_ACTIONS,
    "endpoint": add_endpoint,
    "edit": edit,
    "suspend": suspend,
    "resume": resume,
    "delete": delete,
    "rotate_secret": rotate_secret,
    "resend": resend,
    "advance": advance,
    "crash": crash,
    "restart": restart,
    "wire": wire,
    "receiver": receiver,
}

AT_ONCE = frozenset(
    {"create_invoice", "confirm_payment", "pay", "cancel", "expire", "create_withdrawal", "create_channel", "restart"}
)
"""Verbs that may find deliveries under way; every other one waits until nothing is due or in flight."""
