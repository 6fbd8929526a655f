"""One operation of the merchant API as data: what it is called by, who may, what goes in and what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from sender.web.query import Query
from sender.web.validation import Fields

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sender.web.merchant.gate import Caller

B = TypeVar("B", bound=Fields)
Q = TypeVar("Q", bound=Query)


class Nothing(Query):
    """A body or a query without members."""


@dataclass(frozen=True, slots=True)
class Ask(Generic[B, Q]):
    """A request that was admitted and read; ``id`` is what the path names, or empty."""

    caller: Caller
    id: str
    body: B
    query: Q


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: a JSON document, and whether something was created for it (201 instead of 200)."""

    document: Any
    created: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation. ``answer`` names the schema of its documents; ``refusals`` are the statuses of its own.

    What every operation may answer besides (400, 401, 403, 413, 415, 429, 503) goes without saying.
    """

    name: str
    method: Literal["GET", "POST"]
    path: str
    handle: Callable[[Ask[Any, Any]], Awaitable[Reply]]
    answer: str
    summary: str
    key: Literal["payment", "payout"] | None = None
    sandbox: bool = False
    body: type[Fields] = Nothing
    query: type[Query] = Nothing
    creates: bool = False
    refusals: tuple[int, ...] = ()

    @property
    def has_id(self) -> bool:
        """Whether the path names a resource."""
        return "{id}" in self.path
