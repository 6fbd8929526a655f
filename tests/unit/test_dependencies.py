"""What the project stands on: every library with its reason, every release pinned, and the audit of them."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.audit import verdict

ROOT = Path(__file__).parents[2]


def test_every_runtime_dependency_has_its_reason() -> None:
    """Each library that comes with an install stands beside or below the remark that says what it is for."""
    text = (ROOT / "pyproject.toml").read_text()
    block = text.partition("\ndependencies = [\n")[2].partition("\n]\n")[0].splitlines()
    asked = tomllib.loads(text)["project"]["dependencies"]
    reasons = [
        line for before, line in zip(["", *block], block, strict=False)
        if line.strip().startswith('"') and ("  # " in line or before.strip().startswith("# "))
    ]  # fmt: skip
    assert len(reasons) == len(asked) > 10


def test_everything_that_is_installed_is_pinned() -> None:
    """Whatever the program, its tests or its checks bring in, however far below, is the release that is pinned."""
    lines = (ROOT / ".constraints.txt").read_text().splitlines()
    pinned = dict(line.split("==") for line in lines if "==" in line)
    pins = {str(canonicalize_name(name)): version for name, version in pinned.items()}
    installed = _installed_with("paymos-sim", ("test", "check", "tls", "embedded-postgres"))
    assert len(installed) > 80
    assert {name: version for name, version in installed.items() if pins.get(name) != version} == {}


def _installed_with(name: str, extras: tuple[str, ...]) -> dict[str, str]:
    """Return every distribution that a requirement has brought in, with its version."""
    found: dict[str, str] = {}
    waiting: list[tuple[str, tuple[str, ...]]] = [(name, extras)]
    seen: set[tuple[str, tuple[str, ...]]] = set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        try:
            there = distribution(one[0])
        except PackageNotFoundError:
            continue
        if one[0] != name:
            found[canonicalize_name(one[0])] = there.version
        waiting += [
            (canonicalize_name(each.name), tuple(each.extras))
            for each in map(Requirement, there.requires or [])
            if _applies(each, one[1])
        ]
    return found


def _applies(requirement: Requirement, extras: tuple[str, ...]) -> bool:
    if requirement.marker is None:
        return True
    return any(requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras))


def _answer(*dependencies: dict[str, Any]) -> str:
    return json.dumps({"dependencies": list(dependencies), "fixes": []})


GOOD = {"name": "a", "version": "1", "vulns": []}
BAD = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"], "description": "x"}]}
UNKNOWN = {"name": "c", "skip_reason": "Dependency not found on PyPI and could not be audited: c (1)"}


def test_a_known_vulnerability_fails_the_check() -> None:
    """One bad release among good ones, or beside answers that did not come, is exit code 1 with its name."""
    code, lines = verdict([_answer(GOOD), _answer(BAD, UNKNOWN), ""])
    assert (code, lines[0]) == (1, "b 2: PYSEC-1 (mended in 3)")


def test_an_audit_that_was_not_made_is_no_clean_one() -> None:
    """Without answers, or with a service that knows nothing, it is said to be left out; and nothing fails."""
    for answers in (["", ""], [_answer(UNKNOWN), _answer(UNKNOWN)]):
        code, (line,) = verdict(answers)
        assert (code, line.startswith("left out")) == (0, True)


def test_a_clean_audit_says_how_much_it_saw() -> None:
    """The count of releases, and what was not seen."""
    assert verdict([_answer(GOOD, GOOD)]) == (0, ["no known vulnerability in 2 releases"])
    (line,) = verdict([_answer(GOOD, UNKNOWN), ""])[1]
    assert re.search("in 1 releases; 1 releases are not known to the service; not all", line)
