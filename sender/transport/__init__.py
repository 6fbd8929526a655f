"""One POST on the real wire, exactly as stored, with exactly one outcome (design §4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sender.transport.exchange import Answer, Outgoing

if TYPE_CHECKING:
    from sender.transport.client import Transport

__all__ = ["Answer", "Outgoing", "Transport"]


def __getattr__(name: str) -> Any:
    """Load the HTTP client when it is asked for: whoever only names the two values does not pay for it."""
    if name == "Transport":
        from sender.transport.client import Transport  # noqa: PLC0415

        return Transport
    raise AttributeError(name)
