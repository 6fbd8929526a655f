"""The course of a story: no step waits for what cannot have happened, or says what will never be heard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.scenario.language.names import MAKERS
from sender.scenario.language.typed import say, typed_steps
from sender.scenario.language.values import EVENTS, EVENTS_OF

if TYPE_CHECKING:
    from sender.scenario.language.typed import TypedStep
    from sender.yamlfile import YamlFile

_BY_DEADLINE = frozenset({"invoice.expired", "invoice.underpaid"})
_BY_PAYMENT = frozenset({"invoice.confirming", "invoice.underpaid_waiting", "invoice.paid", "invoice.paid_over"})
_OF_DEPOSIT = frozenset(EVENTS_OF["deposit"])
_CAN_ANNOUNCE = {
    "pay": _BY_PAYMENT | _BY_DEADLINE,
    "transfer": _BY_PAYMENT,
    "confirm": _BY_PAYMENT | {"payment_channel.deposit.confirmed"},
    "reorg": _BY_PAYMENT | {"invoice.awaiting_payment", "payment_channel.deposit.reorged"},
    "cancel": frozenset({"invoice.cancelled", "withdrawal.cancelled"}),
    "expire": _BY_DEADLINE,
    "create_withdrawal": frozenset({"withdrawal.created"}),
    "process": frozenset({"withdrawal.processing"}),
    "complete": frozenset({"withdrawal.completed"}),
    "fail": frozenset({"withdrawal.failed"}),
    "deposit": _OF_DEPOSIT,
    "advance": _BY_DEADLINE,
}
"""The events that a step can bring about, whatever became of the resource before: more than any one of them will."""
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
        self._kinds: dict[str, str] = {}
        self._events: dict[str, frozenset[str]] = {}
        self._paid_by: dict[str, str] = {}
        self._for_ever: dict[str, int] = {}

    def wait_for_event(self, step: TypedStep) -> None:
        """Check that the event that a step names can have been announced."""
        event, named = step.text("event"), self._named(step)
        if event not in EVENTS or (named is not None and event not in EVENTS_OF.get(self._kinds.get(named, ""), ())):
            return
        resources = self._events if named is None else [named]
        if event not in self._always.union(*(self._events[name] for name in resources)):
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
        made, named = step.text("as"), self._named(step)
        kind = MAKERS.get(step.verb)
        if made is not None and kind in EVENTS_OF:
            self._kinds.setdefault(made, kind)
            self._events.setdefault(made, frozenset())
            named = made
        elif made is not None and kind == "transfer":
            self._paid_by.setdefault(made, named or _ANY)
        for name in self._events if step.verb == "advance" else [named]:
            if name in self._events:
                can = _CAN_ANNOUNCE.get(step.verb, frozenset()).intersection(EVENTS_OF[self._kinds[name]])
                self._events[name] = self._events[name] | can

    def _named(self, step: TypedStep) -> str | None:
        """Return the resource that a step is about; that of a transfer is its invoice."""
        transfer = step.text("transfer")
        if transfer is not None:
            return self._paid_by.get(transfer, transfer)
        return next((name for kind in EVENTS_OF if (name := step.text(kind)) is not None), None)
