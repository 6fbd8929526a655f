"""A signature taken apart: what was signed, with which secret, and whether each value fits (contract §1.2, §1.3)."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sender.domain.signature import webhook_signature
from sender.web.control.endpoints import masked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.domain.endpoint import Endpoint

Whose = Literal["current", "previous", "unknown"]

_LONGEST_DIGITS = 15


@dataclass(frozen=True, slots=True)
class Value:
    """One ``v1`` of the header, and whose secret makes it; the secret by its end only."""

    text: str
    whose: Whose
    secret: str


@dataclass(frozen=True, slots=True)
class Explained:
    """A header in parts. ``timestamp`` is ``None`` for a header that has no such number."""

    header: str
    timestamp: int | None
    values: tuple[Value, ...]

    @property
    def fits(self) -> bool:
        """Whether one of the endpoint's secrets makes one of the values, which is what a receiver asks."""
        return any(value.whose != "unknown" for value in self.values)

    @property
    def rotating(self) -> bool:
        """Whether two secrets have signed."""
        return len(self.values) > 1


def explain(header: str, body: bytes, endpoint: Endpoint | None) -> Explained:
    """Return the parts of a signature header with what is known of its secrets today."""
    parts = [part.partition("=") for part in header.split(",")]
    stamps = [text for name, _, text in parts if name == "t" and text.isdecimal() and len(text) <= _LONGEST_DIGITS]
    timestamp = int(stamps[0]) if stamps else None
    values = tuple(_value(text, body, timestamp, _secrets(endpoint)) for name, _, text in parts if name == "v1")
    return Explained(header, timestamp, values)


def _secrets(endpoint: Endpoint | None) -> Sequence[tuple[Whose, str]]:
    if endpoint is None:
        return ()
    previous: list[tuple[Whose, str]] = [("previous", endpoint.previous_secret)] if endpoint.previous_secret else []
    return [("current", endpoint.secret), *previous]


def _value(text: str, body: bytes, timestamp: int | None, secrets: Sequence[tuple[Whose, str]]) -> Value:
    for whose, secret in secrets:
        if timestamp is not None and _same(text, webhook_signature(body, secret, timestamp)):
            return Value(text, whose, masked(secret))
    return Value(text, "unknown", "")


def _same(text: str, made: str) -> bool:
    return hmac.compare_digest(text.encode("utf-8", "surrogateescape"), made.encode())
