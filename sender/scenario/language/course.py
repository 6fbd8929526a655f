"""The course of a story: no step waits for what cannot have happened, or says what will never be heard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.scenario.language.typed import say, typed_steps
from sender.scenario.language.values import INVOICE_EVENTS

if TYPE_CHECKING:
    from sender.scenario.language.typed import TypedStep
    from sender.yamlfile import YamlFile

_BY_DEADLINE = frozenset({"invoice.expired", "invoice.underpaid"})
_BY_PAYMENT = frozenset({"invoice.confirming", "invoice.underpaid_waiting", "invoice.paid", "invoice.paid_over"})
_CAN_ANNOUNCE = {
    "pay": _BY_PAYMENT | _BY_DEADLINE,
    "cancel": frozenset({"invoice.cancelled"}),
    "expire": _BY_DEADLINE,
    "advance": _BY_DEADLINE,
}
"""The events that a step can bring about, whatever became of the invoice before: more than any one of them will."""
_ANY = ""


def check_course(file: YamlFile) -> None:
    """Note every step that can never work, or never have an effect, where it stands."""
    course = _Course(file)
    for step in typed_steps(file):
        if step.verb in {"resend", "advance"}:
            course.wait_for_event(step)
        if step.verb == "receiver":
            course.answer(step)
        course.go_on(step)


class _Course:
    """What can have happened up to one step."""

    def __init__(self, file: YamlFile) -> None:
        self._file = file
        # On a clock that moves by itself a deadline passes between any two steps.
        self._always = frozenset() if file.data.get("clock", "manual") == "manual" else _BY_DEADLINE
        self._events: dict[str, frozenset[str]] = {}
        self._for_ever: dict[str, int] = {}

    def wait_for_event(self, step: TypedStep) -> None:
        """Check that the event that a step names can have been announced."""
        event, invoice = step.text("event"), step.text("invoice")
        if event not in INVOICE_EVENTS or (invoice is not None and invoice not in self._events):
            return
        invoices = self._events if invoice is None else [invoice]
        if event not in self._always.union(*(self._events[name] for name in invoices)):
            before = ", ".join(verb for verb, events in _CAN_ANNOUNCE.items() if event in events)
            remedy = f"a step that brings it about comes before it: {before}" if before else "no step brings it about"
            say(self._file, (*step.path, "event"), f"there can be no {event} here; {remedy}")

    def answer(self, step: TypedStep) -> None:
        """Check that an answer of the receiver can be given at all: scripts are used in their order."""
        event = step.text("event") or _ANY
        earlier = self._for_ever.get(_ANY) or self._for_ever.get(event)
        if step.fields and earlier:
            sentence = f"this answer is never given, as step {earlier} answers for ever"
            say(self._file, step.path, f"{sentence}; put receiver: ok before this step, or times into that one")
        if not step.fields:
            self._for_ever.clear()
        elif "times" not in step.fields:
            self._for_ever.setdefault(event, step.number)

    def go_on(self, step: TypedStep) -> None:
        """Take in what a step can bring about."""
        name, events = step.text("invoice"), _CAN_ANNOUNCE.get(step.verb, frozenset())
        if step.verb == "create_invoice":
            self._events.setdefault(step.text("as") or _ANY, frozenset())
        for invoice in self._events if step.verb == "advance" else [name]:
            if invoice in self._events:
                self._events[invoice] = self._events[invoice] | events
