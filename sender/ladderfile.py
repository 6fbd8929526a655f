"""Reads a ladder file: the retry schedule of a provider, each value with its source.

    name: paymos
    about: What this schedule is, and what is not known about it.
    timeout: {value: 10s, source: where this is said, verified: how sure that is}
    measured_from: {value: end}
    gaps:
      - {after: 1m, source: where this is said, verified: how sure that is}
      - 2m

Each value is written plainly, or as a mapping with its notes; the notes are for people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sender.domain.ladder import Ladder
from sender.durations import HOUR, Duration, format_duration, parse_duration
from sender.errors import BadDuration
from sender.schedules import find
from sender.suggest import remedy, shown
from sender.yamlfile import read_yaml

if TYPE_CHECKING:
    from pathlib import Path

    from sender.yamlfile import KeyPath, Plain, YamlFile

MAX_GAPS = 100
MAX_TIMEOUT: Duration = HOUR

_FIELDS = ("name", "about", "timeout", "measured_from", "gaps")
_REQUIRED = {"timeout": "timeout: 10s", "gaps": "gaps: [1m, 2m, 4m]"}
_NOTES = ("source", "verified")


def load_ladder(name_or_path: str | Path, *, base: Path | None = None) -> Ladder:
    """Return the ladder that a name or a path means (see ``schedules.find``).

    Raises ``UsageError`` for a name that does not ship, and ``FileRefused`` with every problem of the file.
    """
    path = find("ladders", name_or_path, base=base)
    file = read_yaml(path)
    _check_fields(file, (), file.data, _FIELDS)
    for field, example in _REQUIRED.items():
        if field not in file.data:
            file.complain((), f"{field} is missing; add it, as in {example}")
    ladder = Ladder(_name(file, path.stem), _gaps(file), _timeout(file), _measured_from(file))
    file.check()
    return ladder


def _name(file: YamlFile, default: str) -> str:
    name = file.data.get("name", default)
    if isinstance(name, str) and name.strip():
        return name
    file.complain(("name",), f"name: a word is missing; write name: {default}, or leave the line out")
    return default


def _gaps(file: YamlFile) -> tuple[Duration, ...]:
    listed = file.data.get("gaps", [])
    if not isinstance(listed, list):
        file.complain(("gaps",), "gaps: this is not a list; write gaps: [1m, 2m, 4m], or [] for a single attempt")
        return ()
    if len(listed) > MAX_GAPS:
        file.complain(("gaps",), f"gaps: {len(listed)} are too many; a ladder has at most {MAX_GAPS}")
        return ()
    return tuple(
        _duration(file, ("gaps", index), f"gaps, entry {index + 1}", node, "after") for index, node in enumerate(listed)
    )


def _timeout(file: YamlFile) -> Duration:
    if "timeout" not in file.data:
        return 0
    timeout = _duration(file, ("timeout",), "timeout", file.data["timeout"], "value")
    if timeout > MAX_TIMEOUT:
        longest = format_duration(MAX_TIMEOUT)
        file.complain(("timeout",), f"timeout: longer than {longest}, which is the most; write it as in 10s")
    return timeout


def _measured_from(file: YamlFile) -> Literal["start", "end"]:
    if "measured_from" not in file.data:
        return "end"
    path, text = _value(file, ("measured_from",), file.data["measured_from"], "value")
    if text in {"start", "end"}:
        return "start" if text == "start" else "end"
    wrong = "a value is missing" if text is None else f"{shown(text)} is not where a gap can begin"
    file.complain(path, f"measured_from: {wrong}; write end or start (of the failed attempt)")
    return "end"


def _duration(file: YamlFile, path: KeyPath, what: str, node: Plain, key: str) -> Duration:
    """Return the duration at ``path``, more than 0; what is not one is a problem, and comes back as 0."""
    path, text = _value(file, path, node, key)
    if text is None:
        file.complain(path, f"{what}: a duration is missing; write it as in 1m or {{{key}: 1m}}")
        return 0
    try:
        value = parse_duration(text)
    except BadDuration as error:
        file.complain(path, f"{what}: {error}")
        return 0
    if value == 0:
        file.complain(path, f"{what}: {shown(text)} is no time at all; write more than 0, as in 1m")
    return value


def _value(file: YamlFile, path: KeyPath, node: Plain, key: str) -> tuple[KeyPath, str | None]:
    """Return the text of a value, written plainly or with notes, and the path of the text itself."""
    if isinstance(node, dict):
        _check_fields(file, path, node, (key, *_NOTES))
        path, node = (*path, key), node.get(key)
    return path, node if isinstance(node, str) else None


def _check_fields(file: YamlFile, path: KeyPath, node: dict[str, Plain], known: tuple[str, ...]) -> None:
    for field in node:
        if field not in known:
            file.complain((*path, field), f"the field {shown(field)} is not known; {remedy(field, known)}", key=True)
