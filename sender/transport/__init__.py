"""One POST on the real wire, exactly as stored, with exactly one outcome (design §4).

The two values stand here, the client in ``sender.transport.client``: whoever only names them does not load HTTP.
"""

from __future__ import annotations

from sender.transport.exchange import Answer, Outgoing

__all__ = ["Answer", "Outgoing"]
