"""Read a scripted answer from JSON, with a sentence for everything that is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from receiver_fixture.delays import parse_delay
from receiver_fixture.errors import Refused
from receiver_fixture.scripts import Fault, Script
from receiver_fixture.words import is_word

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_ALIASES = {"reset": Fault.RESET_PEER}
_FIRST_STATUS, _LAST_STATUS = 200, 599
_REDIRECTS = range(300, 400)
# Keeps the method, so that a sender that follows it shows up as a second delivery.
_REDIRECT_STATUS = 307


def read_script(document: Mapping[str, object]) -> Script:
    """Read the body of ``POST /_script``; raises ``Refused`` for unknown members and values."""
    unknown = sorted(set(document) - set(_READERS))
    if unknown:
        raise Refused(f"{unknown[0]!r} is not part of a script; known are {', '.join(_READERS)}")
    values = {name: _READERS[name](name, value) for name, value in document.items()}
    if values.get("fault") is Fault.REDIRECT:
        values.setdefault("status", _REDIRECT_STATUS)
    return _consistent(Script(**values))


def _consistent(script: Script) -> Script:
    if script.fault is Fault.REDIRECT and script.status not in _REDIRECTS:
        raise Refused(f"a redirect needs a status from 300 to 399, not {script.status}")
    if script.fault is Fault.SLOW_CLOSE and not script.delay:
        raise Refused("slow_close needs a delay: how long the connection stays open after the answer, such as '5s'")
    return script


def _status(name: str, value: object) -> int:
    number = _count(name, value)
    if not _FIRST_STATUS <= number <= _LAST_STATUS:
        raise Refused(f"{name} must be from {_FIRST_STATUS} to {_LAST_STATUS}, not {number}")
    return number


def _count(name: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise Refused(f"{name} must be a whole number of at least 1, not {value!r}")
    return value


def _times(name: str, value: object) -> int | None:
    return None if value is None else _count(name, value)


def _delay(_name: str, value: object) -> int:
    return parse_delay(value)


def _text(name: str, value: object) -> str | None:
    if value is not None and not is_word(value):
        raise Refused(f"{name} must be non-blank text of at most 200 characters, not {value!r}")
    return None if value is None else str(value)


def _fault(name: str, value: object) -> Fault:
    if isinstance(value, str) and value in _ALIASES:
        return _ALIASES[value]
    try:
        return Fault(str(value))
    except ValueError:
        raise Refused(f"{name} {value!r} is not known; use one of {', '.join([*Fault, *_ALIASES])}") from None


def _process(name: str, value: object) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise Refused(f"{name} must be true or false, not {value!r}")
    return value


_READERS: dict[str, Callable[[str, object], Any]] = {
    "status": _status,
    "delay": _delay,
    "times": _times,
    "event_type": _text,
    "event_id": _text,
    "attempt_from": _count,
    "fault": _fault,
    "process": _process,
}
