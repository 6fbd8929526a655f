"""Stories that tests write down and have read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sender.errors import FileRefused
from sender.scenario.language import Scenario, load_scenario

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CREATE = "  - create_invoice: {as: order, amount: 11.05, currency: USD}\n"


def read_story(directory: Path, text: str, environ: Mapping[str, str] | None = None) -> Scenario:
    """Write a story to a file and read it."""
    path = directory / "s.yaml"
    path.write_text(text)
    return load_scenario(path, environ=environ)


def refusal(directory: Path, text: str) -> list[str]:
    """Return what is said about a bad story, each line from its line number on."""
    with pytest.raises(FileRefused) as caught:
        read_story(directory, text)
    return [problem.removeprefix(f"{directory / 's.yaml'}:") for problem in caught.value.problems]
