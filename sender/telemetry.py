"""The log: a closed catalogue of events, one wide line per attempt, people's text or JSON.

| event | says |
| --- | --- |
| relay.started | a relay runs: owner, process id |
| relay.stopped | a relay ended as it was told to: owner, how many requests it cut off |
| relay.died | a relay ended otherwise: exit code or cause, rows given back |
| attempt.recorded | one attempt is durable: event, endpoint, number, outcome, reason, status, duration |
| lease.lost | a relay found that its rows had been given to another one |
| sending.failed | a request met a bug of ours and was recorded as a failed attempt: event, the traceback |
| store.failed | our own storage failed; nobody's rung is spent |
| clock.moved | virtual time jumped: from, to |
| traffic.refused | something that recurring traffic wanted was refused: which, why |
| request.failed | a request met a bug of ours: method, path, trace id and the traceback |
| environment.proxy_used | proxy variables are honoured because somebody asked for it |
"""

from __future__ import annotations

import logging
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, TextIO

import structlog

from sender.harmless import plain, plain_text

if TYPE_CHECKING:
    from collections.abc import MutableMapping


class Event(StrEnum):
    """Every event that is ever logged; see the table above."""

    RELAY_STARTED = "relay.started"
    RELAY_STOPPED = "relay.stopped"
    RELAY_DIED = "relay.died"
    ATTEMPT_RECORDED = "attempt.recorded"
    LEASE_LOST = "lease.lost"
    SENDING_FAILED = "sending.failed"
    STORE_FAILED = "store.failed"
    CLOCK_MOVED = "clock.moved"
    TRAFFIC_REFUSED = "traffic.refused"
    REQUEST_FAILED = "request.failed"
    PROXY_USED = "environment.proxy_used"


class Log(Protocol):
    """What the parts call; bound values go out with every line."""

    def info(self, event: str, **values: Any) -> Any:
        """Log something ordinary."""

    def warning(self, event: str, **values: Any) -> Any:
        """Log something a person should look at."""

    def bind(self, **values: Any) -> Log:
        """Return a log whose lines carry these values too."""


def make_log(level: str = "warning", *, as_json: bool = False, stream: TextIO | None = None) -> Log:
    """Return a log at ``level`` (info, warning) on ``stream`` (standard error): people's text, or one JSON a line."""
    render: Any = structlog.processors.JSONRenderer() if as_json else _people
    logger: Log = structlog.wrap_logger(
        # Line and newline in one piece: several relays write to one standard error, and each line has to stay whole.
        structlog.WriteLogger(stream or sys.stderr),
        processors=[structlog.processors.add_log_level, render],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        cache_logger_on_first_use=True,
    )
    return logger


def _people(_logger: object, _name: str, values: MutableMapping[str, Any]) -> str:
    if values["event"] == Event.ATTEMPT_RECORDED:
        return _two_lines(values)
    rest = " ".join(f"{key}={plain_text(str(value))}" for key, value in values.items() if key not in {"event", "level"})
    return f"{values['level']}: {values['event']} {rest}".rstrip()


def _two_lines(values: MutableMapping[str, Any]) -> str:
    answer = values["status"] if values["status"] is not None else values["reason"]
    return (
        f"--> {values['event_type']} [{values['event_id']}]\n"
        f"<-- [{answer}] POST {plain(values['url'])} [{values['event_id']}] ({values['duration_ms']} ms)"
    )
