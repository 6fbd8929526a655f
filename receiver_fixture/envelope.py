"""The envelope around every event (contract §2.1): read the JSON, check the five members.

As strict as the provider's own libraries and no stricter: what ``data`` holds is looked at later, by the background
application, because an event that is already stored cannot be lost over a detail of its content.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn

from receiver_fixture.kinds import kind_of
from receiver_fixture.words import is_word, word_or_none

_LARGEST = 2**53


@dataclass(frozen=True, slots=True)
class Envelope:
    """A checked envelope."""

    event_id: str
    event_type: str
    version: int
    occurred_at: int
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BadEnvelope:
    """Why a body is not an envelope: a reason word and a sentence."""

    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Claim:
    """What a body says it is about, believed or not; only ever used as evidence and to pick a scripted answer."""

    event_id: str | None = None
    event_type: str | None = None
    resource_id: str | None = None


def read_json(body: bytes) -> object:
    """Decode a body as strict UTF-8 JSON; ``None`` when it is not (a bare ``null`` is no envelope either)."""
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    # A few kilobytes of brackets exhaust the parser's stack; that is bad input, not a fault of ours.
    except (ValueError, RecursionError):
        return None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def read_envelope(document: object) -> Envelope | BadEnvelope:
    """Check a decoded body (contract §2.1): ids non-blank, ``version`` ≥ 1, ``occurred_at`` ≥ 0, ``data`` an object."""
    if not isinstance(document, dict):
        return BadEnvelope("json_invalid", "the body is not a JSON object in UTF-8")
    for member, expected in _EXPECTED.items():
        if not _holds(member, document.get(member)):
            return BadEnvelope("envelope_invalid", f"{member} must be {expected}")
    return Envelope(**{member: document[member] for member in _EXPECTED})


_EXPECTED = {
    "event_id": "non-blank text of at most 200 characters",
    "event_type": "non-blank text of at most 200 characters",
    "version": "an integer of at least 1",
    "occurred_at": "an integer of Unix seconds, 0 or more",
    "data": "an object",
}


def _holds(member: str, value: object) -> bool:
    if member == "data":
        return isinstance(value, dict)
    if member in {"event_id", "event_type"}:
        return is_word(value)
    lowest = 1 if member == "version" else 0
    return isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= _LARGEST


def read_claim(document: object) -> Claim:
    """Say what a decoded body is about, as far as it can be told."""
    if not isinstance(document, dict):
        return Claim()
    event_type = word_or_none(document.get("event_type"))
    kind, data = kind_of(event_type), document.get("data")
    resource_id = word_or_none(data.get(kind.id_member)) if kind and isinstance(data, dict) else None
    return Claim(word_or_none(document.get("event_id")), event_type, resource_id)
