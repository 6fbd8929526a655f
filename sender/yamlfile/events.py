"""From PyYAML's events to text values and places.

Events instead of nodes: anchors, tags and further documents are seen before anything is made of them, and depth is
bounded before the stack is. So is their number: what is done for each value of a file adds up.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

from sender.suggest import as_word, shown
from sender.yamlfile.source import Place
from sender.yamlfile.syntax import MAX_DEPTH, TOO_DEEP, TOO_MANY, explain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sender.yamlfile.source import KeyPath, Plain, YamlFile

LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The parser in C where PyYAML was built with it."""

MAX_EVENTS = 30_000
"""Keys and values, with the beginnings and ends of lists and mappings: thirty for each step of the longest story."""

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_UNSAVABLE = re.compile("[\0\ud800-\udfff]")


class _TooMuchError(Exception):
    """Values are nested deeper, or are more, than anybody would write"""

    def __init__(self, place: Place, sentence: str) -> None:
        super().__init__(sentence)
        self.place = place
        self.sentence = sentence


def fill(file: YamlFile, text: str, loader: type[yaml.SafeLoader | yaml.CSafeLoader] = LOADER) -> None:
    """Give ``file`` the values of ``text``.

    Raises ``FileRefused`` where YAML itself ends and where the file holds no mapping; what leaves the rest readable is
    noted in ``file``.
    """
    data: Plain = None
    try:
        data = _Builder(file, _bounded(yaml.parse(text, Loader=loader))).document()
    except yaml.MarkedYAMLError as error:
        file.refuse(*explain(error, text))
    except _TooMuchError as error:
        file.refuse(error.place, error.sentence)
    if isinstance(data, dict):
        file.data = data
        return
    file.refuse(file.place(()), "the file holds no fields; begin it with name: and a name")


def _bounded(events: Iterator[yaml.Event]) -> Iterator[yaml.Event]:
    """Give the events; raise ``_TooMuchError`` at the first that is one too many."""
    for number, event in enumerate(events):
        if number == MAX_EVENTS:
            raise _TooMuchError(_place(event), TOO_MANY)
        yield event


class _Builder:
    """Turns a stream of events into one value and notes the place of everything."""

    def __init__(self, file: YamlFile, events: Iterator[yaml.Event]) -> None:
        self._file = file
        self._events = events

    def document(self) -> Plain:
        """Return the value of the first document; a second one is a problem."""
        data: Plain = None
        first = True
        for event in self._events:
            if not isinstance(event, yaml.DocumentStartEvent):
                continue
            if not first:
                self._file.complain_at(_place(event), "a second document begins here; write one document a file")
                break
            data, first = self._value(next(self._events), ()), False
        return data

    def _value(self, event: yaml.Event, path: KeyPath) -> Plain:
        self._file.values[path] = _place(event)
        self._refuse_references(event)
        if isinstance(event, yaml.CollectionStartEvent) and len(path) >= MAX_DEPTH:
            raise _TooMuchError(_place(event), TOO_DEEP)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(path)
        return self._scalar(event)

    def _mapping(self, path: KeyPath) -> Plain:
        found: dict[str, Plain] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._key(event, path)
            if key is None:
                self._skip(next(self._events))
                continue
            self._file.keys[*path, key] = _place(event)
            found[key] = self._value(next(self._events), (*path, key))
        return found

    def _list(self, path: KeyPath) -> Plain:
        found: list[Plain] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            found.append(self._value(event, (*path, len(found))))
        return found

    def _scalar(self, event: yaml.Event) -> str | None:
        if not isinstance(event, yaml.ScalarEvent) or _is_null(event):
            return None
        if _UNSAVABLE.search(event.value):
            self._file.complain_at(_place(event), "this text holds a character that no database stores; remove it")
        return event.value

    def _key(self, event: yaml.Event, path: KeyPath) -> str | None:
        """Return a key that may be used, or note why it may not."""
        self._refuse_references(event)
        complaint = self._complaint(event, path)
        if complaint is None:
            return str(self._scalar(event))
        self._file.complain_at(_place(event), complaint)
        self._skip(event)
        return None

    def _complaint(self, event: yaml.Event, path: KeyPath) -> str | None:
        if not isinstance(event, yaml.ScalarEvent):
            return "a key must be a word; write key: value"
        if _is_null(event):
            return "this key is empty; write key: value, with quotes around a key that is the word null"
        if event.value == "<<" and not event.style:
            return "merge keys (<<) are not read; write the fields out"
        first = self._file.keys.get((*path, event.value))
        if first is not None:
            return f"the key {shown(event.value)} is given twice, first in line {first.line}; keep one of them"
        return None

    def _refuse_references(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.AliasEvent):
            self._file.complain_at(
                _place(event), f"aliases (*{as_word(str(event.anchor))}) are not read; write the value out"
            )
        elif isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            self._file.complain_at(_place(event), f"anchors (&{as_word(event.anchor)}) are not read; leave it out")
        elif isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag is not None:
            sentence = f"tags ({shown(event.tag)}) are not read; leave it out, a value is the text that was typed"
            self._file.complain_at(_place(event), sentence)

    def _skip(self, event: yaml.Event) -> None:
        """Pass over the rest of the value that ``event`` begins."""
        depth = 0
        while True:
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth == 0:
                return
            event = next(self._events)


def _is_null(event: yaml.ScalarEvent) -> bool:
    return not event.style and event.value in _NULLS


def _place(event: yaml.Event) -> Place:
    mark = event.start_mark
    return Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)
