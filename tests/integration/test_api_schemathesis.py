"""The merchant API against its own description: schemathesis, with every check it has."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.api import serving_beside
from tests.fuzzing import VARIABLE

ROOT = Path(__file__).parents[2]
LEAST_CASES = 2_000
# Security parameters are not made up: whoever signs a request overwrites them.
CONFIGURATION = "[generation]\nwith-security-parameters = false\n"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_answer_is_one_that_the_document_allows(tmp_path: Path) -> None:
    """Two thousand requests, valid and invalid ones, meet no 5xx, no undocumented status and no violated schema."""
    settings = tmp_path / "schemathesis.toml"
    settings.write_text(CONFIGURATION)
    with serving_beside() as api:
        command = [str(Path(sys.executable).with_name("st")), "--config-file", str(settings), "run",
                   f"{api.base}/v1/openapi.json", "--checks", "all", "--max-examples", "40", "--no-color",
                   "--generation-deterministic", "--suppress-health-check", "filter_too_much"]  # fmt: skip
        told = {VARIABLE: api.base, "SCHEMATHESIS_HOOKS": "tests.fuzzing", "PYTHONPATH": str(ROOT)}
        result = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=tmp_path, env=os.environ | told
        )

    assert result.returncode == 0, result.stdout + result.stderr
    made = re.search(r"(\d+) generated, (\d+) passed", result.stdout)
    assert made is not None
    assert int(made[1]) == int(made[2]) >= LEAST_CASES


CONTROL_CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
LEAST_CONTROL_CASES = 500


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_control_api_keeps_to_its_own_document(tmp_path: Path) -> None:
    """Hundreds of requests to every call that ends and starts no process: no 5xx, nothing that is not described."""
    with serving_beside() as api:
        command = [str(Path(sys.executable).with_name("st")), "run", f"{api.base}/_sim/v1/openapi.json",
                   "--checks", CONTROL_CHECKS, "--max-examples", "10", "--no-color", "--generation-deterministic",
                   "--exclude-operation-id", "follow", "--exclude-operation-id", "startRun",
                   "--suppress-health-check", "filter_too_much"]  # fmt: skip
        result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    assert result.returncode == 0, result.stdout + result.stderr
    made = re.search(r"(\d+) generated, (\d+) passed", result.stdout)
    assert made is not None
    assert int(made[1]) == int(made[2]) >= LEAST_CONTROL_CASES
