"""From pydantic's complaints to sentences: which step, what is wrong, what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from sender.scenario.language.part import Part
from sender.scenario.language.story import Scenario
from sender.suggest import as_word, nearest, remedy, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_core import ErrorDetails

    from sender.yamlfile import KeyPath


class Complaint(NamedTuple):
    """A sentence, the path that it is about, and whether it is about the key there or the value."""

    path: KeyPath
    sentence: str
    on_key: bool = False


def worth_saying(errors: Sequence[ErrorDetails]) -> list[ErrorDetails]:
    """Return the errors without those that follow from another: a field that is there, but misspelt, is not missing."""
    misspelt = {
        (*error["loc"][:-1], nearest(str(error["loc"][-1]), _fields(_part_at(error["loc"][:-1]))))
        for error in errors
        if error["type"] == "extra_forbidden"
    }
    return [error for error in errors if error["type"] != "missing" or error["loc"] not in misspelt]


def complaint(error: ErrorDetails, steps: Sequence[int]) -> Complaint:
    """Return what a person is told; ``steps`` maps the steps that were validated to their indices in the file."""
    path = _path(error["loc"], steps)
    part, field = _part_at(path[:-1]), str(path[-1]) if path else ""
    match error["type"]:
        case "extra_forbidden":
            sentence = f"the field {shown(field)} is not known; {remedy(field, _fields(part))}"
            return Complaint(path, said_of(path[:-1], sentence), on_key=True)
        case "missing":
            sentence = f"{field} is missing; write it as in {part.example}"
            return Complaint(path[:-1], said_of(path[:-1], sentence))
        case "model_type":
            sentence = f"fields are missing here; write them as in {_part_at(path).example}"
        case "too_short":
            sentence = "this list is empty; it needs an entry"
        case "value_error":
            sentence = str(error["ctx"]["error"])
        case _:
            sentence = error["msg"]
    return Complaint(path, said_of(path, sentence))


def said_of(path: KeyPath, sentence: str) -> str:
    """Return the sentence with what it is about before it: ``step 3 (pay): amount: …``."""
    about = []
    rest = path
    if path[:1] == ("steps",) and len(path) > 1:
        verb = f" ({as_word(str(path[2]))})" if len(path) > 2 else ""  # noqa: PLR2004 - steps, index, verb
        about, rest = [f"step {int(path[1]) + 1}{verb}"], path[3:]
    about += [f"entry {part + 1}" if isinstance(part, int) else as_word(part) for part in rest]
    return ": ".join([*about, sentence])


def part_of(verb: str) -> type[Part]:
    """Return the part of the language that a verb's fields make up."""
    return _part_at(("steps", 0, verb))


def _path(loc: tuple[int | str, ...], steps: Sequence[int]) -> KeyPath:
    if loc[:1] == ("steps",) and len(loc) > 1:
        return ("steps", steps[int(loc[1])], *loc[2:])
    return loc


def _part_at(path: KeyPath) -> type[Part]:
    """Return the part of the language that stands at a path, or the nearest one around it."""
    part: type[Part] = Scenario
    for step in path:
        field = _fields(part).get(str(step))
        part = next(_parts_in(field.annotation), part) if field else part
    return part


def _fields(part: type[Part]) -> dict[str, Any]:
    return {field.alias or name: field for name, field in part.model_fields.items()}


def _parts_in(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, Part):
        yield annotation
    for inner in get_args(annotation):
        yield from _parts_in(inner)
