"""Armed faults: which attempt they strike."""

from __future__ import annotations

import pytest

from sender.domain.fault import Fault, FaultMatch

HAND = ("invoice.paid", "evt_1", "whe_1", 2)


@pytest.mark.parametrize(
    "match",
    [
        FaultMatch(),
        FaultMatch(event_type="invoice.paid"),
        FaultMatch(event_id="evt_1"),
        FaultMatch(endpoint_id="whe_1"),
        FaultMatch(attempt=2),
        FaultMatch("invoice.paid", "evt_1", "whe_1", 2),
    ],
)
def test_a_fault_strikes_where_all_that_it_names_fits(match: FaultMatch) -> None:
    """What a fault does not name matches everything."""
    assert Fault("crash", "relay.after_send", match).strikes(*HAND)


@pytest.mark.parametrize(
    "match",
    [
        FaultMatch(event_type="invoice.paid_over"),
        FaultMatch(event_id="evt_2"),
        FaultMatch(endpoint_id="whe_2"),
        FaultMatch(attempt=1),
        FaultMatch("invoice.paid", "evt_1", "whe_1", 3),
    ],
)
def test_a_fault_passes_by_where_one_part_differs(match: FaultMatch) -> None:
    """One part that differs is enough."""
    assert not Fault("wire", "lose_response", match).strikes(*HAND)
