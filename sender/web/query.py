"""Queries of every API: read strictly from the target as it was sent, then checked like a body."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, ClassVar, TypeVar
from urllib.parse import parse_qsl

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from sender.suggest import shown
from sender.web.refusals import Flaw, Invalid
from sender.web.validation import Fields, checked

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_DIGITS = 18


def _is_digits(text: object) -> int:
    if not isinstance(text, str) or not text.isascii() or not text.isdigit() or len(text) > MOST_DIGITS:
        raise PydanticCustomError("field_invalid", "must be a whole number in digits")
    return int(text)


digits = BeforeValidator(_is_digits)
"""Makes an integer take what a query has: digits and nothing else."""


class Query(Fields):
    """The parameters of one operation; ``repeated`` names those that may be there more than once."""

    repeated: ClassVar[frozenset[str]] = frozenset()


Q = TypeVar("Q", bound=Query)


def read_query(model: type[Q], query: str) -> Q:
    """Return a query, given with its question mark, as ``model``.

    Raises ``Invalid`` for parameters that are unknown, malformed, empty, or repeated where they may not be.
    """
    return _nothing_asked(model) if not query else _checked(model, query)


@cache
def _nothing_asked(model: type[Q]) -> Q:
    """Return what a request without a query asks for; queries do not change, so one serves all."""
    return checked(model, {})


def _checked(model: type[Q], query: str) -> Q:
    members: dict[str, list[str]] = {}
    for name, value in _pairs(query[1:]):
        members.setdefault(name, []).append(value)
    return checked(model, {name: _value(name, values, model.repeated) for name, values in members.items()})


def _pairs(query: str) -> Sequence[tuple[str, str]]:
    if not query:  # a question mark alone
        return ()
    try:
        return parse_qsl(query, keep_blank_values=True, strict_parsing=True, errors="strict")
    except ValueError:
        message = f"the query {shown(query)} is not NAME=VALUE&NAME=VALUE in UTF-8"
        raise Invalid([Flaw("malformed_query", "", message)]) from None


def _value(name: str, values: list[str], repeated: frozenset[str]) -> str | tuple[str, ...]:
    if name in repeated:
        return tuple(values)
    if len(values) > 1:
        raise Invalid([Flaw("field_invalid", shown(name)[1:-1], f"{shown(name)} may be there once")])
    return values[0]
