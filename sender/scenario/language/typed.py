"""The steps of a file as they were typed, for the checks that look at more than one of them.

They look at the text so that one bad field in a step does not make everything that follows look wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sender.scenario.language.sentences import said_of
from sender.scenario.language.story import MAX_STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sender.yamlfile import KeyPath, Plain, YamlFile


class TypedStep(NamedTuple):
    """A step: its path, its verb, its fields, and its number from 1."""

    path: KeyPath
    verb: str
    fields: dict[str, Plain]
    number: int

    def text(self, field: str) -> str | None:
        """Return what was typed into a field, if that is text."""
        value = self.fields.get(field)
        return value if isinstance(value, str) else None


def typed_steps(file: YamlFile) -> Iterator[TypedStep]:
    """Return the steps that have the form of one, in order; a story with more of them than it may have is cut there."""
    steps = file.data.get("steps")
    for index, step in enumerate(steps[:MAX_STEPS] if isinstance(steps, list) else []):
        if isinstance(step, dict) and len(step) == 1:
            verb, fields = next(iter(step.items()))
            yield TypedStep(("steps", index, verb), verb, fields if isinstance(fields, dict) else {}, index + 1)


def say(file: YamlFile, path: KeyPath, sentence: str) -> None:
    """Note a problem at a path, with the step that it is in before it."""
    file.complain(path, said_of(path, sentence))
