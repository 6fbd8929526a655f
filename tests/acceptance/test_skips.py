"""No test is skipped where nobody would look."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SKIPS = {
    "test_body.py": "import pytest\ndef test_it(): pytest.skip('no tool for the body')",
    "test_mark.py": "import pytest\n@pytest.mark.skip(reason='no tool for the mark')\ndef test_it(): pass",
    "test_file.py": "import pytest\npytest.skip('no tool for the file', allow_module_level=True)",
    "test_expected.py": "import pytest\n@pytest.mark.xfail(reason='known')\ndef test_it(): assert False",
}
REASONS = ("no tool for the body", "no tool for the mark", "no tool for the file")


@pytest.mark.parametrize("workers", ["0", "1"])
def test_continuous_integration_refuses_skips(tmp_path: Path, workers: str) -> None:
    """With CI=true each skipped test fails the run and shows its reason; an expected failure is no skip."""
    result = _pytest(tmp_path, "true", "-n", workers, "--continue-on-collection-errors")
    assert result.returncode == 1
    refused = [line for line in result.stdout.splitlines() if line.startswith("no test is skipped")]
    assert [sum(reason in line for line in refused) for reason in REASONS] == [1, 1, 1]
    assert "1 failed, 1 xfailed, 2 errors" in result.stdout


def test_skips_are_fine_at_home(tmp_path: Path) -> None:
    """Without CI=true a test may leave itself out."""
    result = _pytest(tmp_path, "false")
    assert result.returncode == 0
    assert "3 skipped, 1 xfailed" in result.stdout


def test_what_is_missing_is_told_once(tmp_path: Path) -> None:
    """Tests that a fixture leaves out make one line of the summary, with their number and the fixture's place."""
    (tmp_path / "conftest.py").write_text(
        "import pytest\n@pytest.fixture(scope='session')\ndef tool(): pytest.skip('no tool: install it')\n"
    )
    wanting = "def test_one(tool): pass\ndef test_two(tool): pass"
    for name in ("test_a.py", "test_b.py"):
        (tmp_path / name).write_text(wanting)
    said = _pytest(tmp_path, "false", "-ra").stdout
    lines = [line for line in said.splitlines() if "no tool: install it" in line]
    assert lines == ["SKIPPED [4] conftest.py:3: no tool: install it"]


def _pytest(folder: Path, ci: str, *options: str) -> subprocess.CompletedProcess[str]:
    for name, source in SKIPS.items():
        (folder / name).write_text(source)
    (folder / "pytest.ini").write_text("[pytest]\n")
    plugins = ["-p", "tests.skips", "-p", "no:asyncio", "-p", "no:hypothesispytest"]  # the last two start slowly
    command = [sys.executable, "-m", "pytest", *plugins, *options, "."]
    environment = {**os.environ, "CI": ci, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
