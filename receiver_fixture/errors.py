"""The receiver's exceptions: what may go wrong and whom it concerns.

    ReceiverError
    ├── CannotStart       a setting, a port or a database cannot be used: exit 2
    ├── StorageFailure    the ledger could not be read or written: 500, nothing remembered
    └── Refused           a request to the control interface cannot be carried out: 4xx

What a web client did wrong to the webhook itself is no exception but an answer: see ``arrival``.
"""
# ruff: noqa: N818 (named for what happened)

from __future__ import annotations


class ReceiverError(Exception):
    """Something went wrong in the receiver."""


class CannotStart(ReceiverError):
    """The receiver cannot start; the message is the one sentence that is shown."""


class StorageFailure(ReceiverError):
    """The ledger could not be read or written."""


class Refused(ReceiverError):
    """A control request cannot be carried out; carries its HTTP status and code."""

    def __init__(self, message: str, *, status: int = 400, code: str = "bad_request") -> None:
        super().__init__(message)
        self.status = status
        self.code = code
