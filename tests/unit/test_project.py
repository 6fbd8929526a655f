"""The project as a whole: what lies at the top, what is pinned, how long things may get."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from itertools import chain
from pathlib import Path

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


def test_code_stays_short() -> None:
    """No file is longer than 350 lines and no function longer than 45."""
    assert [str(path) for path in _code() if len(_lines(path)) > LONGEST_FILE] == []
    functions = [(path, node) for path in _code() for node in _functions(path)]
    assert [f"{path}:{node.name}" for path, node in functions if _length(node) > LONGEST_FUNCTION] == []


def test_every_test_says_what_it_shows() -> None:
    """Each test has a docstring, which is where a reader learns what the code promises."""
    files = [path for path in _code() if path.name.startswith("test_")]
    tests = [(path, node) for path in files for node in _functions(path) if node.name.startswith("test_")]
    assert [f"{path}:{node.name}" for path, node in tests if not ast.get_docstring(node)] == []


def _code() -> list[Path]:
    return [path.relative_to(ROOT) for folder in sorted(FOLDERS) for path in sorted((ROOT / folder).rglob("*.py"))]


@cache
def _functions(path: Path) -> list[Function]:
    tree = ast.parse((ROOT / path).read_text())
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


def _length(node: Function) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _lines(name: str | Path) -> list[str]:
    return (ROOT / name).read_text().splitlines()


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
