"""A registered URL as it goes on the wire: nothing re-escaped, nothing added, only the fragment left out."""

from __future__ import annotations

import re

from yarl import URL

_TARGET_STARTS = re.compile(r"[/?#]")
_NOT_SENDABLE = re.compile(rb"[^!-~]")


def request_url(text: str) -> URL:
    """Return the URL whose request target is, byte for byte, what was registered.

    Only what cannot stand in a request line (spaces, control characters, anything beyond ASCII) is escaped, once. The
    whole target travels in the path component of the result, because that is the one part that is never rewritten: an
    empty query keeps its question mark and ``..`` stays where it is.

    Raises ``ValueError`` when the text is not an absolute http or https URL with a host.
    """
    scheme, mark, rest = text.partition("://")
    if not mark or scheme.lower() not in {"http", "https"}:
        message = "it does not begin with http:// or https://"
        raise ValueError(message)
    start = _TARGET_STARTS.search(rest)
    authority, target = (rest[: start.start()], rest[start.start() :]) if start else (rest, "")
    origin = URL(f"{scheme}://{authority}/")
    if not origin.raw_host:
        message = "it names no host"
        raise ValueError(message)
    target = _sendable(target.partition("#")[0])
    return origin.with_path(target if target.startswith("/") else f"/{target}", encoded=True)


def _sendable(target: str) -> str:
    return _NOT_SENDABLE.sub(lambda found: b"%%%02X" % found[0][0], target.encode()).decode("ascii")
