"""Finds the files that ship with the program: ladders, scenarios and traffic, by name or by path."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from sender.errors import UsageError
from sender.suggest import remedy, shown

Kind: TypeAlias = Literal["ladders", "scenarios", "traffic"]

_SUFFIXES = frozenset({".yaml", ".yml"})


def directory(kind: Kind) -> Path:
    """Return the directory of one kind; ``schedules`` stands beside the package, in a checkout as when installed."""
    return Path(__file__).parent.parent / "schedules" / kind


def names(kind: Kind) -> list[str]:
    """Return the names of the shipped files of one kind, sorted."""
    return sorted(path.stem for path in directory(kind).glob("*.yaml"))


def find(kind: Kind, name_or_path: str | Path, *, base: Path | None = None) -> Path:
    """Return the file that a name or a path means.

    A word without a directory and without ``.yaml`` is first the name of a shipped file; anything else is a path,
    relative to ``base`` (the directory of the file that mentions it) or else to the working directory. Whether such a
    file exists is for its reader to say. Raises ``UsageError`` for a word that is neither.
    """
    text = str(name_or_path)
    path = Path(name_or_path)
    if isinstance(name_or_path, Path) or path.suffix in _SUFFIXES or path.name != text:
        return base / path if base else path
    known = names(kind)
    if text in known:
        return directory(kind) / f"{text}.yaml"
    if path.exists():
        return path
    message = f"{shown(text)} is neither one of the shipped {kind} nor a path to a .yaml file; {remedy(text, known)}"
    raise UsageError(message)
