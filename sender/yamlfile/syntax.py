"""PyYAML's complaints as sentences: what is wrong at which place, and what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.yamlfile.source import Place

if TYPE_CHECKING:
    import yaml

MAX_DEPTH = 32
TOO_DEEP = f"values are nested too deeply; {MAX_DEPTH} levels are the most"
TOO_MANY = "the file holds more keys and values than are read; cut it into several"

_TAB = "a tab stands where only spaces may; YAML is indented with spaces"
_INDENTATION = "this fits nothing above it; check its indentation, and the quotes and brackets before it"
_UNCLOSED = ("end of stream", "',' or")
"""Complaints whose cause is where the quote or bracket was opened, not where the file ended."""

# Parts of the texts of PyYAML's two parsers (the one in C and the one in Python), the more exact first.
_SENTENCES = {
    "mapping values are not allowed": "a second ': ' makes no sense here; put text that holds ': ' into quotes",
    "entries are not allowed": "a list cannot begin here; begin it on the next line",
    "end of stream": "the quoted text never ends; close it with the quote that it began with",
    "',' or ']'": "the list that begins with '[' is not closed; end it with ']' and put ',' between its entries",
    "',' or '}'": "the mapping that begins with '{' is not closed; end it with '}' and put ',' between its fields",
    "could not find expected ':'": "a key without its ':'; write key: value",
    "cannot start any token": "text cannot begin with this character; put the text into quotes",
    "unknown escape character": "a backslash between double quotes begins an escape; write two, or use single quotes",
    "escape": "this escape names no character; write the character itself",
    "incompatible YAML document": "this YAML version is not known; leave the line out",
    "nesting depth": TOO_DEEP,
    "<document start>": "the document has ended before this; leave out the line '...'",
    "node content": "a value is missing here; write one, or close the bracket",
    "expected key": _INDENTATION,
    "'-' indicator": _INDENTATION,
    "<block end>": _INDENTATION,
}


def explain(error: yaml.MarkedYAMLError, text: str) -> tuple[Place, str]:
    """Return where YAML stops making sense in ``text``, and the sentence about it."""
    problem = error.problem or "no reason given"
    mark = error.problem_mark
    if error.context_mark is not None and any(word in problem for word in _UNCLOSED):
        mark = error.context_mark
    place = Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)
    if mark is error.problem_mark and _is_tab(text, place):
        return place, _TAB
    default = f"this is not YAML ({problem}); check the quotes, brackets and indentation around it"
    return place, next((ours for theirs, ours in _SENTENCES.items() if theirs in problem), default)


def _is_tab(text: str, place: Place) -> bool:
    lines = text.splitlines()
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    indentation = line[: len(line) - len(line.lstrip())]
    return "\t" in indentation or line[place.column - 1 : place.column] == "\t"
