"""The step ``wire`` of a story: every fault can be written, with its own fields and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from jsonschema_rs import validator_for

from sender.scenario.language import json_schema
from sender.scenario.language.wire import Wire, WireFault
from sender.wire import WIRE_FAULTS, wire_fault
from tests.scenarios import CREATE, read_story, refusal

if TYPE_CHECKING:
    from pathlib import Path

WRITTEN = {
    "lose_request": {},
    "lose_response": {},
    "drop": {},
    "delay, by: 250ms": {"by": "250ms"},
    "reorder, at_most: 5s": {"at_most": "5s"},
    "duplicate, copies: 2, spacing: 1m, ids: new": {"copies": "2", "spacing": "1m", "ids": "new"},
    "bad_signature": {},
    "wrong_secret": {},
    "stale_timestamp, age: -1h30m": {"age": "-1h30m"},
    "missing_header, header: X-Webhook-Timestamp": {"header": "X-Webhook-Timestamp"},
    "tampered_body": {},
}

REFUSED = {
    "drop, age: 5m": ("4:11", "drop has no age; only stale_timestamp has"),
    "missing_header, by: 1s": ("4:11", "missing_header has no by; only delay has"),
    "delay, by: 31s": ("4:30", "by: '31s' of real time is too long to wait; at most 30s is right"),
    "duplicate, ids: other": ("4:35", "ids: 'other' is not a word for the ids of copies; write one of same, new"),
    "stale_timestamp, age: 0": ("4:41", "age: '0' is no age of a timestamp; write whole seconds, as in 10m"),
    "stale_timestamp, age: -90": ("4:41", "age: '90' has no unit"),
    "missing_header, header: X-Webhook-Sig": ("4:43", "header: 'X-Webhook-Sig' is not a header that the provider"),
}


@pytest.mark.parametrize("typed", WRITTEN)
def test_a_fault_is_armed_as_it_is_written(typed: str, tmp_path: Path) -> None:
    """The step is read, the wire takes its name and fields, and editors find nothing wrong with it."""
    story = read_story(tmp_path, f"name: x\nsteps:\n{CREATE}  - wire: {{fault: {typed}}}\n")
    step = story.steps[1].action
    assert isinstance(step, Wire)
    assert step.params == WRITTEN[typed]
    assert wire_fault(step.fault.value, step.params).name == typed.split(",", maxsplit=1)[0]
    fields = dict(pair.split(": ") for pair in f"fault: {typed}".split(", "))
    document = {"name": "x", "steps": [{"wire": fields}]}
    assert [str(one) for one in validator_for(json_schema()).iter_errors(document)] == []


def test_the_language_names_every_fault_of_the_wire() -> None:
    """Neither side knows a fault that the other does not, and each is written down once above."""
    names = [kind.name for kind in WIRE_FAULTS]
    assert names == [fault.value for fault in WireFault] == [typed.split(",")[0] for typed in WRITTEN]


@pytest.mark.parametrize("typed", REFUSED)
def test_a_bad_fault_is_refused_with_place_and_remedy(typed: str, tmp_path: Path) -> None:
    """Line and column of the very value, what is wrong and what would be right."""
    place, sentence = REFUSED[typed]
    (said,) = refusal(tmp_path, f"name: x\nsteps:\n{CREATE}  - wire: {{fault: {typed}}}\n")
    assert said.startswith(f"{place}: step 2 (wire): {sentence}")
