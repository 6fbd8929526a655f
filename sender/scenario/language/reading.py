"""Reads a scenario file: every problem of the file in one go, each with its place, before anything is started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from sender.scenario.language.course import check_course
from sender.scenario.language.names import check_names
from sender.scenario.language.rehearsal import check_lives
from sender.scenario.language.sentences import complaint, part_of, worth_saying
from sender.scenario.language.story import MAX_STEPS, VERBS, Scenario, Step
from sender.scenario.language.typed import say, typed_steps
from sender.scenario.language.values import Surroundings
from sender.suggest import remedy, shown
from sender.yamlfile import read_yaml
from sender.yamlfile.source import MAX_PROBLEMS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sender.yamlfile import KeyPath, Plain, YamlFile

_MISSING = "a value is missing; write one, or leave the line out (text that reads null needs quotes)"


def load_scenario(path: Path, *, environ: Mapping[str, str] | None = None) -> Scenario:
    """Read and check a story.

    ``environ`` fills in ``${env:NAME}``; without it the names stay, so that a file can be checked anywhere. Raises
    ``FileRefused`` with every problem, each as ``FILE:LINE:COL: step N (verb): what is wrong; what would be right``.
    """
    file = read_yaml(path)
    scenario = _validated(file, Surroundings(path.parent, environ))
    _check_values(file)
    check_names(file)
    check_course(file)
    check_lives(file)
    file.check()
    if scenario is None:
        raise AssertionError(f"{file.name} was refused without a word")
    return scenario


def _validated(file: YamlFile, around: Surroundings) -> Scenario | None:
    data: dict[str, object] = {**file.data}
    good = _good_steps(file)
    if file.data.get("steps"):
        # A stand-in where every step is bad: the rest of the file is looked at all the same.
        data["steps"] = list(good.values()) or [{"restart": {}}]
    try:
        return Scenario.model_validate(data, context=around)
    except ValidationError as error:
        for detail in worth_saying(error.errors(include_url=False)[:MAX_PROBLEMS]):
            path, sentence, on_key = complaint(detail, list(good))
            file.complain(path, sentence, key=on_key)
    return None


def _good_steps(file: YamlFile) -> dict[int, dict[str, object]]:
    steps = file.data.get("steps", [])
    if not isinstance(steps, list):
        file.complain(("steps",), f"steps: this must be a list of steps, as in {Step.example}")
        return {}
    if len(steps) > MAX_STEPS:
        file.complain(("steps",), f"steps: {len(steps)} are too many; cut the story into files of at most {MAX_STEPS}")
        return {}
    read = {index: _step(file, index, step) for index, step in enumerate(steps)}
    return {index: step for index, step in read.items() if step is not None}


def _step(file: YamlFile, index: int, step: Plain) -> dict[str, object] | None:
    """Return a step for validation, or note why it has not the form of one."""
    path: KeyPath = ("steps", index)
    if not isinstance(step, dict) or len(step) != 1:
        say(file, path, _misshapen(step))
        return None
    verb, fields = next(iter(step.items()))
    if verb not in VERBS:
        sentence = f"step {index + 1}: the verb {shown(verb)} is not known; {remedy(verb, VERBS)}"
        file.complain((*path, verb), sentence, key=True)
        return None
    part = part_of(verb)
    if fields is None and not part.bare:
        say(file, (*path, verb), f"fields are missing; write them as in {part.example}")
        return None
    return {"number": index + 1, "line": file.place(path).line, verb: fields if fields is not None else {}}


def _misshapen(step: Plain) -> str:
    if not isinstance(step, dict):
        verb = step if isinstance(step, str) and step in VERBS else "pay"
        return f"this is no step; a step is a verb with its fields, as in {part_of(verb).example}"
    verb = next(iter(step), "")
    if step.get(verb, "") is None and verb in VERBS:
        return f"the fields of {verb} belong below it; indent them more than {verb}, or write {part_of(verb).example}"
    return f"a step has one verb, and this has {len(step)} keys; begin each step with '- '"


def _check_values(file: YamlFile) -> None:
    """Note every value that was left out: a field with nothing behind it says nothing, and looks as if it did."""
    for key, value in file.data.items():
        if key != "steps":
            _check_value(file, (key,), value)
    for step in typed_steps(file):
        for field, value in step.fields.items():
            _check_value(file, (*step.path, field), value)


def _check_value(file: YamlFile, path: KeyPath, value: Plain) -> None:
    if value is None:
        say(file, path, _MISSING)
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, below in inner:
        _check_value(file, (*path, step), below)
