"""Scripted answers: which one, for which delivery, how often; kept in memory, gone with the process."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from receiver_fixture.clock import SECOND, Micros

if TYPE_CHECKING:
    from receiver_fixture.envelope import Claim


class Fault(StrEnum):
    """What goes wrong with an answer; the names are toxiproxy's where it has one."""

    NONE = "none"
    TIMEOUT = "timeout"
    RESET_PEER = "reset_peer"
    SLOW_CLOSE = "slow_close"
    CLOSE = "close"
    REDIRECT = "redirect"
    HUGE_BODY = "huge_body"
    GARBAGE = "garbage"


# After these no client ever sees a status.
_SILENT = frozenset({Fault.TIMEOUT, Fault.RESET_PEER, Fault.CLOSE, Fault.GARBAGE})

_LAST_SUCCESS = 299


@dataclass(frozen=True, kw_only=True, slots=True)
class Script:
    """One scripted answer.

    ``delay`` in microseconds passes before it (``slow_close``: between the answer and the end of the connection).
    ``times`` ``None`` is for ever. ``attempt_from`` n: from the n-th request for an event on. ``process``: whether the
    delivery is handled as usual first; by default only when the client will see a 2xx.
    """

    status: int = 200
    delay: Micros = 0
    times: int | None = None
    event_type: str | None = None
    event_id: str | None = None
    attempt_from: int = 1
    fault: Fault = Fault.NONE
    process: bool | None = None

    @property
    def visible_status(self) -> int | None:
        """Return the status that the client will see, if it will see one."""
        return None if self.fault in _SILENT else self.status

    @property
    def processes(self) -> bool:
        """Tell whether the delivery is handled before it is answered this way."""
        if self.process is not None:
            return self.process
        return self.visible_status is not None and self.visible_status <= _LAST_SUCCESS

    def matches(self, claim: Claim, number: int) -> bool:
        """Tell whether this answer is meant for the ``number``-th request of that event."""
        return (
            self.event_type in {None, claim.event_type}
            and self.event_id in {None, claim.event_id}
            and number >= self.attempt_from
        )


@dataclass(slots=True)
class Entry:
    """A queued script, how often it was used, and the signal that it was taken away."""

    script: Script
    used: int = 0
    withdrawn: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def exhausted(self) -> bool:
        """Tell whether it has no times left."""
        return self.script.times is not None and self.used >= self.script.times

    def shown(self) -> dict[str, Any]:
        """Return it as JSON; the delay in seconds."""
        script = self.script
        return {
            "status": script.status,
            "delay": script.delay / SECOND,
            "times": script.times,
            "event_type": script.event_type,
            "event_id": script.event_id,
            "attempt_from": script.attempt_from,
            "fault": script.fault,
            "process": script.processes,
            "used": self.used,
        }


class ScriptQueue:
    """The scripts in the order they were given; the first that matches and has times left answers."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []

    def add(self, script: Script) -> Entry:
        """Queue one more."""
        entry = Entry(script)
        self._entries.append(entry)
        return entry

    def take(self, claim: Claim, number: int) -> Entry | None:
        """Use up one time of the first script that fits this request."""
        for entry in self._entries:
            if not entry.exhausted and entry.script.matches(claim, number):
                entry.used += 1
                return entry
        return None

    @property
    def counts_attempts(self) -> bool:
        """Tell whether any script asks for the number of the request."""
        return any(entry.script.attempt_from > 1 for entry in self._entries)

    def clear(self) -> None:
        """Take all of them away; requests that were kept waiting by one are let go."""
        entries, self._entries = self._entries, []
        for entry in entries:
            entry.withdrawn.set()

    def shown(self) -> list[dict[str, Any]]:
        """Return all of them as JSON, the used up ones too."""
        return [entry.shown() for entry in self._entries]
