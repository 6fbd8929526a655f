"""English and Russian: which one a browser asks for, and the words of the second."""

from __future__ import annotations

import json
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Language: TypeAlias = Literal["en", "ru"]

_LONGEST = 200


def language_of(accepted: str) -> Language:
    """Return the language that ``Accept-Language`` prefers; English for a browser that wants neither."""
    weights = {"ru": 0.0, "en": 0.0}
    for part in accepted[:_LONGEST].split(","):
        tag, _, parameter = part.strip().partition(";")
        name = tag.partition("-")[0].lower()
        if name in weights:
            weights[name] = max(weights[name], _weight(parameter))
    return "ru" if weights["ru"] > weights["en"] else "en"


def _weight(parameter: str) -> float:
    name, _, value = parameter.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        weight = float(value)
    except ValueError:
        return 0.0
    return weight if 0 <= weight <= 1 else 0.0


class Words:
    """The words of the pages. English text is its own key, so that a template reads as the page does."""

    @cached_property
    def russian(self) -> Mapping[str, str]:
        """What each English text is in Russian."""
        text = files(__package__).joinpath("ru.json").read_text(encoding="utf-8")
        return dict(json.loads(text))

    def say(self, language: Language, text: str, **values: object) -> str:
        """Return a text in a language, with the values in its braces; English where there is no other."""
        said = self.russian.get(text, text) if language == "ru" else text
        return said.format(**values) if values else said
