"""Crash points: named instants at which a process can be made to die (design §6).

A point costs one attribute test while nothing is armed. Arming is data (a row of ``faults``), taken durably when the
delivery or the command is picked up, so that a process that dies does not die again of the same order.
"""

from __future__ import annotations

import os
from enum import StrEnum
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

EXIT_CODE = 137
"""What a killed process leaves behind: 128 + SIGKILL."""


class CrashPoint(StrEnum):
    """Every instant at which a process can be told to die; each is hit at exactly one line."""

    DISPATCH_BEFORE_COMMIT = "dispatch.before_commit"
    DISPATCH_AFTER_COMMIT = "dispatch.after_commit"
    RELAY_AFTER_CLAIM = "relay.after_claim"
    RELAY_AFTER_SEND = "relay.after_send"
    RELAY_BEFORE_COMMIT = "relay.before_commit"
    RELAY_AFTER_COMMIT = "relay.after_commit"


class Crashed(BaseException):
    """The process, or the part that stands for it, died at a crash point."""

    def __init__(self, point: CrashPoint) -> None:
        super().__init__(point.value)
        self.point = point


def die_for_real(_point: CrashPoint) -> NoReturn:
    """End this process at once: no ``finally``, no flush, no goodbye to the database."""
    os._exit(EXIT_CODE)


def drop_in_process(point: CrashPoint) -> NoReturn:
    """Stand for the death of a process inside a living one."""
    raise Crashed(point)


class CrashSwitch:
    """Carries out what is armed for the thing at hand: by real death in a child, by ``Crashed`` in process."""

    def __init__(self, die: Callable[[CrashPoint], NoReturn] = drop_in_process) -> None:
        self._die = die

    def hit(self, point: CrashPoint, armed: Iterable[CrashPoint]) -> None:
        """Die when ``point`` is among the armed ones."""
        if point in armed:
            self._die(point)
