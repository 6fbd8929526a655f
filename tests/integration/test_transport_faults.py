"""Wire faults on a real wire: how often the receiver is really called."""

from __future__ import annotations

import pytest

from sender.clock import Clock
from sender.domain.fault import Fault
from sender.transport import Outgoing
from sender.wire import Wire
from tests.integration.hostile import BODY, HEADERS, PLENTY, hostile, obliging, on_each_loop, transport
from tests.wire import at_hand


@pytest.mark.parametrize(
    ("name", "params", "calls", "outcome"),
    [
        ("lose_request", {}, 0, "timeout"),
        ("lose_response", {}, 1, "timeout"),
        ("duplicate", {"copies": "3"}, 4, 204),
        ("duplicate", {"copies": "2", "spacing": "20ms"}, 3, 204),
    ],
)
@on_each_loop
async def test_what_arrives_under_a_fault(name: str, params: dict[str, str], calls: int, outcome: object) -> None:
    """A fault changes how often the receiver is called and what the sender knows, never what is sent."""
    async with hostile(obliging) as receiver, transport() as sender:
        wire = Wire(sender, Clock())
        faults = [Fault("wire", name, params=params)]
        answer = await wire.send(Outgoing(receiver.url, HEADERS, BODY), PLENTY, faults, at_hand(), instant=True)
    assert (answer.status or answer.reason) == outcome
    assert len(receiver.requests) == calls
    assert len(set(receiver.requests)) == min(calls, 1)
