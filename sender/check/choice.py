"""Which checks are run, and what is said about one that somebody asks about."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from sender.check.checks import CHECKS
from sender.errors import UsageError
from sender.suggest import remedy, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sender.check.check import Check

_WIDTH = 100


def chosen(only: str | None, skip: str | None) -> list[Check]:
    """Return the checks that two lists, separated by commas, of ids or groups leave. Raises ``UsageError``."""
    wanted, unwanted = _named(only), _named(skip)
    left = [check for check in CHECKS if (only is None or check in wanted) and check not in unwanted]
    if not left:
        raise UsageError("no check is left to run; see paymos-sim check --list")
    return left


def _named(text: str | None) -> set[Check]:
    found: set[Check] = set()
    for word in filter(None, (part.strip() for part in (text or "").split(","))):
        named = [check for check in CHECKS if word in {check.id, check.group}]
        if not named:
            raise UsageError(f"there is no check or group {shown(word)}; {remedy(word, _words())}")
        found.update(named)
    return found


def _words() -> list[str]:
    return [*dict.fromkeys(check.group for check in CHECKS), *(check.id for check in CHECKS)]


def listed(checks: Sequence[Check] = CHECKS) -> Iterator[str]:
    """Give the lines of a list: by group, each check with what it needs."""
    width = max(len(check.id) for check in checks)
    group = ""
    for check in checks:
        if check.group != group:
            yield from ([""] if group else [])
            group = check.group
            yield group
        needs = f"  [{', '.join(need.name.lower() for need in sorted(check.needs))}]" if check.needs else ""
        yield f"  {check.id:{width}}  {check.title}{needs}"


def explained(check_id: str) -> str:
    """Return everything about one check. Raises ``UsageError``."""
    check = next((one for one in CHECKS if one.id == check_id), None)
    if check is None:
        raise UsageError(f"there is no check {shown(check_id)}; {remedy(check_id, [one.id for one in CHECKS])}")
    needs = "; ".join(sorted(check.needs)) or "nothing but the receiver and its secret"
    parts = {
        "What it does": check.does,
        "Why it matters": check.matters,
        "How to mend it": check.mend,
        "It needs": needs,
        "To read": "; ".join(check.links),
    }
    blocks = [
        f"{name}:\n{textwrap.fill(text, _WIDTH, initial_indent='  ', subsequent_indent='  ')}"
        for name, text in parts.items()
    ]
    return "\n\n".join([f"{check.id} ({check.group})\n{check.title}", *blocks])
