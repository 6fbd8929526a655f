"""The exception tree: what may go wrong, under which stable code, with which HTTP status.

    SimError
    ├── UsageError              the command, file or setting cannot be used: exit 2
    │   ├── BadDuration
    │   ├── FileRefused         a YAML file, with place and remedy
    │   └── NotAvailable        a port, a database, an optional part that is missing
    ├── RequestRefused          a caller asked for something that cannot be: 4xx
    │   ├── Forbidden
    │   ├── NotFound
    │   └── Conflict
    └── StoreError              our own storage failed: 503, spends nobody's rung

The docstring of a class is its title; an instance carries the sentence for the case at hand.
"""

from __future__ import annotations

from typing import ClassVar


class SimError(Exception):
    """Something went wrong in the simulator"""

    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500

    def __init__(self, message: str = "") -> None:
        super().__init__(message or self.title())

    @classmethod
    def title(cls) -> str:
        """Return the class's one-line title, for problem documents and reports."""
        return (cls.__doc__ or cls.__name__).splitlines()[0]


class UsageError(SimError):
    """What was given cannot be used as it is written"""

    code = "usage"
    status = 400


class BadDuration(UsageError):
    """A duration needs a number and a unit"""

    code = "bad_duration"


class FileRefused(UsageError):
    """A file has errors

    ``problems`` are complete sentences, each with its own place, in file order.
    """

    code = "file_refused"

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class NotAvailable(UsageError):
    """Something that is needed is not there"""

    code = "not_available"
    status = 503


class RequestRefused(SimError):
    """The request cannot be carried out

    ``code`` may be given per instance where a provider names the case more closely (contract §5.6);
    ``field`` names the member of the request at fault.
    """

    code = "bad_request"
    status = 400

    def __init__(self, message: str = "", *, code: str | None = None, field: str | None = None) -> None:
        super().__init__(message)
        self.reason_code = code or self.code
        self.field = field


class Forbidden(RequestRefused):
    """Not allowed for this caller"""

    code = "forbidden"
    status = 403


class NotFound(RequestRefused):
    """There is no such thing"""

    code = "not_found"
    status = 404


class Conflict(RequestRefused):
    """The present state does not allow it"""

    code = "conflict"
    status = 409


class StoreError(SimError):
    """The database did not answer as it must"""

    code = "store_unavailable"
    status = 503
