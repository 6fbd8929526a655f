"""The threat model: each of its claims names a test that exists, and readers find it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / ".github" / "SECURITY.md"
NAMED = re.compile(r"`(tests/\S+\.py)::(\w+)`")


def test_every_test_of_the_threat_model_exists() -> None:
    """Each path::function is a test of that file; one that was renamed or taken away is named here."""
    named = defaultdict(set)
    for path, function in NAMED.findall(PAGE.read_text()):
        named[path].add(function)
    missing = {path: functions - _tests_of(ROOT / path) for path, functions in named.items()}
    assert {path: functions for path, functions in missing.items() if functions} == {}
    assert sum(map(len, named.values())) > 50


def test_every_claim_of_the_threat_model_has_a_test() -> None:
    """No row of its tables stands without one, and nothing in it looks like a test and is not read as one."""
    text = PAGE.read_text()
    rows = [
        line for line in text.splitlines() if line.startswith("| ") and not line.startswith(("| ---", "| it cannot"))
    ]
    assert [row for row in rows if not NAMED.search(row)] == []
    assert len(rows) > 20
    assert text.count("::") == len(NAMED.findall(text))


def test_readers_find_the_threat_model() -> None:
    """The README links to it."""
    assert f"]({PAGE.relative_to(ROOT)})" in (ROOT / "README.md").read_text()


def _tests_of(path: Path) -> set[str]:
    if not path.is_file():
        return set()
    found = ast.walk(ast.parse(path.read_text()))
    return {one.name for one in found if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
