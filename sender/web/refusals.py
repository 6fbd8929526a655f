"""What only HTTP can refuse a request for: who asks, how often, how much, in which form."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sender.errors import RequestRefused

if TYPE_CHECKING:
    from collections.abc import Sequence


class Flaw(NamedTuple):
    """One thing that is wrong with one member of a request; ``code`` is of the family ``field_…`` (contract §5.6)."""

    code: str
    field: str
    message: str


class Invalid(RequestRefused):
    """The request is not valid

    One flaw is told flat, under its own code; several as ``validation_failed`` with a list (contract §5.6).
    """

    code = "validation_failed"

    def __init__(self, flaws: Sequence[Flaw]) -> None:
        first = flaws[0]
        if len(flaws) == 1:
            super().__init__(first.message, code=first.code, field=first.field)
            self.flaws: Sequence[Flaw] = ()
        else:
            super().__init__(f"{len(flaws)} members of the request are not valid; errors lists them")
            self.flaws = flaws


class Unauthorized(RequestRefused):
    """The request is not authenticated"""

    code = "unauthorized"
    status = 401


class TooLarge(RequestRefused):
    """The body is too large"""

    code = "body_too_large"
    status = 413


class NotJson(RequestRefused):
    """The body is in a form that is not taken"""

    code = "unsupported_media_type"
    status = 415


class RateLimited(RequestRefused):
    """Too many requests

    ``retry_after`` is in whole seconds of real time.
    """

    code = "rate_limited"
    status = 429

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after
