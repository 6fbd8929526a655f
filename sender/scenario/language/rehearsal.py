"""The life of each resource of a story, step by step: a step that the provider must refuse is refused before the run.

Only what follows from the steps alone is known here. Withdrawals, deposits and channels change by steps only, so all of
their life is; of an invoice it is known that it has ended, and that nothing was paid yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sender.scenario.language.names import MAKERS
from sender.scenario.language.typed import say, typed_steps

if TYPE_CHECKING:
    from sender.scenario.language.typed import TypedStep
    from sender.yamlfile import YamlFile


class Move(NamedTuple):
    """What a verb makes of a resource: the statuses that it starts from, and the one that it leads to."""

    sources: tuple[str, ...]
    target: str


MOVES = {
    "withdrawal": {
        "review": Move(("created",), "pending_review"),
        "process": Move(("created", "pending_review"), "signed"),
        "complete": Move(("created", "pending_review", "signed"), "completed"),
        "fail": Move(("created", "pending_review", "signed"), "failed"),
        "cancel": Move(("created", "pending_review"), "cancelled"),
    },
    "deposit": {
        "confirm": Move(("confirming", "reorged"), "confirmed"),
        "reorg": Move(("confirming",), "reorged"),
    },
    "channel": {
        "block": Move(("active", "blocked"), "blocked"),
        "unblock": Move(("active", "blocked"), "active"),
        "deposit": Move(("active",), "active"),
    },
}
"""The arrows of contract §4.2 to §4.4, by kind and verb."""

_FIRST = {"create_withdrawal": "created", "create_channel": "active", "deposit": "confirmed"}
_OF_INVOICE = frozenset({"confirm_payment", "pay", "transfer", "confirm", "reorg", "cancel", "expire"})
_ENDING = frozenset({None, "paid", "overpaid", "paid_late"})
_PAYING = frozenset({"pay", "transfer"})


class _Standing(NamedTuple):
    status: str
    step: int


class _End(NamedTuple):
    """The step that ended an invoice, and whether it can still be paid late."""

    step: int
    payable_late: bool


def check_lives(file: YamlFile) -> None:
    """Note every step that the provider refuses whatever the time."""
    lives = _Lives(file)
    for step in typed_steps(file):
        lives.move(step)
        lives.bill(step)
        lives.begin(step)


class _Lives:
    """Where each resource stands at one step of the story."""

    def __init__(self, file: YamlFile) -> None:
        self._file = file
        self._standing: dict[tuple[str, str], _Standing] = {}
        self._unpaid: set[str] = set()
        self._ended: dict[str, _End] = {}

    def begin(self, step: TypedStep) -> None:
        """Take in the resource that a step makes."""
        name, kind = step.text("as"), MAKERS.get(step.verb, "")
        if name is None:
            return
        if step.verb == "create_invoice":
            self._unpaid.add(name)
        elif step.verb in _FIRST:
            status = step.text("stage") or _FIRST[step.verb]
            self._standing.setdefault((kind, name), _Standing(status, step.number))

    def move(self, step: TypedStep) -> None:
        """Check and take in what a step makes of a withdrawal, a deposit or a channel."""
        for kind, moves in MOVES.items():
            name, move = step.text(kind), moves.get(step.verb)
            standing = self._standing.get((kind, name or ""))
            if name is None or move is None or standing is None:
                continue
            if standing.status in move.sources:
                self._standing[kind, name] = _Standing(move.target, step.number)
            else:
                allowed = " or ".join(move.sources)
                sentence = (
                    f"{name} is {standing.status} since step {standing.step}; {step.verb} needs one that is {allowed}"
                )
                say(self._file, (*step.path, kind), sentence)

    def bill(self, step: TypedStep) -> None:
        """Check and take in what a step makes of an invoice."""
        name = step.text("invoice")
        if step.verb not in _OF_INVOICE or name is None:
            return
        stage, end = step.text("stage"), self._ended.get(name)
        if end is not None:
            if stage != "paid_late" or not end.payable_late:
                sentence = f"{name} has ended in step {end.step}; {step.verb} needs an invoice that is open"
                say(self._file, (*step.path, "invoice"), sentence)
            return
        if step.verb in {"confirm", "reorg"} and name in self._unpaid:
            say(self._file, (*step.path, "invoice"), f"nothing was paid on {name} yet; put a transfer before this step")
        if step.verb in _PAYING:
            self._unpaid.discard(name)
        if _ends(step, stage):
            self._ended[name] = _End(step.number, payable_late=step.verb != "pay" or stage == "paid_late")


def _ends(step: TypedStep, stage: str | None) -> bool:
    if step.verb == "pay":
        return "amount" not in step.fields and stage in _ENDING
    return step.verb in {"cancel", "expire"}
