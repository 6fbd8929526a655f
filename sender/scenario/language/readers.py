"""From the text that was typed to the value that is meant; the complaint says what would be right.

Every reader raises ``ValueError`` or one of our own errors with a sentence for the person who wrote the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from sender.clock import parse_mode
from sender.domain.money import ZERO, parse_decimal
from sender.domain.sandbox import Stage
from sender.durations import Duration, Instant, format_duration, parse_duration, parse_instant
from sender.suggest import remedy, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from decimal import Decimal
    from enum import StrEnum

E = TypeVar("E", bound="StrEnum")

NONE = "none"
"""The word for what is not there: no answer, no reason, no order."""
PAYING = tuple(stage for stage in Stage if stage is not Stage.CANCEL)
"""The stages of the sandbox that pay."""
MAX_TEXT = 1_000
MAX_PARAGRAPH = 10_000
MAX_URL = 2_000
MAX_SECRET = 256
EXAMPLE_URL = "http://127.0.0.1:8000/webhook"

_DIGITS = re.compile(r"0|[1-9][0-9]{0,18}")
_ENV = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]{0,99})\}")


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in a story: an instant, or a duration since the story's start."""

    value: Instant | Duration
    since_start: bool

    def at(self, start: Instant) -> Instant:
        """Return the instant, in a story that starts at ``start``."""
        return start + self.value if self.since_start else self.value


def typed(value: object) -> str:
    """Return the text that was typed; raise where there is none, a list or fields."""
    if isinstance(value, str):
        return value
    if value is None:
        raise ValueError("a value is missing; write one, or leave the line out (text that reads null needs quotes)")
    kind = "a list" if isinstance(value, list | tuple) else "fields"
    raise ValueError(f"this must be a single value, not {kind}")


def text(longest: int = MAX_TEXT) -> Callable[[str], str]:
    """Return the reader of free text of a bounded length."""

    def read(word: str) -> str:
        if not word.strip():
            raise ValueError("this text is empty; write some, or leave the line out")
        if len(word) > longest:
            raise ValueError(f"this text has {len(word)} characters; at most {longest} are right")
        if "${" in word:
            raise ValueError("nothing is filled in here; ${env:NAME} stands only in the url and secret of an endpoint")
        return word

    return read


def matching(pattern: re.Pattern[str], sentence: str) -> Callable[[str], str]:
    """Return the reader of words of one form; ``sentence`` says what the word is not, and the form."""

    def read(word: str) -> str:
        if not pattern.fullmatch(word):
            raise ValueError(f"{shown(word)} is not {sentence}")
        return word

    return read


def one_of(words: Iterable[str], what: str) -> Callable[[str], str]:
    """Return the reader of a word out of a list."""
    known = list(words)

    def read(word: str) -> str:
        if word not in known:
            raise ValueError(f"{shown(word)} is not {what}; {remedy(word, known)}")
        return word

    return read


def member(enum: type[E], what: str) -> Callable[[str], E]:
    """Return the reader of a member of an enum by its value."""
    read = one_of([item.value for item in enum], what)
    return lambda word: enum(read(word))


def whole(lowest: int, highest: int, what: str) -> Callable[[str], int]:
    """Return the reader of a whole number in plain digits."""

    def read(word: str) -> int:
        if not _DIGITS.fullmatch(word):
            raise ValueError(f"{shown(word)} is not {what}; write plain digits, as in {max(lowest, 1)}")
        if not lowest <= int(word) <= highest:
            raise ValueError(f"{word} is not {what}; it goes from {lowest} to {highest}")
        return int(word)

    return read


def or_none(read: Callable[[str], object]) -> Callable[[str], object]:
    """Return the reader that also takes ``none``, as ``None``."""
    return lambda word: None if word == NONE else read(word)


def stage(word: str) -> Stage:
    """Read a stage of payment; the sandbox's stage ``cancel`` has a step of its own here."""
    if word == Stage.CANCEL:
        raise ValueError("cancel is a step of its own; write cancel: {invoice: order}")
    return Stage(one_of(PAYING, "a stage of payment")(word))


def flag(word: str) -> bool:
    """Read ``true`` or ``false``; ``yes`` and ``NO`` are words like any other."""
    if word not in {"true", "false"}:
        raise ValueError(f"{shown(word)} is neither true nor false; write one of these two words")
    return word == "true"


def money(word: str) -> Decimal:
    """Read an amount of money: plain digits with at most one dot, more than zero (contract §5.3)."""
    plain = re.sub("[_,' ]", "", word)
    if plain != word and re.fullmatch(r"[0-9]+(\.[0-9]+)?", plain):
        raise ValueError(f"{shown(word)} is not a plain amount; write {plain}")
    if re.match("0[0-9]", word):
        raise ValueError(f"{shown(word)} begins with a 0 that says nothing; write it as in 510.20")
    amount = parse_decimal(word)
    if amount <= ZERO:
        raise ValueError(f"{shown(word)} is no money; an amount is more than 0, as in 11.05")
    return amount


def some_time(word: str) -> Duration:
    """Read a duration that is more than zero."""
    duration = parse_duration(word)
    if duration == 0:
        raise ValueError(f"{shown(word)} is no time at all; write more than 0, as in 200ms")
    return duration


def up_to(longest: Duration) -> Callable[[str], Duration]:
    """Return the reader of a duration of real time, which is bounded by patience."""

    def read(word: str) -> Duration:
        duration = parse_duration(word)
        if duration > longest:
            raise ValueError(
                f"{shown(word)} of real time is too long to wait; at most {format_duration(longest)} is right"
            )
        return duration

    return read


def moment(word: str) -> Moment:
    """Read a point in a story: ``2026-03-01T09:00:00Z``, or ``16h`` since its start."""
    if re.match("[0-9]{4}-", word):
        return Moment(parse_instant(word), since_start=False)
    return Moment(parse_duration(word), since_start=True)


def clock_mode(word: str) -> str:
    """Read a clock mode and hand it on as it is written."""
    parse_mode(word)
    return word


def url(word: str, environ: Mapping[str, str] | None) -> str:
    """Read the address of an endpoint, with ``${env:NAME}`` filled in when ``environ`` is given."""
    address = _filled(word, environ)
    if environ is None and _ENV.search(word):
        return address
    try:
        parts = urlsplit(address)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or len(address) > MAX_URL or re.search(r"[\s\x00-\x1f\x7f]", address):
        raise ValueError(f"{shown(word)} is not an address; write http or https, host and path, as in {EXAMPLE_URL}")
    return address


def secret(word: str, environ: Mapping[str, str] | None) -> str:
    """Read a webhook secret, with ``${env:NAME}`` filled in when ``environ`` is given. No message shows it."""
    value = _filled(word, environ)
    if not re.fullmatch(r"[\x21-\x7e]+", value) or len(value) > MAX_SECRET:
        raise ValueError(
            f"this is not a secret; it is 1 to {MAX_SECRET} ASCII characters without blanks, as in whsec_…"
        )
    return value


def _filled(word: str, environ: Mapping[str, str] | None) -> str:
    if "${" in _ENV.sub("", word):
        raise ValueError("only ${env:NAME} is filled in, with a name of letters, digits and _; mend it or leave it out")
    if environ is None:
        return word
    missing = [name for name in _ENV.findall(word) if not environ.get(name)]
    if missing:
        raise ValueError(f"the environment variable {missing[0]} is not set; set it, or write the value here")
    return _ENV.sub(lambda found: environ[found[1]], word)
