"""No test is skipped where nobody would look."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SKIPS = {
    "in the body": "import pytest\ndef test_it(): pytest.skip('no such tool')",
    "by a mark": "import pytest\n@pytest.mark.skip(reason='no such tool')\ndef test_it(): pass",
    "as a file": "import pytest\npytest.skip('no such tool', allow_module_level=True)",
}


@pytest.mark.parametrize("source", SKIPS.values(), ids=SKIPS)
@pytest.mark.parametrize("workers", ["0", "1"])
def test_continuous_integration_refuses_skips(tmp_path: Path, source: str, workers: str) -> None:
    """With CI=true a skipped test fails the run and shows its reason."""
    result = _pytest(tmp_path, source, workers, ci="true")
    assert result.returncode != 0
    assert "no test is skipped in continuous integration" in result.stdout
    assert "no such tool" in result.stdout


def test_skips_are_fine_at_home(tmp_path: Path) -> None:
    """Without CI=true a test may leave itself out."""
    assert "1 skipped" in _pytest(tmp_path, SKIPS["by a mark"], "0", ci="false").stdout


def test_expected_failures_are_no_skips(tmp_path: Path) -> None:
    """A test that is expected to fail, and does, passes in continuous integration too."""
    source = "import pytest\n@pytest.mark.xfail(reason='known')\ndef test_it(): assert False"
    result = _pytest(tmp_path, source, "0", ci="true")
    assert result.returncode == 0
    assert "1 xfailed" in result.stdout


def _pytest(folder: Path, source: str, workers: str, *, ci: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(source)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-n", workers, "-rs", "."]
    environment = {**os.environ, "CI": ci, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
