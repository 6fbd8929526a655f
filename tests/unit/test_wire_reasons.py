"""Why no status line came: the word for each failure that a socket can report."""

from __future__ import annotations

import errno
import os
import ssl

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey
from aiohttp.streams import EofStream

from sender.durations import SECOND
from sender.errors import NotAvailable
from sender.transport.reasons import Place, explain
from sender.transport.request import Passage

KEY = ConnectionKey("receiver", 443, True, True, None, None, None)  # noqa: FBT003 - a tuple of aiohttp's


def system(number: int) -> OSError:
    """Return what the system reports, as the subclass that Python makes of it."""
    return OSError(number, os.strerror(number))


def unconnected(cause: OSError) -> aiohttp.ClientConnectorError:
    """Return aiohttp's failure to connect."""
    return aiohttp.ClientConnectorError(KEY, cause)


def lost(number: int) -> aiohttp.ClientOSError:
    """Return aiohttp's loss of a connection that was there."""
    return aiohttp.ClientOSError(number, os.strerror(number))


def ended(cause: BaseException) -> aiohttp.ClientOSError:
    """Return aiohttp's loss of a connection for another cause."""
    failure = aiohttp.ClientOSError("broken")
    failure.__cause__ = cause
    return failure


@pytest.mark.parametrize(
    ("failure", "reason", "secure"),
    [
        (unconnected(system(errno.ECONNREFUSED)), "refused", True),
        (unconnected(system(errno.EHOSTUNREACH)), "refused", False),
        (unconnected(system(errno.ENETUNREACH)), "refused", False),
        (unconnected(system(errno.EMFILE)), "refused", False),
        (unconnected(OSError("Multiple exceptions: …")), "refused", False),
        (unconnected(system(errno.ETIMEDOUT)), "timeout", False),
        (unconnected(system(errno.ECONNRESET)), "tls", True),
        (unconnected(ConnectionResetError()), "tls", True),
        (unconnected(system(errno.ECONNRESET)), "refused", False),
        (aiohttp.ClientConnectorDNSError(KEY, OSError(-2, "Name or service not known")), "dns", False),
        (aiohttp.ClientConnectorSSLError(KEY, ssl.SSLError(1, "[SSL] wrong version number")), "tls", True),
        (aiohttp.ClientProxyConnectionError(KEY, system(errno.ECONNREFUSED)), "refused", False),
        (lost(errno.ECONNRESET), "reset", False),
        (lost(errno.EPIPE), "closed", False),
        (lost(errno.ETIMEDOUT), "timeout", False),
        (aiohttp.ClientOSError(None, "Can not write request body"), "closed", False),
        (ended(ssl.SSLError(1, "[SSL] alert certificate required")), "tls", True),
        (aiohttp.ServerDisconnectedError(), "closed", False),
        (aiohttp.ClientConnectionError("Connector is closed."), "closed", False),
        (EofStream(), "closed", False),
        (TimeoutError(), "timeout", False),
        (aiohttp.InvalidURL("http://127.1/"), "dns", False),
        (ValueError("it names no host"), "dns", False),
        (NotAvailable("the certificate file 'x' cannot be used"), "tls", True),
    ],
)
def test_each_failure_has_its_word(failure: BaseException, reason: str, *, secure: bool) -> None:
    """Whatever aiohttp or the system reports has one reason word, and a sentence that is not empty."""
    place = Place("192.0.2.1:443", Passage(), secure, SECOND)
    word, sentence = explain(failure, place)
    assert word == reason
    assert sentence.isprintable()
    assert len(sentence) > len("192.0.2.1:443")
