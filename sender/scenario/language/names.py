"""Names: each is given once, before it is used, and means what it is used for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sender.scenario.language.endpoints import DEFAULT_ENDPOINT
from sender.scenario.language.expectations import OF_EVENT
from sender.scenario.language.subject import kind_of, with_article
from sender.scenario.language.typed import say, typed_steps
from sender.scenario.language.values import EVENTS, MAX_ENTRIES
from sender.suggest import nearest, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sender.scenario.language.typed import TypedStep
    from sender.yamlfile import KeyPath, YamlFile

MAKERS = {
    "create_invoice": "invoice",
    "create_withdrawal": "withdrawal",
    "create_channel": "channel",
    "deposit": "deposit",
    "transfer": "transfer",
    "endpoint": "endpoint",
}
"""The verbs that give a name, and what it is the name of."""
_OF_ONE_ENDPOINT = frozenset({"edit", "suspend", "resume", "delete", "rotate_secret"})
_ASKS_ONE_ENDPOINT = frozenset({*OF_EVENT, "arrived", "endpoint_status"})
_MOST_LISTED = 14
_HOW_TO_MAKE = {
    "invoice": "make one before, as in create_invoice: {as: order, amount: 11.05, currency: USD}",
    "withdrawal": "make one before, as in create_withdrawal: {as: payout, amount: 25, currency: USDT, network: TRC20}",
    "channel": "open one before, as in create_channel: {as: ann}",
    "deposit": "let one arrive before, as in deposit: {as: gift, channel: ann, amount: 20, currency: USDT, …}",
    "transfer": "let one be seen before, as in transfer: {as: first, invoice: order, amount: 5}",
    "endpoint": "add one before, as in endpoint: {as: shop}",
}


@dataclass(frozen=True, slots=True)
class _Given:
    """What a name means, and the number of the step that gave it (0: there from the start)."""

    kind: str
    step: int


def check_names(file: YamlFile) -> None:
    """Note every name that is given twice, or used where it means nothing (yet, or any more)."""
    steps = list(typed_steps(file))
    cast = _Cast(file, steps)
    for step in steps:
        for path, kind, name in _references(step):
            cast.use(path, kind, name, deleted_too=step.verb == "expect")
        for kind in _left_out(step):
            cast.use_the_only(step.path, kind, deleted_too=step.verb == "expect")
        cast.give(step)
        if step.verb == "delete":
            cast.delete(step)


class _Cast:
    """Who is known at one step of the story."""

    def __init__(self, file: YamlFile, steps: Iterable[TypedStep]) -> None:
        self._file = file
        self._known: dict[str, _Given] = {}
        self._deleted: dict[str, int] = {}
        self._later = [(name, _Given(MAKERS[step.verb], step.number)) for step in steps for name in _made_by(step)]
        self._open()

    def _open(self) -> None:
        listed = self._file.data.get("endpoints")
        if not isinstance(listed, list) or not listed:
            self._known[DEFAULT_ENDPOINT] = _Given("endpoint", 0)
            return
        for index, entry in enumerate(listed[:MAX_ENTRIES]):
            name = entry.get("as") if isinstance(entry, dict) else None
            if isinstance(name, str):
                self._add(("endpoints", index, "as"), name, _Given("endpoint", 0))

    def give(self, step: TypedStep) -> None:
        """Take in the name that a step gives, if it gives one."""
        for name in _made_by(step):
            self._add((*step.path, "as"), name, _Given(MAKERS[step.verb], step.number))

    def delete(self, step: TypedStep) -> None:
        """Note that an endpoint is gone."""
        name = step.text("endpoint") or next(iter(self._of("endpoint")), "")
        self._deleted.setdefault(name, step.number)

    def use(self, path: KeyPath, kind: str, name: str, *, deleted_too: bool) -> None:
        """Check one use of a name."""
        given = self._known.get(name)
        if given is None:
            say(self._file, path, f"there is no {kind} named {shown(name)}; {self._instead(kind, name)}")
        elif given.kind != kind:
            what = f"{with_article(given.kind)} and not {with_article(kind)}"
            say(self._file, path, f"{shown(name)} is {what}; {self._listed(kind)}")
        elif name in self._deleted and not deleted_too:
            sentence = (
                f"the endpoint {shown(name)} is deleted in step {self._deleted[name]}; move this step before that"
            )
            say(self._file, path, sentence)

    def use_the_only(self, path: KeyPath, kind: str, *, deleted_too: bool) -> None:
        """Check a use where the name is left out, which it may be where there is nothing to choose."""
        names = self._of(kind)
        if len(names) == 1:
            self.use(path, kind, names[0], deleted_too=deleted_too)
        else:
            say(self._file, path, f"which {kind} is meant is not said; {self._listed(kind)}")

    def _add(self, path: KeyPath, name: str, given: _Given) -> None:
        before = self._known.setdefault(name, given)
        if before is not given:
            where = f"given in step {before.step}" if before.step else "there from the start"
            say(self._file, path, f"the name {shown(name)} is {where} already; choose another")

    def _of(self, kind: str) -> list[str]:
        return [name for name, given in self._known.items() if given.kind == kind]

    def _instead(self, kind: str, name: str) -> str:
        for later, given in self._later:
            if later == name and given.kind == kind:
                return f"it is made in step {given.step}, so this step must come after that"
        near = nearest(name, self._of(kind))
        return f"did you mean {near!r}?" if near else self._listed(kind)

    def _listed(self, kind: str) -> str:
        names = self._of(kind)
        rest = ", …" if len(names) > _MOST_LISTED else ""
        return f"name one of {', '.join(names[:_MOST_LISTED])}{rest}" if names else _HOW_TO_MAKE[kind]


def _made_by(step: TypedStep) -> list[str]:
    name = step.text("as")
    return [name] if name is not None and step.verb in MAKERS else []


def _references(step: TypedStep) -> Iterator[tuple[KeyPath, str, str]]:
    on = step.fields.get("on")
    for kind in _HOW_TO_MAKE:
        name = step.text(kind)
        if name is not None:
            yield (*step.path, kind), kind, name
    endpoint = on.get("endpoint") if isinstance(on, dict) else None
    if isinstance(endpoint, str):
        yield (*step.path, "on", "endpoint"), "endpoint", endpoint


def _left_out(step: TypedStep) -> Iterator[str]:
    event = step.text("event")
    if step.verb == "resend" and event in EVENTS and kind_of(event) not in step.fields:
        yield kind_of(event)
    asks = step.verb == "expect" and not _ASKS_ONE_ENDPOINT.isdisjoint(step.fields)
    if (asks or step.verb in _OF_ONE_ENDPOINT) and "endpoint" not in step.fields:
        yield "endpoint"
