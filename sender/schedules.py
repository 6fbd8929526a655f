"""Finds the files that ship with the program: ladders, scenarios and traffic, by name or by path."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from sender.errors import UsageError
from sender.paths import exists, is_file
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
    file exists is for its reader to say. Raises ``UsageError`` for a word that is neither, and, where a file mentions
    it, for what is no plain ``.yaml`` file: a story by somebody else has no business with keys, devices and pipes.
    """
    text = str(name_or_path)
    path = Path(name_or_path)
    if isinstance(name_or_path, Path) or path.suffix in _SUFFIXES or path.name != text:
        return path if base is None else _mentioned(base / path)
    known = names(kind)
    if text in known:
        return directory(kind) / f"{text}.yaml"
    if base is None and exists(path):
        return path
    message = f"{shown(text)} is neither one of the shipped {kind} nor a path to a .yaml file; {remedy(text, known)}"
    raise UsageError(message)


def _mentioned(path: Path) -> Path:
    if path.suffix not in _SUFFIXES or (exists(path) and not is_file(path)):
        raise UsageError(f"{shown(str(path))} is no .yaml file, and a file mentions no other; write its name or path")
    return path
