"""An event as a body and a signature: genuine, or bent in one place."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sender.domain.signature import webhook_signature

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sender.providers.profile import Headers, Profile


@dataclass(frozen=True, slots=True)
class Letter:
    """One event for one endpoint, before it is signed."""

    event_id: str
    event_type: str
    body: bytes

    def document(self) -> dict[str, Any]:
        """Return the body, read."""
        read: dict[str, Any] = json.loads(self.body)
        return read

    def changed(self, change: Callable[[dict[str, Any]], object]) -> Letter:
        """Return a letter whose body was changed; as the provider writes JSON."""
        document = self.document()
        change(document)
        return self.written(json.dumps(document, ensure_ascii=False, separators=(",", ":")))

    def written(self, text: str | bytes) -> Letter:
        """Return a letter with this body."""
        return replace(self, body=text.encode() if isinstance(text, str) else text)


@dataclass(frozen=True, slots=True)
class Seal:
    """Signs as the provider does, and takes signatures apart for those who forge them."""

    profile: Profile
    secret: str

    def headers(self, letter: Letter, at: int, secrets: Sequence[str] | None = None) -> Headers:
        """Return the headers of a delivery signed at ``at``, in Unix seconds."""
        return self.profile.sign(letter.body, secrets or (self.secret,), at, letter.event_id)

    def value(self, letter: Letter, at: int) -> str:
        """Return the right ``v1``."""
        return webhook_signature(letter.body, self.secret, at)

    def with_signature(self, headers: Headers, value: str | None) -> Headers:
        """Return headers with another signature, or with none."""
        return self.with_header(headers, self.profile.signature_header, value)

    @staticmethod
    def with_header(headers: Headers, name: str, value: str | None) -> Headers:
        """Return headers in which one has another value, or is missing."""
        changed = ((had, value if had == name else old) for had, old in headers)
        return tuple((had, new) for had, new in changed if new is not None)
