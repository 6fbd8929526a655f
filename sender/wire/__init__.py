"""Wire faults: what a network, or the sender's own sending, can do to one request.

A fault is a small value that wraps the rest of the way to the receiver. It may leave the request out, hold it, send it
more often, drop what comes back, or send something else instead; so one more is one more class, and needs nothing new
around it.
"""

from __future__ import annotations

from sender.wire.kinds import FORGERIES, WIRE_FAULTS, wire_fault
from sender.wire.way import AtHand, WireFault
from sender.wire.wire import Carrier, Wire

__all__ = ["FORGERIES", "WIRE_FAULTS", "AtHand", "Carrier", "Wire", "WireFault", "wire_fault"]
