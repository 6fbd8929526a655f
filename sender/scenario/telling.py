"""Steps in words, one short line each, for the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sender.durations import format_duration, format_instant

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.scenario.language import Step
    from sender.scenario.language.chain import Transfer
    from sender.scenario.language.channels import CreateChannel, Deposit
    from sender.scenario.language.endpoints import Edit, Endpoint, Resend
    from sender.scenario.language.expectations import Expect
    from sender.scenario.language.faults import Crash, On, Receiver
    from sender.scenario.language.moves import Advance
    from sender.scenario.language.part import OneOf
    from sender.scenario.language.resources import ConfirmPayment, CreateInvoice, Pay
    from sender.scenario.language.subject import AboutEvents
    from sender.scenario.language.wire import Wire
    from sender.scenario.language.withdrawals import CreateWithdrawal


def told(step: Step) -> str:
    """Return what a step does, behind its verb."""
    tell = _TELLERS.get(step.verb, _of_endpoint)
    return tell(step.action)


def _create(step: CreateInvoice) -> str:
    return f"{step.name}, {step.amount} {step.currency}"


def _confirm(step: ConfirmPayment) -> str:
    return f"{step.invoice} with {step.currency} on {step.network}"


def _pay(step: Pay) -> str:
    return f"{step.invoice}, {step.amount}" if step.amount is not None else f"{step.invoice}, {step.outcome}"


def _of_invoice(step: Any) -> str:
    return str(step.invoice)


def _of_withdrawal(step: Any) -> str:
    return str(step.withdrawal)


def _of_channel(step: Any) -> str:
    return str(step.channel)


def _chosen(step: OneOf) -> str:
    return step.name_of_chosen


def _transfer(step: Transfer) -> str:
    confirmed = f", {step.confirmations} confirmations" if step.confirmations else ""
    return f"{step.amount} to {step.invoice}{f' as {step.name}' if step.name else ''}{confirmed}"


def _withdrawal(step: CreateWithdrawal) -> str:
    return f"{step.name}, {step.amount} {step.currency} on {step.network}"


def _channel(step: CreateChannel) -> str:
    return step.name


def _deposit(step: Deposit) -> str:
    return f"{step.name}, {step.amount} {step.currency} on {step.network} to {step.channel}, {step.stage}"


def _of_endpoint(step: Any) -> str:
    return step.endpoint or "the endpoint"


def _endpoint(step: Endpoint) -> str:
    return f"{step.name} at {step.url or 'the receiver'}"


def _edit(step: Edit) -> str:
    values = {"url": step.url, "project": step.project, "categories": ", ".join(step.categories or ())}
    changed = ", ".join(f"{name} {value}" for name, value in values.items() if value)
    return f"{_of_endpoint(step)}: {changed}"


def _resend(step: Resend) -> str:
    return f"{_about(step).removeprefix(' ')}{f' to {step.endpoint}' if step.endpoint else ''}"


def _advance(step: Advance) -> str:
    if step.by is not None:
        return format_duration(step.by)
    if step.to is not None:
        since = format_duration(step.to.value) if step.to.since_start else format_instant(step.to.value)
        return f"to {since}"
    return f"until {step.until}{f' {step.attempt}' if step.attempt else ''}{_about(step)}"


def _crash(step: Crash) -> str:
    return f"{step.at}{_on(step.on)}{_times(step.times)}"


def _wire(step: Wire) -> str:
    own = "".join(f", {name} {value}" for name, value in step.params.items())
    return f"{step.fault}{own}{_on(step.on)}{_times(step.times)}"


def _receiver(step: Receiver) -> str:
    if step.forgets:
        return "answers as it would"
    what = [f"answers {step.status}"] if step.status else []
    what += [f"does {step.fault}"] if step.fault else []
    what += [f"takes {format_duration(step.delay)}"] if step.delay else []
    what += [f"{'handles it' if step.handled else 'does not handle it'}"] if step.handled is not None else []
    event = f" to {step.event}" if step.event else ""
    return f"{', '.join(what)}{event}{_times(step.times or 1)}"


def _expect(step: Expect) -> str:
    return _about(step).removeprefix(" ") or step.channel or _of_endpoint(step)


def _about(step: AboutEvents) -> str:
    named = f" {step.event}" if step.event else ""
    return f"{named}{' of' if step.event else ''} {step.subject.name}" if step.subject else named


def _on(on: On) -> str:
    parts = [on.event or "", f"attempt {on.attempt}" if on.attempt else "", f"at {on.endpoint}" if on.endpoint else ""]
    said = ", ".join(filter(None, parts))
    return f" on {said}" if said else ""


def _times(times: int) -> str:
    return f", {times} times" if times > 1 else ""


_TELLERS: dict[str, Callable[[Any], str]] = {
    "create_invoice": _create,
    "confirm_payment": _confirm,
    "pay": _pay,
    "transfer": _transfer,
    "confirm": _chosen,
    "reorg": _chosen,
    "cancel": _chosen,
    "expire": _of_invoice,
    "create_withdrawal": _withdrawal,
    **dict.fromkeys(("review", "process", "complete", "fail"), _of_withdrawal),
    "create_channel": _channel,
    **dict.fromkeys(("block", "unblock"), _of_channel),
    "deposit": _deposit,
    "endpoint": _endpoint,
    "edit": _edit,
    "resend": _resend,
    "advance": _advance,
    "crash": _crash,
    "restart": lambda _: "the relay",
    "wire": _wire,
    "receiver": _receiver,
    "expect": _expect,
}
