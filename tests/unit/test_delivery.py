"""The life of an outbox row: what success, failure and a resend make of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sender.domain.delivery import Delivery, DeliveryState, Trigger, failed, queued, resent, succeeded
from sender.domain.ladder import Ladder
from sender.durations import SECOND
from sender.errors import Conflict
from tests.simulators import LADDER, RUNGS

NOW = 1_000 * SECOND
PENDING = queued(NOW)
ON_RUNG_3 = replace(PENDING, due_at=NOW + 180 * SECOND, claim_at=NOW + 180 * SECOND, attempts=2, failures=2)
SETTLED = {
    state: Delivery(state, None, None, attempts=4, failures=3)
    for state in (DeliveryState.DELIVERED, DeliveryState.FAILED)
}


def test_a_new_delivery_is_due_at_once() -> None:
    """A queued row is pending, due and claimable now, with nothing counted."""
    assert Delivery(DeliveryState.PENDING, NOW, NOW, Trigger.SCHEDULED, 0, 0) == PENDING


def test_failures_climb_the_ladder_to_its_end() -> None:
    """Eleven instant failures are due at the golden offsets, and the eleventh ends the row as failed."""
    delivery, at = PENDING, []
    while delivery.state is DeliveryState.PENDING:
        assert delivery.due_at is not None
        at.append((delivery.due_at - NOW) // SECOND)
        delivery = failed(delivery, LADDER, delivery.due_at, delivery.due_at)
    assert at == list(RUNGS)
    assert delivery == Delivery(DeliveryState.FAILED, None, None, attempts=11, failures=11)


@pytest.mark.parametrize(("origin", "due"), [("end", 70), ("start", 60)])
def test_a_gap_begins_where_the_ladder_says(origin: str, due: int) -> None:
    """The next rung is measured from the end of the failed attempt, or from its start where the ladder has it so."""
    ladder = Ladder("x", (60 * SECOND,), 10 * SECOND, measured_from="start" if origin == "start" else "end")
    assert failed(PENDING, ladder, NOW, NOW + 10 * SECOND).due_at == NOW + due * SECOND


def test_a_ladder_without_gaps_is_a_single_attempt() -> None:
    """The first failure is the last where nothing follows."""
    assert failed(PENDING, Ladder("once", (), SECOND), NOW, NOW).state is DeliveryState.FAILED


@pytest.mark.parametrize("delivery", [PENDING, ON_RUNG_3, *SETTLED.values()])
@pytest.mark.parametrize("trigger", list(Trigger))
def test_success_delivers_whoever_asked(delivery: Delivery, trigger: Trigger) -> None:
    """A 2xx ends the ladder from every state, also when a person had asked for the attempt."""
    done = succeeded(replace(delivery, claim_at=None, trigger=trigger))
    assert done == Delivery(
        DeliveryState.DELIVERED, None, None, attempts=delivery.attempts + 1, failures=delivery.failures
    )


def test_a_failed_resend_leaves_the_ladder_alone() -> None:
    """The rung stays where it was: same due time, same count of failures; only the attempt is counted."""
    manual = replace(resent(ON_RUNG_3, NOW + 90 * SECOND, in_flight=False), claim_at=None)
    after = failed(manual, LADDER, NOW + 90 * SECOND, NOW + 100 * SECOND)
    assert after == replace(ON_RUNG_3, attempts=3)


@pytest.mark.parametrize("state", SETTLED)
def test_a_failed_resend_of_a_settled_row_changes_no_state(state: DeliveryState) -> None:
    """Delivered stays delivered and failed stays failed; no new ladder begins."""
    manual = replace(resent(SETTLED[state], NOW, in_flight=False), claim_at=None)
    assert failed(manual, LADDER, NOW, NOW) == replace(SETTLED[state], attempts=5)


@pytest.mark.parametrize("delivery", [PENDING, ON_RUNG_3, *SETTLED.values()])
def test_a_resend_is_due_at_once_beside_the_ladder(delivery: Delivery) -> None:
    """It is claimable now and marked as manual, and the ladder's own due time stays."""
    assert resent(delivery, NOW, in_flight=False) == replace(delivery, claim_at=NOW, trigger=Trigger.MANUAL)


def test_a_second_resend_waits_for_the_first() -> None:
    """While a resend has not come home, another one is refused."""
    once = resent(SETTLED[DeliveryState.FAILED], NOW, in_flight=False)
    with pytest.raises(Conflict) as caught:
        resent(once, NOW, in_flight=False)
    assert caught.value.reason_code == "delivery_in_flight"


def test_an_attempt_in_flight_cannot_be_resent() -> None:
    """While an attempt is under way a resend is refused."""
    with pytest.raises(Conflict) as caught:
        resent(PENDING, NOW, in_flight=True)
    assert caught.value.reason_code == "delivery_in_flight"


def test_a_cancelled_row_is_never_resent() -> None:
    """Where the endpoint is gone nobody is there to resend to."""
    with pytest.raises(Conflict) as caught:
        resent(Delivery(DeliveryState.CANCELLED, None, None), NOW, in_flight=False)
    assert caught.value.reason_code == "delivery_cancelled"
