"""What a file says, where it says it, and what is wrong with it."""

from __future__ import annotations

from typing import NamedTuple, NoReturn, TypeAlias

from sender.errors import FileRefused

MAX_PROBLEMS = 50

Plain: TypeAlias = "dict[str, Plain] | list[Plain] | str | None"
KeyPath: TypeAlias = tuple[str | int, ...]


class Place(NamedTuple):
    """Where something stands in a file: line and column, both from 1."""

    line: int
    column: int


class YamlFile:
    """The values of a file, each with its place, and the list of its problems.

    A path is the way to a value: ``("steps", 3, "pay", "amount")``. Problems are collected so that one run names all
    of them; ``check`` raises them together. Only the first problem of a place is kept: what follows from it at the
    same place is noise.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.data: dict[str, Plain] = {}
        self.keys: dict[KeyPath, Place] = {}
        self.values: dict[KeyPath, Place] = {}
        self._problems: dict[Place, str] = {}

    def place(self, path: KeyPath, *, key: bool = False) -> Place:
        """Return where the value at ``path`` stands, or its key; for what is not there, the nearest thing around it."""
        if key and path in self.keys:
            return self.keys[path]
        while path and path not in self.values:
            path = path[:-1]
        return self.values.get(path, Place(1, 1))

    def complain(self, path: KeyPath, sentence: str, *, key: bool = False) -> None:
        """Note a problem at the value of ``path``, or at its key."""
        self.complain_at(self.place(path, key=key), sentence)

    def complain_at(self, place: Place, sentence: str) -> None:
        """Note a problem at a place."""
        self._problems.setdefault(place, sentence)

    def refuse(self, place: Place, sentence: str) -> NoReturn:
        """Raise ``FileRefused`` with this problem and all that were noted before it."""
        self.complain_at(place, sentence)
        raise self._refusal()

    def check(self) -> None:
        """Raise ``FileRefused`` with every problem in file order, if there is one."""
        if self._problems:
            raise self._refusal()

    def _refusal(self) -> FileRefused:
        found = sorted(self._problems.items())
        lines = [f"{self.name}:{at.line}:{at.column}: {sentence}" for at, sentence in found[:MAX_PROBLEMS]]
        if len(found) > MAX_PROBLEMS:
            lines.append(f"{self.name}: and {len(found) - MAX_PROBLEMS} more problems; mend these first")
        return FileRefused(lines)
