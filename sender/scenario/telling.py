"""Steps in words, one short line each, for the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sender.durations import format_duration, format_instant

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.scenario.language import Step
    from sender.scenario.language.endpoints import Endpoint, Resend
    from sender.scenario.language.expectations import Expect
    from sender.scenario.language.faults import Crash, On, Receiver, Wire
    from sender.scenario.language.moves import Advance
    from sender.scenario.language.resources import ConfirmPayment, CreateInvoice, Pay


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


def _of_endpoint(step: Any) -> str:
    return step.endpoint or "the endpoint"


def _endpoint(step: Endpoint) -> str:
    return f"{step.name} at {step.url or 'the receiver'}"


def _resend(step: Resend) -> str:
    return f"{step.event}{f' of {step.invoice}' if step.invoice else ''}"


def _advance(step: Advance) -> str:
    if step.by is not None:
        return format_duration(step.by)
    if step.to is not None:
        since = format_duration(step.to.value) if step.to.since_start else format_instant(step.to.value)
        return f"to {since}"
    return f"until {step.until}{_about(step.event, step.invoice)}"


def _crash(step: Crash) -> str:
    return f"{step.at}{_on(step.on)}{_times(step.times)}"


def _wire(step: Wire) -> str:
    return f"{step.fault}{_on(step.on)}{_times(step.times)}"


def _receiver(step: Receiver) -> str:
    if step.forgets:
        return "answers as it would"
    what = [f"answers {step.status}"] if step.status else []
    what += [f"does {step.fault}"] if step.fault else []
    what += [f"takes {format_duration(step.delay)}"] if step.delay else []
    event = f" to {step.event}" if step.event else ""
    return f"{', '.join(what)}{event}{_times(step.times or 1)}"


def _expect(step: Expect) -> str:
    return _about(step.event, step.invoice).removeprefix(" ") or _of_endpoint(step)


def _about(event: str | None, invoice: str | None) -> str:
    named = f" {event}" if event else ""
    return f"{named}{' of' if event else ''} {invoice}" if invoice else named


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
    "cancel": _of_invoice,
    "expire": _of_invoice,
    "endpoint": _endpoint,
    "resend": _resend,
    "advance": _advance,
    "crash": _crash,
    "restart": lambda _: "the relay",
    "wire": _wire,
    "receiver": _receiver,
    "expect": _expect,
}
