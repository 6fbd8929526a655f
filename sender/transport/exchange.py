"""The two values of an exchange: what goes out and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sender.domain.delivery import Reason
    from sender.durations import Duration

STRICT, INSECURE = "strict", "insecure"
"""The two words of ``Outgoing.tls`` that are not the path of a certificate file."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One request: ``POST`` to ``url`` with these headers, in this order, and these bytes.

    ``Host`` and ``Content-Length`` are added on the wire and nothing else. ``tls`` is this endpoint's own rule for
    certificates: ``strict``, ``insecure``, the path of a certificate file to trust besides the public ones, or
    ``None`` for the rule of the transport.
    """

    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    tls: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one request.

    Either a status line came, then ``status`` is set and ``reason`` is not, and whether it is a success is for the
    provider's profile to say; or none came, then ``reason`` says why. ``detail`` is a sentence for people. Headers
    and body are kept up to a bound, in a form that is safe to store and to show; ``cut`` tells that something of the
    answer was not kept or never came. ``elapsed`` is real time. ``sent`` is what a wire fault sent in the request's
    place.
    """

    status: int | None
    reason: Reason | None
    detail: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    cut: bool = False
    elapsed: Duration = 0
    sent: Outgoing | None = None
