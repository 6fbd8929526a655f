"""The project as a whole: what lies at the top, what is pinned, how long things may get."""

from __future__ import annotations

import ast
import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = {"receiver_fixture", "schedules", "sender", "tests"}
FILES = {"CHANGELOG.md", "LICENSE", "Makefile", "README.md", "pyproject.toml"}
PRODUCED = {"build", "dist"}

Function = ast.FunctionDef | ast.AsyncFunctionDef

LONGEST_FILE = 350
LONGEST_FUNCTION = 45


def test_top_level_stays_small() -> None:
    """The top of the tree holds what a reader needs to find the rest, and nothing else."""
    there = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert there - PRODUCED == FOLDERS | FILES


def test_every_requirement_is_pinned() -> None:
    """Each library that pyproject.toml asks for has one release in .constraints.txt."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    pinned = {_plain(line.partition("==")[0]) for line in _lines(".constraints.txt") if "==" in line}
    assert {_plain(re.split(r"[^\w.-]", requirement)[0]) for requirement in asked} <= pinned


def test_every_lint_exemption_has_a_reason() -> None:
    """A rule is only switched off beside the sentence that says why."""
    bare = [line for line in _lines("pyproject.toml") if re.fullmatch(r'\s*"[A-Z]{1,4}\d*",\s*', line)]
    assert bare == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("*/**/*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_code_stays_short(path: Path) -> None:
    """No file is longer than 350 lines, no function longer than 45, and every test says in words what it shows."""
    source = path.read_text()
    assert source.count("\n") <= LONGEST_FILE
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, Function)]
    too_long = [node.name for node in functions if (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION]
    assert too_long == []
    tests = [node for node in functions if node.name.startswith("test_") and path.name.startswith("test_")]
    assert [node.name for node in tests if not ast.get_docstring(node)] == []


def _lines(name: str) -> list[str]:
    return (ROOT / name).read_text().splitlines()


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
