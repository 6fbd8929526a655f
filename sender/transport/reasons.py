"""Why no status line came: one word per kind of failure, and a sentence for people."""

from __future__ import annotations

import errno
import os
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.streams import EofStream

from sender.domain.delivery import Reason
from sender.durations import format_duration
from sender.errors import NotAvailable
from sender.transport.kept import printable

if TYPE_CHECKING:
    from sender.durations import Duration
    from sender.transport.request import Passage

FAILURES = (aiohttp.ClientError, HttpProcessingError, EofStream, OSError, ValueError, NotAvailable)
"""Everything that sending raises for a reason that lies with the endpoint and not with us."""

Why = tuple[Reason, str]


@dataclass(frozen=True, slots=True)
class Place:
    """How far an exchange had come when it failed: the addresses that were tried, and what became of its request."""

    tried: str
    passage: Passage
    secure: bool
    timeout: Duration

    @property
    def peer(self) -> str:
        """The address of whoever was connected, else those that were tried."""
        return (self.passage.peer.address if self.passage.peer is not None else "") or self.tried

    @property
    def answering(self) -> bool:
        """Whether some of an answer has come."""
        return self.passage.peer is not None and self.passage.peer.head_size > 0


def explain(failure: BaseException, place: Place) -> Why:
    """Return the reason word and the sentence for one of ``FAILURES``."""
    if isinstance(failure, NotAvailable):
        return Reason.TLS, str(failure)
    if isinstance(failure, aiohttp.ClientConnectorError):
        return _not_connected(failure, place)
    if isinstance(failure, (aiohttp.ClientResponseError, HttpProcessingError)):
        return Reason.PROTOCOL, _not_http(failure, place)
    if isinstance(failure, ValueError):
        return Reason.DNS, f"the URL cannot be used: {_words(failure)}"
    return _lost(failure, place)


def _not_connected(failure: aiohttp.ClientConnectorError, place: Place) -> Why:
    cause = failure.os_error
    if isinstance(failure, aiohttp.ClientConnectorDNSError):
        return Reason.DNS, f"the name {failure.host} cannot be resolved: {_words(cause)}"
    if isinstance(failure, aiohttp.ClientConnectorCertificateError):
        return Reason.TLS, f"the certificate of {place.tried} is not accepted: {_words(cause)}"
    if isinstance(failure, aiohttp.ClientSSLError):
        return Reason.TLS, f"the TLS handshake with {place.tried} failed: {_words(cause)}"
    if place.secure and isinstance(cause, ConnectionError) and not isinstance(cause, ConnectionRefusedError):
        return Reason.TLS, f"{place.tried} broke off the TLS handshake"
    reason = Reason.TIMEOUT if cause.errno == errno.ETIMEDOUT else Reason.REFUSED
    through = " (a proxy)" if isinstance(failure, aiohttp.ClientProxyConnectionError) else ""
    why = os.strerror(cause.errno) if cause.errno else _words(cause)
    return reason, f"no connection to {place.tried}{through}: {why}"


def _not_http(failure: aiohttp.ClientResponseError | HttpProcessingError, place: Place) -> str:
    if isinstance(failure, aiohttp.ClientHttpProxyError):
        return f"the proxy {place.tried} answered {failure.status}"
    return f"{place.peer} did not answer in HTTP: {printable(' '.join(failure.message.split()))}"


def _lost(failure: BaseException, place: Place) -> Why:
    if isinstance(failure, ssl.SSLError) or isinstance(failure.__cause__, ssl.SSLError):
        return Reason.TLS, f"{place.peer} broke off the encrypted connection: {_words(failure)}"
    number = getattr(failure, "errno", None)
    if number == errno.ETIMEDOUT or isinstance(failure, TimeoutError):
        return Reason.TIMEOUT, _timed_out(place)
    # EPIPE and a write refused without a number mean that the peer had closed before, in an orderly way.
    reset = number not in {None, errno.EPIPE}
    verb = "reset" if reset else "closed"
    return Reason.RESET if reset else Reason.CLOSED, f"{place.peer} {verb} the connection {_how_far(place)}"


def _how_far(place: Place) -> str:
    if place.passage.peer is None:
        return "before the request was sent"
    return "in the middle of the head of its answer" if place.answering else "without an answer"


def _timed_out(place: Place) -> str:
    within = format_duration(place.timeout)
    if place.passage.peer is None:
        return f"no connection to {place.tried} within {within}"
    if not place.passage.written:
        return f"{place.peer} did not take the request within {within}"
    return f"{place.peer} did not {'finish the head of its answer' if place.answering else 'answer'} within {within}"


def _words(error: BaseException) -> str:
    """Return what an error says for itself, without Python's brackets and numbers around it."""
    for name in ("verify_message", "reason", "strerror"):
        text = getattr(error, name, None)
        if text and isinstance(text, str):
            return printable(text.replace("_", " ").lower() if name == "reason" else text)
    return printable(str(error) or type(error).__name__)
