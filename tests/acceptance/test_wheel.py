"""What ``pip install paymos-sim`` brings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
SHIPPED = ("receiver_fixture", "schedules", "sender")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel with what is installed and unpack it."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    result = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    (wheel,) = folder.glob("paymos_sim-*-py3-none-any.whl")
    ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def test_wheel_ships_code_and_data(installed: Path) -> None:
    """The wheel holds every file of the product, data too, and nothing of the tests."""
    wanted = {path for name in SHIPPED for path in (ROOT / name).rglob("*") if path.is_file()}
    wanted = {path.relative_to(ROOT) for path in wanted if "__pycache__" not in path.parts}
    there = {path.relative_to(installed) for path in installed.rglob("*") if path.is_file()}
    assert {path for path in there if not path.parts[0].endswith(".dist-info")} == wanted


def test_wheel_finds_its_own_stories(installed: Path) -> None:
    """Away from the repository, the ladders and scenarios are found as data of the package."""
    script = """
from importlib.resources import files
print(*(file.name for file in files("schedules").joinpath("ladders").iterdir()))
"""
    assert "paymos.yaml" in _python(installed, script).split()


def test_wheel_declares_the_command(installed: Path) -> None:
    """The wheel installs the command paymos-sim and says under which licence."""
    (metadata,) = installed.glob("*.dist-info")
    assert "paymos-sim = sender.cli:main" in (metadata / "entry_points.txt").read_text()
    assert "License-Expression: MIT" in (metadata / "METADATA").read_text()
    assert (metadata / "licenses" / "LICENSE").is_file()


def _python(installed: Path, script: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run(
        [sys.executable, "-c", script], cwd=installed, env=environment, capture_output=True, text=True, check=True
    ).stdout
