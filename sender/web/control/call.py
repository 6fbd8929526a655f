"""One call of the control API as data: how it is named and reached, what goes in and what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from sender.web.merchant.operation import Nothing
from sender.web.query import Query
from sender.web.validation import Fields

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from aiohttp import web

B = TypeVar("B", bound=Fields)
Q = TypeVar("Q", bound=Query)


@dataclass(frozen=True, slots=True)
class Ask(Generic[B, Q]):
    """A request that was let in and read; ``id`` is what the path names, or empty."""

    request: web.Request
    id: str
    body: B
    query: Q


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: a JSON document, or ``None`` for an empty one."""

    document: Any = None
    status: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call. ``answer`` names the schema of its documents, or is ``None`` where it answers something else.

    ``content`` is the media type of that, or empty for nothing; ``refusals`` are the statuses of its own.
    """

    name: str
    method: Literal["GET", "POST", "PATCH", "DELETE"]
    path: str
    handle: Callable[[Ask[Any, Any]], Awaitable[Reply | web.StreamResponse]]
    summary: str
    answer: str | None = None
    status: int = 200
    body: type[Fields] | None = None
    query: type[Query] = Nothing
    refusals: tuple[int, ...] = ()
    content: str = ""
    # Answered without a token: what start scripts and containers ask.
    open: bool = False


MOST_DIGITS = 18


def number_of(text: str) -> int | None:
    """Return the number that an id in a path is, or ``None`` for text that is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None
