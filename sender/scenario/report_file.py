"""The JSON report: one document for all runs. With the same seed it is the same, byte for byte, but for some fields."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sender.scenario.report_json import as_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.scenario.report_record import Record

WALL_CLOCK_FIELDS = (
    "answer_body",
    "answer_headers",
    "detail",
    "duration_ms",
    "elapsed_ms",
    "receiver",
    "request_headers",
    "url",
)
"""What differs from run to run: durations, signatures over real time, the ports of this machine, and what a receiver
says."""


def json_report(records: Sequence[Record], version: str) -> bytes:
    """Return the document: what each run was, its verdict, and everything that was told of it."""
    document = {
        "tool": "paymos-sim",
        "version": version,
        "verdict": "passed" if all(record.passed for record in records) else "failed",
        "wall_clock_fields": WALL_CLOCK_FIELDS,
        "stories": [_story(record) for record in records],
    }
    return json.dumps(document, indent=1).encode() + b"\n"


def _story(record: Record) -> dict[str, Any]:
    return {
        "story": record.story,
        "name": record.name,
        "file": record.file,
        "seed": record.seed,
        "command": record.command,
        "verdict": record.verdict,
        "trouble": record.trouble or None,
        "events": [as_document(event) for event in record.events],
    }
