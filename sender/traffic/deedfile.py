"""Reads one entry of a traffic file: what is done, with which money, how it ends and how often it is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sender.domain.money import parse_amount
from sender.errors import RequestRefused
from sender.providers.paymos_networks import load_catalogue
from sender.suggest import remedy, shown
from sender.traffic.flow import OUTCOMES, Deed
from sender.traffic.words import check_fields, whole

if TYPE_CHECKING:
    from sender.yamlfile import KeyPath, Plain, YamlFile

MAX_WEIGHT = 1_000_000

_EXAMPLES = {
    "create_invoice": '{amount: "19.90", currency: USD}',
    "create_withdrawal": '{amount: "25", currency: USDT, network: TRC20}',
    "deposit": '{amount: "20", currency: USDT, network: TRC20}',
}
_MONEY = ("amount", "currency", "network")


class _Entry(NamedTuple):
    """An entry with its place, and the number that messages call it by."""

    file: YamlFile
    path: KeyPath
    node: dict[str, Plain]

    def say(self, field: KeyPath, sentence: str) -> None:
        number = int(self.path[1]) + 1
        self.file.complain((*self.path, *field), f"what, entry {number}: {sentence}")

    def text(self, *field: str) -> str | None:
        """Return the text of a field, or note that there is none."""
        node: Plain = self.node
        for name in field:
            node = node.get(name) if isinstance(node, dict) else None
        if isinstance(node, str):
            return node
        self.say(field, f"{field[-1]}: a single value is missing; write one, or leave the line out")
        return None


def read_deed(file: YamlFile, index: int, node: Plain) -> Deed | None:
    """Return what an entry says, or ``None`` where it is noted what is wrong with it."""
    path: KeyPath = ("what", index)
    verbs = [verb for verb in OUTCOMES if isinstance(node, dict) and verb in node]
    if not isinstance(node, dict) or len(verbs) != 1:
        _say_misshapen(file, path, node)
        return None
    entry, verb = _Entry(file, path, node), verbs[0]
    check_fields(file, path, (verb, "outcome", "weight"), node)
    outcome, weight = _outcome(entry, verb), _weight(entry)
    amount, currency, network = _money(entry, verb)
    if amount is None or currency is None:
        return None
    try:
        deed = Deed(verb, parse_amount(amount, currency), currency, network, outcome, weight)
        _check_rail(deed)
    except RequestRefused as error:
        entry.say((verb, error.field or "amount"), str(error))
        return None
    return deed


def _say_misshapen(file: YamlFile, path: KeyPath, node: Plain) -> None:
    known = (*OUTCOMES, "outcome", "weight")
    odd = [key for key in node if key not in known] if isinstance(node, dict) else []
    if odd:
        verbs = list(OUTCOMES)
        file.complain((*path, odd[0]), f"the verb {shown(odd[0])} is not known; {remedy(odd[0], verbs)}", key=True)
        return
    example = f"create_invoice: {_EXAMPLES['create_invoice']}"
    file.complain(path, f"an entry does one thing, with its fields; write it as in - {example}")


def _money(entry: _Entry, verb: str) -> list[str | None]:
    """Return amount, currency and network as they were typed, each ``None`` where it is not, and note what lacks."""
    money = entry.node[verb]
    if not isinstance(money, dict):
        entry.say((verb,), f"fields are missing; write them as in {verb}: {_EXAMPLES[verb]}")
        return [None, None, None]
    check_fields(entry.file, (*entry.path, verb), _MONEY, money)
    for field in _MONEY[:2] if verb == "create_invoice" else _MONEY:
        if field not in money:
            entry.say((verb,), f"{field} is missing; add it, as in {verb}: {_EXAMPLES[verb]}")
    return [entry.text(verb, field) if field in money else None for field in _MONEY]


def _check_rail(deed: Deed) -> None:
    """Raise ``RequestRefused`` for money that the provider does not move."""
    catalogue = load_catalogue()
    if deed.verb == "create_invoice":
        catalogue.pair_for(deed.currency, deed.network)
    elif deed.network is not None:
        catalogue.rail(deed.currency, deed.network)


def _outcome(entry: _Entry, verb: str) -> str:
    known = OUTCOMES[verb]
    if "outcome" not in entry.node:
        return known[0]
    word = entry.text("outcome")
    if word is not None and word not in known:
        entry.say(("outcome",), f"{shown(word)} is no outcome of {verb}; {remedy(word, known)}")
    return word or known[0]


def _weight(entry: _Entry) -> int:
    word = entry.text("weight") if "weight" in entry.node else "1"
    try:
        return 1 if word is None else whole(1, MAX_WEIGHT)(word)
    except ValueError as error:
        entry.say(("weight",), f"weight: {error}")
        return 1
