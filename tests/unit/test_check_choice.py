"""The catalogue of checks: ids, words, choosing, listing, explaining."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from sender.check.checks import CHECKS
from sender.check.choice import chosen, explained, listed
from sender.errors import UsageError

if TYPE_CHECKING:
    from sender.check.check import Check


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_every_check_is_explained(check: Check) -> None:
    """Each says in sentences what it does, why it matters and how to mend it, and names a page to read."""
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", check.id)
    for text in (check.does, check.matters, check.mend):
        assert re.match(r"[A-Za-z0-9'].*[.)]$", text, re.DOTALL), text
        assert len(text) > 30
    assert check.title
    assert check.title[-1] != "."
    assert check.links
    assert check.title in explained(check.id)


def test_ids_are_different() -> None:
    """An id names one check, and no group has the name of a check."""
    ids = [check.id for check in CHECKS]
    assert len({*ids, *(check.group for check in CHECKS)}) == len(ids) + len({check.group for check in CHECKS})


def test_choosing_by_id_and_group() -> None:
    """Lists take ids and groups; what is left out is left out of what was chosen; the order is the catalogue's."""
    assert [one.id for one in chosen("burst, loss", "swallowed-error,killed-after-2xx")] == [
        "hang-up-mid-work",
        "restart-forgets",
        "burst",
    ]
    assert chosen(None, None) == list(CHECKS)


@pytest.mark.parametrize(
    ("only", "skip", "complaint"),
    [
        ("same-instnt", None, "there is no check or group 'same-instnt'; did you mean 'same-instant'"),
        (None, "sped", "there is no check or group 'sped'; did you mean 'speed'"),
        ("burst", "speed", "no check is left to run; see paymos-sim check --list"),
    ],
)
def test_bad_choice(only: str | None, skip: str | None, complaint: str) -> None:
    """A word that names nothing is answered with the nearest one."""
    with pytest.raises(UsageError, match=complaint):
        chosen(only, skip)


def test_list_has_groups_and_needs() -> None:
    """The list shows each check under its group with what it needs beside the receiver."""
    lines = list(listed())
    assert lines[0] == "idempotency"
    assert any(line.startswith("  restart-forgets ") and line.endswith("[restart, probe]") for line in lines)
    assert any(line.startswith("  unsigned ") and line.endswith("is refused") for line in lines)


def test_unknown_check_is_not_explained() -> None:
    """Asking about a check that is not there says which one may be meant."""
    with pytest.raises(UsageError, match="there is no check 'two-endpoint'; did you mean 'two-endpoints'"):
        explained("two-endpoint")
