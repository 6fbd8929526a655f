"""The command before any command: help, version, what is imported for them, and where options come from."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from sender import __version__
from sender.cli import main
from sender.cli.commands import COMMANDS, command_named
from sender.cli.options import read_options
from sender.errors import UsageError
from tests.commands import ROOT, command

HEAVY = ["aiohttp", "apscheduler", "argparse", "asyncio", "psycopg", "pydantic", "sqlalchemy", "structlog", "yaml"]


def test_version_is_the_projects(capsys: pytest.CaptureFixture[str]) -> None:
    """``--version`` prints name and version and nothing else."""
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"paymos-sim {__version__}\n"


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """``--help`` has a line for each command, and says what the exit codes mean."""
    assert main(["--help"]) == 0
    printed = capsys.readouterr().out
    assert all(f"  {one.name}" in printed and one.help in printed for one in COMMANDS)
    assert "2 could not run" in printed


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_nothing_heavy_is_imported(word: str) -> None:
    """Help and version import none of the libraries that the commands are made of."""
    script = f"import json, sys; from sender.cli import main; main([{word!r}]); print(json.dumps(list(sys.modules)))"
    printed = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    imported = json.loads(printed.splitlines()[-1])
    assert [name for name in HEAVY if name in imported] == []


@pytest.mark.parametrize("one", COMMANDS, ids=lambda one: one.name)
def test_help_of_a_command_names_its_options(one: object, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command explains every option it has."""
    described = command_named(getattr(one, "name", ""))
    with pytest.raises(SystemExit) as stopped:
        main([described.name, "--help"])
    assert stopped.value.code == 0
    printed = capsys.readouterr().out
    assert [option.flag for option in described.options if option.flag not in printed] == []


def test_flag_wins_over_variable() -> None:
    """A flag wins over the environment variable of the same option, which wins over the default."""
    run = command_named("run")
    environ = {"PAYMOS_SIM_SEED": "7", "PAYMOS_SIM_IN_PROCESS": "true", "PAYMOS_SIM_JSON": "0"}
    both = read_options(run, ["--seed", "8", "x"], environ)
    assert both.text("seed") == "8"
    alone = read_options(run, ["x"], environ)
    assert (alone.text("seed"), alone.has("in_process"), alone.has("json")) == ("7", True, False)
    assert read_options(run, ["x"], {}).read("seed", int, 1) == 1


def test_complaint_names_the_variable() -> None:
    """What is wrong with a variable is said of the variable, and not of a flag that nobody typed."""
    options = read_options(command_named("run"), ["x"], {"PAYMOS_SIM_SEED": "x"})
    with pytest.raises(UsageError, match=r"^PAYMOS_SIM_SEED: "):
        options.read("seed", int, 1)


def test_secret_behind_a_misspelt_option_is_not_repeated() -> None:
    """A complaint about an unknown option shows its name and not what came with it."""
    with pytest.raises(UsageError) as complaint:
        read_options(command_named("serve"), ["--secrt=whsec_hidden"], {})
    assert "--secret" in str(complaint.value)
    assert "whsec_hidden" not in str(complaint.value)


def test_schema_is_printed_as_shipped() -> None:
    """``schema`` prints the file that editors are pointed to."""
    result = command("schema")
    assert result.code == 0
    assert json.loads(result.printed)["title"] == "A paymos-sim scenario"


def test_secret_alone() -> None:
    """``serve --print-secret`` prints the webhook secret alone: the one given, or that of the seed, always the same."""
    assert command("serve", "--print-secret", "--secret", "whsec_mine").printed == "whsec_mine\n"
    first, again, other = (command("serve", "--print-secret", "--seed", seed).printed for seed in ("5", "5", "6"))
    assert first.startswith("whsec_test_")
    assert first == again != other
