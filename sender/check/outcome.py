"""What comes of a check: its verdict, the sentences that explain it, and the requests that show it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sender.durations import Duration


class Verdict(StrEnum):
    """How a check ended. A check that lacks what it needs has found nothing, and is never counted as passed."""

    PASSED = "passed"
    WARNED = "warned"
    FAILED = "failed"
    NOT_CHECKED = "not_checked"
    NOTED = "noted"


class Failed(Exception):  # noqa: N818 - a verdict
    """The receiver does what costs money; the message says what happened."""


class Unjudged(Exception):  # noqa: N818 - the absence of one
    """It cannot be told; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came of it; ``status`` is ``None`` where no answer came, and ``answer`` says why."""

    note: str
    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    status: int | None
    answer: str
    elapsed: Duration

    @property
    def taken(self) -> bool:
        """Whether the answer ends the provider's ladder: any 2xx (contract §1.5)."""
        return self.status is not None and 200 <= self.status <= 299  # noqa: PLR2004 - the class of successes

    @property
    def outcome(self) -> str:
        """How it went, in a few words."""
        return f"answered {self.status}" if self.status is not None else f"not answered ({self.answer})"


@dataclass(frozen=True, slots=True)
class Result:
    """One check, finished. ``findings`` are whole sentences; ``seconds`` are real."""

    id: str
    group: str
    title: str
    verdict: Verdict
    findings: tuple[str, ...] = ()
    cost: str = ""
    mend: str = ""
    exchanges: tuple[Exchange, ...] = ()
    seconds: float = 0.0
