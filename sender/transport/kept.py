"""What is kept of an answer: bounded, and safe to store and to show, because a receiver's answer is hostile text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.transport.exchange import Answer
from sender.transport.peer import BODY_LIMIT

if TYPE_CHECKING:
    from multidict import CIMultiDictProxy

    from sender.durations import Duration
    from sender.transport.peer import Head

HEADERS_LIMIT = 16 * 1024
"""How many characters of an answer's headers are kept, names and values together."""

_SENTENCE_LIMIT = 200
_REDIRECTS = range(300, 400)


class Kept:
    """An answer as it comes in: its head when that is complete, then what is kept of its body."""

    __slots__ = ("_location", "body", "complete", "cut", "headers", "status")

    def __init__(self) -> None:
        self.status: int | None = None
        self.headers: tuple[tuple[str, str], ...] = ()
        self.body = b""
        self.cut = False
        self.complete = False
        self._location: str | None = None

    async def take(self, head: Head) -> None:
        """Take the head, then the body until its end or its bound; whatever ends the body early only marks it cut."""
        message, content = head
        self.status = message.code
        self._take_headers(message.headers)
        try:
            while len(self.body) < BODY_LIMIT and not content.at_eof():
                self.body += await content.readany()
        except Exception:  # noqa: BLE001 - the status is known: nothing that a body does may change the verdict
            self.cut = True
            return
        self.complete = content.at_eof()
        self.cut |= len(self.body) > BODY_LIMIT or not self.complete
        self.body = self.body[:BODY_LIMIT]

    def _take_headers(self, headers: CIMultiDictProxy[str]) -> None:
        left = HEADERS_LIMIT
        kept = []
        for name, value in headers.items():
            left -= len(name) + len(value)
            if left < 0:
                self.cut = True
                break
            kept.append((shown(name), shown(value)))
        self.headers = tuple(kept)
        if self.status in _REDIRECTS:
            self._location = headers.get("Location")

    def answer(self, peer: str, elapsed: Duration) -> Answer:
        """Return the answer; ``peer`` is the address that it came from."""
        detail = f"{peer} answered {self.status}"
        if self._location:
            detail += f" to {printable(self._location)}, which is not followed"
        return Answer(self.status, None, detail, self.headers, self.body, self.cut, elapsed)


def shown(text: str) -> str:
    """Return text from the wire with everything that is not printable replaced by U+FFFD."""
    if text.isprintable():
        return text
    decoded = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(character if character.isprintable() else "\ufffd" for character in decoded)


def printable(text: str) -> str:
    """Return text from the wire fit for a sentence: one short line."""
    return shown(text if len(text) <= _SENTENCE_LIMIT else f"{text[:_SENTENCE_LIMIT]}…")
