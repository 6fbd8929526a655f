"""The shortened story that a failed run leaves behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from sender.cli.shorten import _kept
from sender.cli.stories import Story
from sender.harmless import plain


def test_a_long_name_leaves_a_file_too() -> None:
    """A story whose file name is as long as can be, and hostile, is kept under a name that is shorter."""
    name = "\x1b" * 200
    kept = _kept(Story(plain(name), Path(f"{name}.yaml"), cast("Any", None)), "name: x\n")
    try:
        assert kept.read_text() == "name: x\n"
        assert kept.name.isprintable()
    finally:
        kept.unlink()
