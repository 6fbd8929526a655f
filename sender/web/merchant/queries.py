"""Queries: read strictly, then checked; what the lists can be filtered by (contract §5.5)."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qsl

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import Self

from sender.domain.invoice import InvoiceStatus
from sender.suggest import shown
from sender.web.refusals import Flaw, Invalid
from sender.web.validation import Fields, Text, checked

DEFAULT_LIMIT = 50
"""The length of a page when none is asked for; the provider's is unknown (contract §5.5)."""

LATEST = 253_402_300_799
"""The last second of the year 9999."""

Q = TypeVar("Q", bound=Fields)
T = TypeVar("T")


def read_query(model: type[Q], query: str) -> Q:
    """Return the query as ``model``. Raises ``Invalid`` for unknown, repeated, malformed and empty parameters."""
    if query in {"", "?"}:
        return checked(model, {})
    members: dict[str, Any] = {}
    for name, value in _pairs(query[1:]):
        members.setdefault(name, []).append(value)
    return checked(model, {name: _single(model, name, values) for name, values in members.items()})


def _pairs(query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query, keep_blank_values=True, strict_parsing=True, errors="strict")
    except ValueError:
        raise Invalid([Flaw("validation_failed", "", f"the query {shown(query)} is not NAME=VALUE&NAME=VALUE in UTF-8")]) from None


def _single(model: type[Fields], name: str, values: list[str]) -> Any:
    if model.model_fields.get(name) and name == "status":
        return tuple(values)
    if len(values) > 1:
        raise Invalid([Flaw("field_invalid", name[:60], f"{shown(name)} may be there once")])
    return values[0]
