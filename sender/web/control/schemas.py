"""Schemas of what the control API answers, member by member."""

from __future__ import annotations

from sender.domain.access import KeyKind
from sender.domain.delivery import DeliveryState, Reason, Trigger
from sender.domain.endpoint import EndpointStatus
from sender.web.openapi.answers import ANSWERS, BOOL, COUNT, FILLED, TEXT, Schema, list_of, one_of, record, reference

INSTANT: Schema = {"type": "string", "format": "date-time", "description": "virtual time"}
REAL: Schema = {"type": "string", "format": "date-time", "description": "real time"}
DURATION: Schema = {"type": "string", "pattern": "^([0-9.]+(ms|s|m|h|d))+$"}
WORDS: Schema = list_of(FILLED)
OUTCOME: Schema = {"type": "string", "enum": ["delivered", "failed"]}
PAIRS: Schema = list_of(list_of(TEXT))
ANYTHING: Schema = {"type": "object"}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _items(name: str) -> Schema:
    return record({"items": list_of(reference(name))})


_EVENT: Schema = {
    "event_id": FILLED,
    "event_type": FILLED,
    "resource_id": FILLED,
    "endpoint_id": FILLED,
    "state": one_of(DeliveryState),
    "attempts": COUNT,
    "failures": COUNT,
    "in_flight": BOOL,
    "created_at": INSTANT,
    "next_attempt_at": _or_null(INSTANT),
    "last_attempt": _or_null(reference("LastAttempt")),
}
_ATTEMPT: Schema = {
    "id": COUNT,
    "event_id": FILLED,
    "event_type": FILLED,
    "resource_id": FILLED,
    "endpoint_id": FILLED,
    "number": COUNT,
    "trigger": one_of(Trigger),
    "counted": BOOL,
    "due_at": INSTANT,
    "started_at": INSTANT,
    "finished_at": INSTANT,
    "duration": DURATION,
    "outcome": OUTCOME,
    "reason": _or_null(one_of(Reason)),
    "status": _or_null(COUNT),
    "detail": TEXT,
    "url": FILLED,
    "faults": WORDS,
}
_FAULT_MATCH = record({}, {"event_type": FILLED, "event_id": FILLED, "endpoint_id": FILLED, "attempt": COUNT})

CONTROL_ANSWERS: dict[str, Schema] = {
    "Problem": ANSWERS["Problem"],
    "Flaw": ANSWERS["Flaw"],
    "LastAttempt": record(
        {"outcome": OUTCOME, "reason": _or_null(one_of(Reason)), "status": _or_null(COUNT), "finished_at": INSTANT}
    ),
    "Event": record(_EVENT),
    "EventPage": record({"items": list_of(reference("Event")), "next_cursor": _or_null(FILLED)}),
    "Bytes": record({"text": TEXT, "base64": TEXT}),
    "Exchange": record(
        {
            **_ATTEMPT,
            "request_headers": PAIRS,
            "request_body": reference("Bytes"),
            "answer_headers": PAIRS,
            "answer_body": reference("Bytes"),
            "answer_cut": BOOL,
        }
    ),
    "AttemptPage": record({"items": list_of(reference("Exchange")), "next_after": _or_null(COUNT)}),
    "Mishap": record(
        {
            "what": {
                "type": "string",
                "description": "taken_back from a relay that died or lost its lease, or the crash point armed for it",
            },
            "due_at": _or_null(INSTANT),
        }
    ),
    "EventWithAttempts": record(
        {
            **_EVENT,
            "body": reference("Bytes"),
            "attempts_made": list_of(reference("Exchange")),
            "mishaps": list_of(reference("Mishap")),
        }
    ),
    "Triggered": record({"event_type": FILLED, "resource_id": FILLED, "event_ids": WORDS}),
    "Resent": record({"event_id": FILLED}),
    "ResentMany": record(
        {
            "resent": WORDS,
            "refused": list_of(record({"event_id": FILLED, "code": FILLED, "detail": FILLED})),
            "more": BOOL,
        }
    ),
    "Endpoint": record(
        {
            "id": FILLED,
            "url": FILLED,
            "status": one_of(EndpointStatus),
            "is_test": BOOL,
            "categories": WORDS,
            "project_id": _or_null(FILLED),
            "secret": FILLED,
            "previous_secret_invalid_at": _or_null(INSTANT),
            "created_at": INSTANT,
        }
    ),
    "Endpoints": _items("Endpoint"),
    "Secret": record({"secret": FILLED, "previous_secret": _or_null(FILLED)}),
    "Clock": record({"mode": FILLED, "rate": {"type": "number"}, "now": INSTANT}),
    "Now": record({"now": INSTANT}),
    "Upcoming": record(
        {
            "at": INSTANT,
            "what": {"type": "string", "enum": ["attempt", "expiry", "rotation_end"]},
            "id": FILLED,
            "about": FILLED,
            "waits": BOOL,
        }
    ),
    "UpcomingList": record({"now": INSTANT, "items": list_of(reference("Upcoming"))}),
    "Fault": record(
        {
            "id": COUNT,
            "kind": {"type": "string", "enum": ["crash", "wire"]},
            "name": FILLED,
            "on": _FAULT_MATCH,
            "params": {"type": "object", "additionalProperties": TEXT},
            "times": COUNT,
        }
    ),
    "Faults": _items("Fault"),
    "FaultId": record({"id": COUNT}),
    "Project": record({"id": FILLED, "name": FILLED}),
    "Projects": _items("Project"),
    "Key": record({"id": FILLED, "kind": one_of(KeyKind), "is_test": BOOL, "secret": FILLED}),
    "Keys": _items("Key"),
    "Stories": record({"items": WORDS}),
    "Run": record(
        {
            "id": FILLED,
            "story": FILLED,
            "state": {"type": "string", "enum": ["running", "passed", "failed", "could_not_run", "stopped"]},
            "started_at": REAL,
            "finished_at": _or_null(REAL),
            "lines": COUNT,
            "cut": BOOL,
            "problem": _or_null(TEXT),
            "report": _or_null(ANYTHING),
        }
    ),
    "Runs": _items("Run"),
    "RunLines": record({"items": list_of(ANYTHING), "next_after": COUNT, "state": FILLED, "ended": BOOL}),
    "Traffic": record(
        {
            "id": FILLED,
            "name": FILLED,
            "rhythm": FILLED,
            "state": {"type": "string", "enum": ["running", "stopped"]},
            "started_at": REAL,
            "finished_at": _or_null(REAL),
            "fired": COUNT,
            "done": COUNT,
            "refused": COUNT,
            "last_refusal": _or_null(FILLED),
        }
    ),
    "TrafficList": record({"items": list_of(reference("Traffic")), "ships": WORDS}),
    "Cleared": record({"waited_for": COUNT, "dropped": COUNT}),
    "Health": record(
        {
            "status": {"type": "string", "enum": ["ok", "failing"]},
            "api": BOOL,
            "database": BOOL,
            "relay": BOOL,
            "lag": _or_null(DURATION),
        }
    ),
}
